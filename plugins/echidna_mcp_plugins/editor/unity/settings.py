"""What a project is: name, version, render pipeline, build targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import (
    MONO_BEHAVIOUR,
    Documents,
    Reference,
    integer,
    mapping,
    reference,
    sequence,
    text,
)
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.scripts import class_of

VERSION: Final = "ProjectSettings/ProjectVersion.txt"

_PLAYER: Final = "ProjectSettings/ProjectSettings.asset"
_GRAPHICS: Final = "ProjectSettings/GraphicsSettings.asset"
_QUALITY: Final = "ProjectSettings/QualitySettings.asset"
_EDITOR: Final = "ProjectSettings/EditorSettings.asset"
_FORCE_TEXT: Final = 2
_BUILT_IN: Final = "Built-in"
_PIPELINES: Final[Mapping[str, str]] = {
    "UniversalRenderPipelineAsset": "URP",
    "HDRenderPipelineAsset": "HDRP",
}
# Settings with an entry for each build target that the project has set up.
_BY_TARGET: Final = ("applicationIdentifier", "scriptingBackend")
_TARGETS: Final[Mapping[str, str]] = {"iPhone": "iOS", "Metro": "WSA"}


def unity_version(content: bytes) -> str:
    """Return the version in `ProjectVersion.txt`, `2022.3.10f1`; empty if none is."""
    for line in content.decode("utf-8-sig", "replace").splitlines():
        name, _, value = line.partition(":")
        if name == "m_EditorVersion":
            return value.strip()
    return ""


class Settings:
    """Reads the files in `ProjectSettings`.

    Args:
        read: gives the documents of an asset.
        by_guid: paths of assets.
        diagnostics: takes what is missing; Unity's default is answered then.
    """

    def __init__(
        self,
        read: Callable[[str], Documents],
        by_guid: Mapping[str, str],
        diagnostics: Diagnostics,
    ) -> None:
        self._read = read
        self._by_guid = by_guid
        self._diagnostics = diagnostics

    def player(self) -> tuple[str, list[str]]:
        """Return the product's name, empty if unknown, and the build targets, sorted.

        These are the targets for which the player settings have entries of their own.
        Which modules of Unity are installed, and which target is active, is not part of
        a project.
        """
        fields = self._fields(_PLAYER)
        targets = {
            _TARGETS.get(name, name)
            for setting in _BY_TARGET
            for name in mapping(fields.get(setting))
            if name and not name.isdigit()
        }
        return text(fields.get("productName")), sorted(targets)

    def render_pipeline(self) -> str:
        """Return `Built-in`, `URP`, `HDRP`, or the class of the pipeline's asset.

        The quality level that is current may have a pipeline other than the default.
        """
        quality = self._fields(_QUALITY)
        levels = sequence(quality.get("m_QualitySettings"))
        current = integer(quality.get("m_CurrentQuality"))
        level = mapping(levels[current]) if 0 <= current < len(levels) else {}
        graphics = self._fields(_GRAPHICS)
        for chosen in (
            reference(level.get("customRenderPipeline")),
            reference(graphics.get("m_CustomRenderPipeline")),
        ):
            if chosen.file_id:
                return self._pipeline(chosen)
        return _BUILT_IN

    def tell_serialization(self) -> None:
        """Tell if assets may be binary."""
        fields = self._fields(_EDITOR)
        mode = fields.get("m_SerializationMode")
        if mode is not None and integer(mode) != _FORCE_TEXT:
            self._diagnostics.add(
                "Assets may be binary, and can't be read then; set Asset Serialization "
                "to Force Text in the project settings under Editor."
            )

    def _fields(self, path: str) -> Mapping[str, Any]:
        """Return the fields of the object that a file of settings holds."""
        try:
            documents = self._read(path)
        except UnityProjectError as error:
            self._diagnostics.add(error.message)
            return {}
        for problem in documents.problems:
            self._diagnostics.add(problem)
        return next((document.fields for document in documents), {})

    def _pipeline(self, chosen: Reference) -> str:
        path = self._by_guid.get(chosen.guid)
        if path is None:
            self._diagnostics.add(
                f"The asset of the render pipeline, guid {chosen.guid}, is not in the "
                "project."
            )
            return "Custom"
        try:
            found = next(self._read(path).of(MONO_BEHAVIOUR), None)
        except UnityProjectError as error:
            self._diagnostics.add(error.message)
            return "Custom"
        script = reference(found.fields.get("m_Script") if found else None)
        identifier = text(found.fields.get("m_EditorClassIdentifier") if found else "")
        name, problem = class_of(script, identifier, self._by_guid.get(script.guid, ""))
        if problem:
            self._diagnostics.add(f"The class of {path} is unknown: {problem}.")
        return _PIPELINES.get(name, name or "Custom")

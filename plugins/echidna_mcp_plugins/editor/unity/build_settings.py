"""Which scenes a project has, and which of them are built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import (
    BUILD_SETTINGS,
    Documents,
    mapping,
    sequence,
    text,
)
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.guids import AssetIndex

PATH: Final = "ProjectSettings/EditorBuildSettings.asset"
_PROFILES: Final = "Assets/Settings/Build Profiles/"


@dataclass(frozen=True, slots=True)
class BuildScene:
    """An entry of the build settings; its index is the place in their list."""

    path: str
    guid: str
    enabled: bool


def build_scenes(documents: Documents) -> list[BuildScene]:
    """Return the entries of the build settings in their order."""
    return [
        BuildScene(
            text(each.get("path")),
            text(each.get("guid")),
            text(each.get("enabled")) == "1",
        )
        for document in documents.of(BUILD_SETTINGS)
        for each in map(mapping, sequence(document.fields.get("m_Scenes")))
    ]


def list_scenes(
    listed: list[BuildScene], assets: AssetIndex, diagnostics: Diagnostics
) -> list[dict[str, Any]]:
    """Return path, name, enabledInBuild and buildIndex of all scenes, by path.

    A scene that was moved is found by its guid. One that the build settings name and
    that does not exist is listed as well, and told.
    """
    entries = dict.fromkeys(assets.ending(".unity"), (False, -1))
    for index, scene in enumerate(listed):
        path = assets.by_guid.get(scene.guid, scene.path)
        if path not in entries and scene.guid not in assets.by_guid:
            diagnostics.add(
                f"The build settings name {path!r}, which does not exist; remove it "
                "there."
            )
        if entries.get(path, (False, -1))[1] == -1:
            entries[path] = (scene.enabled, index)
    return [
        {
            "path": path,
            "name": PurePosixPath(path).stem,
            "enabledInBuild": enabled,
            "buildIndex": index,
        }
        for path, (enabled, index) in sorted(entries.items())
    ]


def tell_profiles(
    assets: AssetIndex, read: Callable[[str], Documents], diagnostics: Diagnostics
) -> None:
    """Tell which build profiles (Unity 6) have a list of scenes of their own."""
    for path in assets.ending(".asset"):
        if not path.startswith(_PROFILES):
            continue
        try:
            documents = read(path)
        except UnityProjectError as error:
            diagnostics.add(error.message)
            continue
        if any(d.fields.get("m_OverrideGlobalSceneList") == "1" for d in documents):
            diagnostics.add(
                f"The build profile {path} has a list of scenes of its own, which is "
                "not shown."
            )

"""Audio mixers: groups, snapshots, and what a snapshot sets.

A mixer keeps values apart from what they belong to: groups and effects name each of
their parameters by a guid, and a snapshot maps guids to values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import (
    AUDIO_EFFECT,
    AUDIO_GROUP,
    AUDIO_MIXER,
    AUDIO_SNAPSHOT,
    Document,
    Documents,
    mapping,
    reference,
    sequence,
    text,
)
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

_NO_GUID: Final = "0" * 32
_MOST_LEVELS: Final = 64
_VOLUME_DB: Final = 0.0
_PITCH: Final = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a mixer; its path has the names from the master group down."""

    document: Document
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that a snapshot can set.

    Attributes:
        name: `Volume` (dB), `Pitch` (factor), `Send`, or effect and parameter:
            `Lowpass Simple Cutoff freq`.
        default: where a snapshot has no value; None for parameters of effects, whose
            defaults are those of the effect.
    """

    guid: str
    name: str
    group: str
    default: float | None


class Mixer:
    """An audio mixer as it lies on disk.

    Args:
        diagnostics: takes what could not be resolved.

    Raises:
        UnityProjectError: the file holds no mixer.
    """

    def __init__(self, documents: Documents, diagnostics: Diagnostics) -> None:
        controller = next(documents.of(AUDIO_MIXER), None)
        if controller is None:
            raise UnityProjectError(
                "unity", f"{documents.path} holds no audio mixer; choose another file."
            )
        self._documents = documents
        self._controller = controller
        self._diagnostics = diagnostics
        for problem in documents.problems:
            diagnostics.add(problem)
        self.groups: tuple[Group, ...] = tuple(self._walk())

    @property
    def name(self) -> str:
        """The name that the mixer has in its file."""
        return text(self._controller.fields.get("m_Name"))

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots in the mixer's order."""
        return [text(document.fields.get("m_Name")) for document in self._snapshots()]

    def values(self, snapshot: str) -> list[dict[str, Any]]:
        """Return name, value and group of what a snapshot sets, group by group.

        Volume and pitch of each group are always among them. The name is the one under
        which scripts reach a parameter, if it is exposed.

        Raises:
            UnityProjectError: the mixer has no such snapshot.
        """
        stored = self._stored(snapshot)
        exposed = {
            text(each.get("guid")): text(each.get("name"))
            for each in map(
                mapping, sequence(self._controller.fields.get("m_ExposedParameters"))
            )
        }
        found: list[dict[str, Any]] = []
        known: set[str] = set()
        for parameter in self._parameters():
            known.add(parameter.guid)
            value = stored.get(parameter.guid, parameter.default)
            name = exposed.get(parameter.guid) or parameter.name
            if value is not None:
                found.append({"name": name, "value": value, "group": parameter.group})
            elif parameter.guid in exposed:
                self._diagnostics.add(
                    f"The snapshot {snapshot!r} does not set {name!r}, "
                    f"{parameter.name} of {parameter.group!r}, which has the default "
                    "of its effect."
                )
        if stale := len(stored.keys() - known):
            self._diagnostics.add(
                f"The snapshot {snapshot!r} has values of what is no longer in the "
                f"mixer: {stale}."
            )
        return found

    def _snapshots(self) -> Iterator[Document]:
        for each in sequence(self._controller.fields.get("m_Snapshots")):
            found = self._get(reference(each).file_id, AUDIO_SNAPSHOT)
            if found is not None:
                yield found

    def _get(self, file_id: int, class_id: int) -> Document | None:
        """Return an object of the file; tell if it is not there."""
        found = self._documents.by_id.get(file_id)
        if found is not None and found.class_id == class_id:
            return found
        self._diagnostics.add(
            f"{self._documents.path} refers to &{file_id}, which it does not have."
        )
        return None

    def _walk(self) -> Iterator[Group]:
        """Yield the groups, parents first, children in the mixer's order."""
        master = reference(self._controller.fields.get("m_MasterGroup")).file_id
        waiting = [(master, "", 1)] if master else []
        passed: set[int] = set()
        while waiting:
            file_id, above, level = waiting.pop()
            document = self._get(file_id, AUDIO_GROUP)
            if document is None or file_id in passed or level > _MOST_LEVELS:
                continue
            passed.add(file_id)
            name = text(document.fields.get("m_Name"))
            path = f"{above}/{name}" if above else name
            yield Group(document, name, path)
            children = sequence(document.fields.get("m_Children"))
            waiting.extend(
                (reference(child).file_id, path, level + 1)
                for child in reversed(children)
            )

    def _parameters(self) -> Iterator[Parameter]:
        for group in self.groups:
            fields = group.document.fields
            for name, key, default in (
                ("Volume", "m_Volume", _VOLUME_DB),
                ("Pitch", "m_Pitch", _PITCH),
                ("Send", "m_Send", None),
            ):
                guid = text(fields.get(key))
                if guid not in {"", _NO_GUID}:
                    yield Parameter(guid, name, group.name, default)
            for each in sequence(fields.get("m_Effects")):
                effect = self._get(reference(each).file_id, AUDIO_EFFECT)
                if effect is not None:
                    yield from _of_effect(effect, group.name)

    def _stored(self, snapshot: str) -> Mapping[str, float]:
        """Return what a snapshot sets, by guid."""
        for document in self._snapshots():
            if text(document.fields.get("m_Name")) == snapshot:
                found: dict[str, float] = {}
                values = mapping(document.fields.get("m_FloatValues"))
                for guid, value in values.items():
                    number = _number(value)
                    if number is None:
                        self._diagnostics.add(
                            f"The snapshot {snapshot!r} sets {guid} to {value!r}, "
                            "which is no number."
                        )
                    else:
                        found[guid] = number
                return found
        names = ", ".join(repr(name) for name in self.snapshots()) or "none"
        raise UnityProjectError(
            "not_found",
            f"{self._documents.path} has no snapshot {snapshot[:80]!r}; it has "
            f"{names}.",
        )


def _of_effect(effect: Document, group: str) -> Iterator[Parameter]:
    name = text(effect.fields.get("m_EffectName"))
    level = text(effect.fields.get("m_MixLevel"))
    if level not in {"", _NO_GUID}:
        yield Parameter(level, f"{name} Mix Level", group, None)
    for each in map(mapping, sequence(effect.fields.get("m_Parameters"))):
        guid = text(each.get("m_GUID"))
        if guid not in {"", _NO_GUID}:
            called = text(each.get("m_ParameterName"))
            yield Parameter(guid, f"{name} {called}", group, None)


def _number(value: Any) -> float | None:
    """Return what a snapshot stores as a number; None if it is none, or infinite."""
    try:
        number = float(text(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None

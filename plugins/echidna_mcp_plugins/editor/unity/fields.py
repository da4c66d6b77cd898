"""Serialized fields as JSON values.

The file has texts only. A number is what reads as one, so that a text such as `12` is
shown as a number, too; a truth value is 0 or 1, as Unity writes it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.components import type_of
from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import Document, Reference, reference
from echidna_mcp_plugins.editor.unity.guids import BUILT_IN
from echidna_mcp_plugins.editor.unity.hierarchy import MOST_ID
from echidna_mcp_plugins.editor.unity.objects import Component, GameObject, Scope
from echidna_mcp_plugins.editor.unity.overrides import ScopedReference, overridden

# What says where an object stands, not what it is like: the hierarchy tells that.
_BOOKKEEPING: Final = frozenset(
    {
        *("m_ObjectHideFlags", "m_EditorHideFlags", "serializedVersion"),
        *("m_CorrespondingSourceObject", "m_PrefabInstance", "m_PrefabAsset"),
        *("m_PrefabParentObject", "m_PrefabInternal", "m_GameObject"),
        *("m_Father", "m_Children", "m_RootOrder"),
        *("m_Script", "m_EditorClassIdentifier", "m_Name"),
    }
)
_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z")
_NUMBER: Final = re.compile(
    r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?\Z"
)
_MOST_ELEMENTS: Final = 1_000
_MOST_CHARACTERS: Final = 10_000


class FieldReader:
    """Reads the fields of components.

    Args:
        by_guid: paths of assets.
        diagnostics: takes what is broken or cut.
    """

    def __init__(self, by_guid: Mapping[str, str], diagnostics: Diagnostics) -> None:
        self._by_guid = by_guid
        self._diagnostics = diagnostics
        self._where = ""

    def fields(self, component: Component) -> list[dict[str, Any]]:
        """Return `{name, type, value}` for each field, in the order of the file.

        The type is `integer`, `number`, `string`, `reference`, `array` or `object`.
        A reference is null, `{instanceId, path}` of an object of the scene (with
        `component`, if it is one), or `{asset, guid, fileID}` of an asset.
        """
        if component.document is None:
            return []
        kind, _ = type_of(component, self._by_guid)
        owner = component.owner
        merged, failed = overridden(component.document.fields, component.overrides)
        for path in failed:
            self._diagnostics.add(
                f"The override of {path} of the {kind} of {owner.path!r} fits no field."
            )
        found: list[dict[str, Any]] = []
        for name, raw in merged.items():
            if name not in _BOOKKEEPING:
                self._where = f"{name} of the {kind} of {owner.path!r}"
                type_, value = self._read(raw, component.scope)
                found.append({"name": name, "type": type_, "value": value})
        return found

    def _read(self, raw: Any, scope: Scope) -> tuple[str, Any]:
        """Return type and value of what stands in a file."""
        match raw:
            case str():
                return self._scalar(raw)
            case list():
                if len(raw) > _MOST_ELEMENTS:
                    self._cut(f"{len(raw)} elements", f"{_MOST_ELEMENTS}")
                return "array", [
                    self._read(each, scope)[1] for each in raw[:_MOST_ELEMENTS]
                ]
            case ScopedReference():
                return "reference", self._refer(raw.reference, raw.scope)
            case {"fileID": _}:
                return "reference", self._refer(reference(raw), scope)
            case _:
                return "object", {
                    name: self._read(each, scope)[1] for name, each in raw.items()
                }

    def _scalar(self, raw: str) -> tuple[str, Any]:
        if _INTEGER.match(raw) and abs(int(raw)) <= MOST_ID:
            return "integer", int(raw)
        if (
            not _INTEGER.match(raw)
            and _NUMBER.match(raw)
            and math.isfinite(number := float(raw))
        ):
            return "number", number
        if len(raw) > _MOST_CHARACTERS:
            self._cut(f"{len(raw)} characters", f"{_MOST_CHARACTERS}")
        return "string", raw[:_MOST_CHARACTERS]

    def _cut(self, has: str, shown: str) -> None:
        self._diagnostics.add(f"{self._where} has {has}; the first {shown} are shown.")

    def _refer(self, target: Reference, scope: Scope) -> dict[str, Any] | None:
        if target.file_id == 0:
            return None
        if target.guid:
            return self._asset(target)
        found = scope.get(target.file_id)
        match found:
            case Document():
                return {"fileID": str(target.file_id), "kind": found.kind}
            case GameObject() | Component() if found.instance_id:
                owner = found.owner if isinstance(found, Component) else found
                value = {"instanceId": found.instance_id, "path": owner.path}
                if isinstance(found, Component):
                    value["component"], _ = type_of(found, self._by_guid)
                return value
            case _:
                self._diagnostics.add(
                    f"{self._where} refers to &{target.file_id}, which is not there."
                )
                return {"fileID": str(target.file_id)}

    def _asset(self, target: Reference) -> dict[str, Any]:
        value = {"guid": target.guid, "fileID": str(target.file_id)}
        path = BUILT_IN.get(target.guid) or self._by_guid.get(target.guid)
        if path is None:
            self._diagnostics.add(
                f"{self._where} refers to an asset with the guid {target.guid}, which "
                "the project does not have."
            )
            return value
        return {"asset": path, **value}

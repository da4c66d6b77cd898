"""What a component is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from echidna_mcp_plugins.editor.unity.documents import (
    MONO_BEHAVIOUR,
    reference,
    text,
)
from echidna_mcp_plugins.editor.unity.objects import MISSING_SCRIPT, Component
from echidna_mcp_plugins.editor.unity.scripts import class_of

# Documents of these classes call themselves only `Behaviour`.
_ODD: Final[Mapping[int, str]] = {92: "GUILayer", 124: "FlareLayer"}


def type_of(component: Component, by_guid: Mapping[str, str]) -> tuple[str, str]:
    """Return the type of a component, and what is wrong with it.

    Args:
        by_guid: paths of assets.

    Returns:
        The class as in C#, without name space: `Transform`, `PlayerController`; for a
        script that can't be told `MonoBehaviour`, and a reason; for one that Unity
        itself could not load `Missing Script`.
    """
    document = component.document
    if document is None:
        return component.kind, ""
    if document.class_id != MONO_BEHAVIOUR:
        kind = _ODD.get(document.class_id, document.kind)
        return kind or f"Class {document.class_id}", ""
    script = reference(document.fields.get("m_Script"))
    if script.file_id == 0:
        return MISSING_SCRIPT, ""
    identifier = text(document.fields.get("m_EditorClassIdentifier"))
    name, problem = class_of(script, identifier, by_guid.get(script.guid, ""))
    return name or "MonoBehaviour", problem

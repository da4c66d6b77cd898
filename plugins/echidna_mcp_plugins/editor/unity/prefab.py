"""Prefab instances: what their documents say, and how that changes a prefab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.documents import (
    Document,
    Reference,
    integer,
    mapping,
    reference,
    sequence,
    text,
)
from echidna_mcp_plugins.editor.unity.objects import (
    Component,
    Content,
    GameObject,
    Override,
    Scope,
)

# The root of an imported model and its transform: since Unity 2019, and before.
_MODEL_ROOTS: Final = (919132149155446097, 100000)
_MODEL_TRANSFORMS: Final = (-8679921383154817045, 400000)


@dataclass(frozen=True, slots=True)
class Modification:
    """An override of one field: of which object of the prefab, which field, to what."""

    target: Reference
    path: str
    value: str
    object_reference: Reference


@dataclass(frozen=True, slots=True)
class PrefabInstance:
    """A document of class 1001: a prefab at a place, with what differs from it.

    Attributes:
        file_id: of the document.
        source: the prefab; no guid in files before Unity 2018.3, where a prefab
            describes itself so.
        parent: file id of the transform below which it hangs; 0 for none.
        insert_at: index among its siblings by the file id of what was added, for files
            since Unity 2022.2; -1 stands for the end.
    """

    file_id: int
    source: Reference
    parent: int
    modifications: tuple[Modification, ...]
    removed: tuple[Reference, ...]
    insert_at: Mapping[int, int]


def prefab_instance(document: Document) -> PrefabInstance:
    """Return what a document of class 1001 says."""
    fields = document.fields
    changes = mapping(fields.get("m_Modification"))
    return PrefabInstance(
        document.file_id,
        reference(fields.get("m_SourcePrefab", fields.get("m_ParentPrefab"))),
        reference(changes.get("m_TransformParent")).file_id,
        tuple(
            Modification(
                reference(each.get("target")),
                text(each.get("propertyPath")),
                text(each.get("value")),
                reference(each.get("objectReference")),
            )
            for each in map(mapping, sequence(changes.get("m_Modifications")))
        ),
        tuple(
            reference(each)
            for name in ("m_RemovedComponents", "m_RemovedGameObjects")
            for each in sequence(changes.get(name))
        ),
        {
            reference(each.get("addedObject")).file_id: integer(each["insertIndex"])
            for name in ("m_AddedComponents", "m_AddedGameObjects")
            for each in map(mapping, sequence(changes.get(name)))
            if "insertIndex" in each
        },
    )


def source_of(document: Document) -> tuple[int, int]:
    """Return what a stripped object stands for: file ids of instance and object.

    Before Unity 2018.3 the fields had other names.
    """
    fields: Mapping[str, Any] = document.fields
    instance = fields.get("m_PrefabInstance", fields.get("m_PrefabInternal"))
    source = fields.get(
        "m_CorrespondingSourceObject", fields.get("m_PrefabParentObject")
    )
    return reference(instance).file_id, reference(source).file_id


def apply(instance: PrefabInstance, content: Content, scope: Scope) -> int:
    """Change a prefab's content as an instance says, before its ids are rebased.

    An override whose target has another guid than the prefab is one that Unity kept of
    a prefab that stood there before.

    Args:
        scope: of the file that holds the instance.

    Returns:
        How many of the changes are without effect: of objects that the prefab does not
        have, or that can't be removed.
    """
    unmatched = 0
    for change in instance.modifications:
        target = _target(change.target, instance, content)
        if target is None:
            unmatched += 1
        elif isinstance(target, GameObject):
            target.set(change.path, change.value)
        elif isinstance(target, Component):
            if change.path == "m_RootOrder" and target.is_transform:
                target.owner.root_order = integer(change.value)
            target.overrides.append(
                Override(change.path, change.value, change.object_reference, scope)
            )
    for gone in instance.removed:
        target = _target(gone, instance, content)
        if isinstance(target, GameObject) and target.parent is not None:
            target.parent.children.remove(target)
            target.parent = None
            target.removed = True
        elif isinstance(target, Component) and target in target.owner.components:
            target.owner.components.remove(target)
        else:  # nothing, a root, or something twice
            unmatched += 1
    return unmatched


def _target(
    target: Reference, instance: PrefabInstance, content: Content
) -> GameObject | Component | Document | None:
    if target.guid and target.guid != instance.source.guid:
        return None
    return content.scope.get(target.file_id)


def stand_in(instance: PrefabInstance, name: str) -> Content:
    """Return one GameObject for a prefab that can't be read.

    Which ids its root and the root's transform have is not known of such a prefab. Of a
    model it is; else they are those whose name and place are overridden first, as Unity
    always does for a root.
    """
    root = GameObject(0, name)
    scope: Scope = dict.fromkeys(_MODEL_ROOTS, root)
    transform = Component(1, root, None, scope, "Transform")
    root.components.append(transform)
    scope |= dict.fromkeys(_MODEL_TRANSFORMS, transform)
    named = _targets(instance, "m_Name")
    if named and not {*named} & {*_MODEL_ROOTS}:
        scope[named[0]] = root
    for placed in _targets(instance, "m_LocalPosition.x")[:1]:
        scope.setdefault(placed, transform)
    return Content([root], scope, [root, transform], incomplete=True)


def _targets(instance: PrefabInstance, path: str) -> list[int]:
    """Return the file ids of the objects of which an instance overrides a field."""
    return [c.target.file_id for c in instance.modifications if c.path == path]

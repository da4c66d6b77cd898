"""GameObjects and components while a scene is put together from its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from echidna_mcp_plugins.editor.unity.documents import (
    TRANSFORMS,
    Document,
    Reference,
    integer,
    text,
)

MISSING_SCRIPT: Final = "Missing Script"
"""What stands for a component without a document, or without a script."""

_ID_BITS: Final = (1 << 63) - 1

Scope: TypeAlias = "dict[int, GameObject | Component | Document]"
"""What the file ids of one file mean in one instance of it.

A document is something that belongs to no GameObject, such as a mesh.
"""


@dataclass(frozen=True, slots=True)
class Override:
    """What a prefab instance says of a field of a component.

    Attributes:
        path: of the field, `m_LocalPosition.x`, `items.Array.data[0]`.
        value: as text.
        target: what a reference is set to; its file id is 0 if there is none.
        scope: of the file that holds the instance.
    """

    path: str
    value: str
    target: Reference
    scope: Scope


@dataclass(slots=True, eq=False)
class Component:
    """A component of a GameObject.

    Attributes:
        file_id: signed, as the file sees it that is being read.
        document: None if there is none: the script of a file that Unity could not
            load, or the transform of a prefab that can't be read.
        kind: its class by name where there is no document.
        scope: of the file that holds the document.
        overrides: outer instances last.
        instance_id: 0 until the scene is complete, or if it was removed.
    """

    file_id: int
    owner: GameObject
    document: Document | None
    scope: Scope
    kind: str = ""
    overrides: list[Override] = field(default_factory=list)
    instance_id: int = 0

    @property
    def is_transform(self) -> bool:
        """Whether it is the Transform or RectTransform of its GameObject."""
        if self.document is None:
            return self.kind == "Transform"
        return self.document.class_id in TRANSFORMS


@dataclass(slots=True, eq=False)
class GameObject:
    """A GameObject with its components and children.

    Attributes:
        file_id: signed, as the file sees it that is being read.
        active: whether it is active itself, whatever its parents are.
        layer: 0 to 31.
        root_order: among its siblings, in files that say so; else 0.
        removed: by the instance of a prefab.
        path: names from the root, joined by slashes.
        instance_id: 0 until the scene is complete, or if it is not part of it.
    """

    file_id: int
    name: str
    active: bool = True
    tag: str = "Untagged"
    layer: int = 0
    root_order: int = 0
    components: list[Component] = field(default_factory=list)
    children: list[GameObject] = field(default_factory=list)
    parent: GameObject | None = None
    removed: bool = False
    path: str = ""
    instance_id: int = 0

    @property
    def transform(self) -> Component | None:
        """Its first Transform or RectTransform."""
        return next((c for c in self.components if c.is_transform), None)

    def set(self, name: str, value: str) -> None:
        """Set a field of its document; those that no tool shows are passed over."""
        match name:
            case "m_Name":
                self.name = value
            case "m_IsActive":
                self.active = value != "0"
            case "m_TagString":
                self.tag = value
            case "m_Layer":
                self.layer = integer(value)


@dataclass(slots=True)
class Content:
    """What one instance of a scene or prefab holds.

    Attributes:
        scope: its objects by the file ids that name them from outside.
        members: all objects, once each, in the order of the files.
        incomplete: a part could not be read, and one GameObject stands for it.
    """

    roots: list[GameObject]
    scope: Scope
    members: list[GameObject | Component]
    incomplete: bool = False

    def rebase(self, instance: int) -> None:
        """Rename all objects as the file sees them that holds this instance.

        Unity's rule for objects of nested prefabs: both ids xor, 63 bits. So two
        instances of one prefab share no id.
        """
        for member in self.members:
            member.file_id = nested_id(instance, member.file_id)


def nested_id(instance: int, file_id: int) -> int:
    """Return the id by which a file names an object of an instance in it."""
    return (instance ^ file_id) & _ID_BITS


def game_object(document: Document) -> GameObject:
    """Return the GameObject of a document, without components."""
    made = GameObject(document.file_id, text(document.fields.get("m_Name")))
    for name in ("m_IsActive", "m_TagString", "m_Layer"):
        value = document.fields.get(name)
        if isinstance(value, str):
            made.set(name, value)
    return made


def owner_of(found: GameObject | Component | Document | None) -> GameObject | None:
    """Return the GameObject that an object is, or belongs to."""
    if isinstance(found, Component):
        return found.owner
    return found if isinstance(found, GameObject) else None

"""What tools say of a scene."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.assembly import Assembler
from echidna_mcp_plugins.editor.unity.components import type_of
from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import Documents
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.fields import FieldReader
from echidna_mcp_plugins.editor.unity.hierarchy import complete
from echidna_mcp_plugins.editor.unity.layers import Layers
from echidna_mcp_plugins.editor.unity.objects import Component, GameObject
from echidna_mcp_plugins.editor.unity.selection import select

_MOST_PATTERN: Final = 256


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a GameObject must have to be found; None is no condition.

    Attributes:
        component_type: a type as the tools show it, exactly.
        name_pattern: with `*`, `?`, `[abc]`, `[!abc]`; upper and lower case differ.
        layer: 0 to 31.
    """

    component_type: str | None = None
    name_pattern: str | None = None
    tag: str | None = None
    layer: int | None = None

    def __post_init__(self) -> None:
        if self.name_pattern is not None and len(self.name_pattern) > _MOST_PATTERN:
            raise UnityProjectError(
                "validation",
                f"namePattern is longer than {_MOST_PATTERN} characters; shorten it.",
            )


class Scene:
    """A scene with all its prefabs, as it lies on disk.

    Args:
        path: of the scene, from the project's root.
        read: gives the documents of an asset.
        by_guid: paths of assets.
        diagnostics: takes what could not be resolved.

    Raises:
        UnityProjectError: the file of the scene can't be read.
    """

    def __init__(
        self,
        path: str,
        read: Callable[[str], Documents],
        by_guid: Mapping[str, str],
        diagnostics: Diagnostics,
    ) -> None:
        self._path = path
        self._by_guid = by_guid
        self._diagnostics = diagnostics
        self._told: set[str] = set()
        self._roots = Assembler(read, by_guid, diagnostics).assemble(path).roots
        self._objects = complete(self._roots, diagnostics)

    def hierarchy(self) -> list[dict[str, Any]]:
        """Return the roots: name, path, instanceId, components, and children alike."""
        return [self._dump(root) for root in self._roots]

    def matches(self, criteria: Criteria, layers: Layers) -> list[dict[str, Any]]:
        """Return the objects that fulfil all criteria, parents first."""
        found = []
        for each in self._objects:
            if (
                (criteria.tag is not None and each.tag != criteria.tag)
                or (criteria.layer is not None and each.layer != criteria.layer)
                or (
                    criteria.name_pattern is not None
                    and not fnmatch.fnmatchcase(each.name, criteria.name_pattern)
                )
            ):
                continue
            types = self._types(each)
            if criteria.component_type in {None, *types}:
                found.append(
                    {
                        **_named(each),
                        "components": types,
                        "active": each.active,
                        "tag": each.tag,
                        "layer": layers.name(each.layer),
                    }
                )
        return found

    def components(self, path: str) -> list[dict[str, Any]]:
        """Return the components of an object: type, instanceId, serializedFields.

        Raises:
            UnityProjectError: the path leads to no object, or to several.
        """
        chosen = select(self._roots, path, self._path)
        reader = FieldReader(self._by_guid, self._diagnostics)
        return [
            {
                "type": self._type(component),
                "instanceId": component.instance_id,
                "serializedFields": reader.fields(component),
            }
            for component in chosen.components
        ]

    def _dump(self, each: GameObject) -> dict[str, Any]:
        return {
            **_named(each),
            "components": self._types(each),
            "children": [self._dump(child) for child in each.children],
        }

    def _types(self, each: GameObject) -> list[str]:
        return [self._type(component) for component in each.components]

    def _type(self, component: Component) -> str:
        name, problem = type_of(component, self._by_guid)
        if problem and problem not in self._told:
            self._told.add(problem)
            self._diagnostics.add(
                f"A script of {component.owner.path!r} is shown as {name}: {problem}."
            )
        return name


def _named(each: GameObject) -> dict[str, Any]:
    return {"name": each.name, "path": each.path, "instanceId": each.instance_id}

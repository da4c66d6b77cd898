"""The fields of a component as the prefab instances around it change them."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.documents import Reference, integer
from echidna_mcp_plugins.editor.unity.objects import Override, Scope

_MOST_ELEMENTS: Final = 10_000
_ELEMENT: Final = re.compile(r"data\[([0-9]{1,9})\]\Z")
_SIZE: Final = ".size"


@dataclass(frozen=True, slots=True)
class ScopedReference:
    """A reference of another file than that of the component."""

    reference: Reference
    scope: Scope


def overridden(
    fields: Mapping[str, Any], overrides: Sequence[Override]
) -> tuple[Mapping[str, Any], list[str]]:
    """Return fields after all overrides, and the paths of those that fit nowhere.

    Paths are Unity's: `a.b` for a member, `a.Array.data[2]` for an element,
    `a.Array.size` for the number of elements.
    """
    if not overrides:
        return fields, []
    changed: dict[str, Any] = copy.deepcopy(dict(fields))
    failed = [each.path for each in overrides if not _apply(changed, each)]
    return changed, failed


def _apply(fields: dict[str, Any], override: Override) -> bool:
    """Set one field; return whether the path leads to one."""
    steps = _steps(override.path)
    last = steps[-1]
    place: Any = fields
    for step, following in pairwise(steps):
        child = _child(place, step)
        if child == "":  # not there yet, or an element that a new size has made
            child = [] if isinstance(following, int) or following == _SIZE else {}
            _put(place, step, child)
        if not isinstance(child, dict | list):
            return False
        place = child
    if last == _SIZE:
        return isinstance(place, list) and _resize(place, integer(override.value))
    present = _child(place, last)
    refers = isinstance(present, ScopedReference) or (
        isinstance(present, dict) and "fileID" in present
    )
    if refers or (isinstance(present, str) and override.target.file_id):
        _put(place, last, ScopedReference(override.target, override.scope))
    elif isinstance(present, str):
        _put(place, last, override.value)
    else:
        return False
    return True


def _steps(path: str) -> list[str | int]:
    """Return a path as names, indices, and `_SIZE`."""
    steps: list[str | int] = []
    parts = path.split(".")
    for part, before in zip(parts, ["", *parts], strict=False):
        if before == "Array" and (found := _ELEMENT.match(part)):
            steps[-1] = int(found[1])
        elif before == "Array" and part == "size":
            steps[-1] = _SIZE
        else:
            steps.append(part)
    return steps


def _child(place: dict[str, Any] | list[Any], step: str | int) -> Any:
    """Return what is at a step, empty text if it could be set, None if it could not."""
    if isinstance(place, dict) and isinstance(step, str) and step != _SIZE:
        return place.get(step, "")
    if isinstance(place, list) and isinstance(step, int) and step <= len(place):
        return place[step] if step < len(place) else ""
    return None


def _put(place: Any, step: str | int, value: Any) -> None:
    if isinstance(place, list) and step == len(place):
        place.append(value)
    else:
        place[step] = value


def _resize(place: list[Any], size: int) -> bool:
    """Make a list longer by its last element, as Unity does, or shorter."""
    if not 0 <= size <= max(_MOST_ELEMENTS, len(place)):
        return False
    del place[size:]
    place.extend(
        copy.deepcopy(place[-1]) if place else "" for _ in range(size - len(place))
    )
    return True

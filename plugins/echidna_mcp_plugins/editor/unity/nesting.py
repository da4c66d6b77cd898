"""Which GameObject hangs below which, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from echidna_mcp_plugins.editor.unity.objects import GameObject, Scope, owner_of


@dataclass(frozen=True, slots=True)
class Place:
    """Where a GameObject of the file, or the root of a prefab instance, hangs.

    Attributes:
        parent: file id of the transform above it; 0 for none.
        children: file ids of the transforms below it in their order; None for the root
            of an instance, whose children are those of its prefab.
    """

    child: GameObject
    parent: int
    children: tuple[int, ...] | None = None


def nest(
    places: Sequence[Place],
    scope: Scope,
    insert_at: Mapping[int, int],
    root_order: Iterable[GameObject],
    report: Callable[[str], None],
) -> list[GameObject]:
    """Hang all objects of a file below their parents.

    Children are in the order of their parent's `m_Children`; what hangs below an object
    of a prefab is inserted where `insert_at` says, else follows; both by `m_RootOrder`
    where nothing else decides.

    Args:
        insert_at: index among the siblings, by file id of a transform or GameObject.
        root_order: the roots, as far as the file orders them.
        report: takes a sentence, without path and full stop, on what hangs nowhere.

    Returns:
        The objects without parents, ordered.
    """
    for place in places:
        place.child.parent = _parent(place, scope, report)
    _cut_circles(places, report)
    ranks = _ranks(scope, places)
    indices = {
        id(found): index
        for file_id, index in insert_at.items()
        if (found := owner_of(scope.get(file_id))) and index >= 0
    }
    own = {id(place.child) for place in places if place.children is not None}
    last = len(ranks) + max(indices.values(), default=0)
    roots: list[GameObject] = []
    # The sort is stable: what is left undecided stays in the order of the file.
    children = [place.child for place in places]
    for child in sorted(
        children,
        key=lambda c: (
            ranks.get(id(c), last),
            indices.get(id(c), last),
            c.root_order,
        ),
    ):
        if child.parent is None:
            roots.append(child)
        elif id(child.parent) in own or id(child) not in indices:
            child.parent.children.append(child)
        else:
            child.parent.children.insert(indices[id(child)], child)
    order = {id(root): index for index, root in enumerate(root_order)}
    return sorted(roots, key=lambda root: order.get(id(root), len(order)))


def _parent(
    place: Place, scope: Scope, report: Callable[[str], None]
) -> GameObject | None:
    parent = owner_of(scope.get(place.parent)) if place.parent else None
    if place.parent and parent is None:
        report(
            f"{place.child.name!r} hangs below &{place.parent}, which is not known, "
            "and is shown as a root"
        )
    return parent


def _ranks(scope: Scope, places: Iterable[Place]) -> dict[int, int]:
    """Return the index of children among those that their parent lists, by identity."""
    ranks: dict[int, int] = {}
    for place in places:
        for index, file_id in enumerate(place.children or ()):
            child = owner_of(scope.get(file_id))
            if child is not None and child.parent is place.child:
                ranks.setdefault(id(child), index)
    return ranks


def _cut_circles(places: Sequence[Place], report: Callable[[str], None]) -> None:
    """Make a root of what would hang below itself, or below what was removed."""
    placed = {id(place.child) for place in places}
    good: set[int] = set()
    lost: set[int] = set()
    for place in places:
        above = place.child
        passed: set[int] = set()
        while above.parent is not None and not (
            id(above) in good or id(above) in lost or id(above) in passed
        ):
            passed.add(id(above))
            above = above.parent
        if id(above) in passed:
            while id(above) not in placed:
                above = above.parent or place.child
            report(f"{above.name!r} hangs below itself, and is shown as a root")
            above.parent = None
        elif above.removed or id(above) in lost:
            report(
                f"{place.child.name!r} hangs below an object that its prefab instance "
                "removes, and is shown as a root"
            )
            place.child.parent = None
            passed.discard(id(place.child))
            lost |= passed
            passed = {id(place.child)}
        good |= passed

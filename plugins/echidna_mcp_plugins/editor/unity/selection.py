"""One GameObject of a scene, by its path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.objects import GameObject

_MOST_SHOWN: Final = 10


def select(roots: Sequence[GameObject], path: str, scene: str) -> GameObject:
    """Return the object with a path.

    Siblings may share a name: `Parent/Child[1]` is the second child of that name, and
    any name of a path may have such a number. A name that itself looks so goes first.

    Args:
        scene: path of the scene, for messages.

    Raises:
        UnityProjectError: there is none, or several; the message lists these.
    """
    found = [*_matches(roots, path)]
    if exact := [each for each in found if each.path == path]:
        found = exact
    if not found:
        raise UnityProjectError(
            "not_found",
            f"{scene} has no GameObject {path[:200]!r}; scene.hierarchy.dump lists the "
            "paths.",
        )
    if len(found) > 1:
        shown = [repr(_address(each, roots)) for each in found[:_MOST_SHOWN]]
        rest = ", …" if len(found) > _MOST_SHOWN else ""
        raise UnityProjectError(
            "validation",
            f"{scene} has {len(found)} GameObjects {path[:200]!r}; choose one of "
            f"{', '.join(shown)}{rest}.",
        )
    return found[0]


def _matches(roots: Sequence[GameObject], path: str) -> Iterator[GameObject]:
    """Yield the objects that a path may mean, by name or by name and number."""
    waiting: list[tuple[Sequence[GameObject], str]] = [(roots, path)]
    while waiting:
        siblings, rest = waiting.pop()
        before: Counter[str] = Counter()
        for each in siblings:
            numbered = f"{each.name}[{before[each.name]}]"
            before[each.name] += 1
            for form in (each.name, numbered):
                if rest == form:
                    yield each
                # A name may hold a slash itself, so the path can't just be split.
                elif rest.startswith(f"{form}/"):
                    waiting.append((each.children, rest[len(form) + 1 :]))


def _address(each: GameObject, roots: Sequence[GameObject]) -> str:
    """Return a path that means only this object."""
    names: list[str] = []
    node: GameObject | None = each
    while node is not None:
        siblings = node.parent.children if node.parent else roots
        same = [other for other in siblings if other.name == node.name]
        number = f"[{same.index(node)}]" if len(same) > 1 else ""
        names.append(node.name + number)
        node = node.parent
    return "/".join(reversed(names))

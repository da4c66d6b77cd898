"""A complete scene: what can be reached from its roots, with paths and numbers."""

from __future__ import annotations

from typing import Final

from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.objects import GameObject

MOST_ID: Final = (1 << 53) - 1
"""The largest integer that every JSON parser reads exactly (RFC 8259, section 6)."""

_MOST_LEVELS: Final = 200
_MOST_PATH: Final = 4096
_MASK_64: Final = (1 << 64) - 1


def complete(roots: list[GameObject], diagnostics: Diagnostics) -> list[GameObject]:
    """Give paths and instance ids to a scene, and return its objects, parents first.

    What lies deeper than 200 levels, or has a path of more than 4,096 characters, is
    cut off, since few readers of JSON could take it.
    """
    found: list[GameObject] = []
    waiting = [(root, "", 1) for root in reversed(roots)]
    while waiting:
        each, above, level = waiting.pop()
        each.path = f"{above}/{each.name}" if level > 1 else each.name
        found.append(each)
        if each.children and (level == _MOST_LEVELS or len(each.path) > _MOST_PATH):
            diagnostics.add(
                f"The children of {each.path[:80]!r} are not shown, since they lie "
                f"deeper than {_MOST_LEVELS} levels or {_MOST_PATH} characters."
            )
            each.children.clear()
        waiting.extend((child, each.path, level + 1) for child in each.children[::-1])
    numbers = _Numbers()
    for each in found:
        each.instance_id = numbers.take(each.file_id)
    for each in found:
        for component in each.components:
            component.instance_id = numbers.take(component.file_id)
    return found


def fold(file_id: int) -> int:
    """Return a file id as a number up to 2^53 - 1; one that is small stays itself."""
    bits = file_id & _MASK_64
    return (bits ^ bits >> 53) & MOST_ID


class _Numbers:
    """Gives each number once: the wanted one, or the next that is free."""

    def __init__(self) -> None:
        self._next = {0: 1}  # 0 is no object

    def take(self, file_id: int) -> int:
        number = fold(file_id)
        passed = []
        while number in self._next:
            passed.append(number)
            number = self._next[number]
        following = (number + 1) & MOST_ID
        for each in (*passed, number):
            self._next[each] = following
        return number

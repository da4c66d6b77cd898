"""How large the circuits are that a query becomes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from echidna_mcp.solving.expressions import Node, Word
from echidna_mcp.solving.smtlib import Condition
from echidna_mcp.solving.words import BITS

_QUOTIENTS: Final = frozenset({"div", "mod", "sdiv", "smod"})
_WHOLE: Final = BITS * BITS
"""Cells of a multiplier of two whole words."""


def hardness(conditions: Iterable[Condition]) -> int:
    """Return how many whole multipliers conditions have, in quarters.

    Each step of a solver takes as much longer as there is more to propagate.
    """
    cells, seen = 0, set[Node]()
    waiting: list[Node] = [each.word for each in conditions]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        cells += _cells(node)
        if node.op not in ("symbol", "keccak"):
            waiting += (each for each in node.args if isinstance(each, Node))
    return 4 * cells // _WHOLE


def _cells(node: Node) -> int:
    if node.op in ("mul", "fits"):
        one, two = node.args
        return _digits(one) * _digits(two)
    if node.op in _QUOTIENTS:
        # A divider has a row for each bit of what is divided.
        one, two = node.args
        return 2 * _size(one) * _size(two)
    return {"mulmod": 8, "addmod": 2}.get(node.op, 0) * _WHOLE


def _size(word: Word) -> int:
    return word.bit_length() if isinstance(word, int) else word.bits


def _digits(word: Word) -> int:
    """Return how many rows a factor makes: of a constant one for each 1."""
    return word.bit_count() if isinstance(word, int) else word.bits

"""Which conditions a solver is asked for, to have a branch go the other way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echidna_mcp.solving.expressions import Graph, Node, Word
from echidna_mcp.solving.smtlib import Condition
from echidna_mcp.solving.trace import PathItem


def attempts(
    graph: Graph, path: Sequence[PathItem], wanted: Condition
) -> Iterator[tuple[Condition, ...]]:
    """Return what to ask for, one after the other, until something has an answer.

    First all that the wish depends on; then without what held only because a run has to
    be somewhere; last the wish alone, which the path may not allow (QSYM's optimistic
    solving). Conditions that share no input with the wish, nor with one that does, hold
    as they are, since their inputs stay (KLEE's independence).

    Args:
        graph: of the run.
        path: what held before.
        wanted: what is to hold.
    """
    hard = [item.condition for item in path if not item.soft]
    soft = [item.condition for item in path if item.soft]
    soft += _as_hashed(graph, [*hard, *soft, wanted])
    asked: list[tuple[Condition, ...]] = []
    for conditions in ([*hard, *soft], hard, []):
        chosen = _sliced(conditions, wanted)
        if chosen not in asked:
            asked.append(chosen)
            yield chosen


def _as_hashed(graph: Graph, conditions: Sequence[Condition]) -> list[Condition]:
    """Return that what is hashed in conditions stays what it is, since hashes do."""
    found: dict[Node, None] = {}
    for each in conditions:
        found.update(dict.fromkeys(each.word.hashes))
    same: list[Word] = [graph.as_hashed(node) for node in found]
    return [Condition(word, holds=True) for word in same if isinstance(word, Node)]


def _sliced(
    conditions: Sequence[Condition], wanted: Condition
) -> tuple[Condition, ...]:
    """Return the wish with the conditions that share inputs with it, in their order."""
    symbols = wanted.symbols
    left = list(enumerate(conditions))
    chosen: list[tuple[int, Condition]] = []
    grows = True
    while grows:
        grows = False
        others = []
        for number, each in left:
            if each.symbols & symbols:
                if each.symbols & ~symbols:
                    symbols |= each.symbols
                    grows = True
                chosen.append((number, each))
            else:
                others.append((number, each))
        left = others
    chosen.sort(key=lambda pair: pair[0])
    return (*(each for _, each in chosen), wanted)

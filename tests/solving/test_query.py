"""What a solver is asked: what the wish depends on, and ever less of it."""

from __future__ import annotations

from echidna_mcp.solving.expressions import Graph, Node, Symbol, Word
from echidna_mcp.solving.query import attempts
from echidna_mcp.solving.smtlib import Condition, query_of
from echidna_mcp.solving.trace import PathItem

NAMES = ("wish", "near", "far", "other")


def holding(word: Word) -> Condition:
    assert isinstance(word, Node)
    return Condition(word, holds=True)


def test_conditions_that_share_no_input_with_the_wish_are_not_asked_for() -> None:
    graph = Graph()
    wish, near, far, other = (graph.symbol(Symbol(name, 256), 3) for name in NAMES)
    path = [
        PathItem(holding(graph.make("lt", far, 9))),
        PathItem(holding(graph.make("lt", other, 9))),
        PathItem(holding(graph.make("lt", near, far))),
        PathItem(holding(graph.make("eq", near, 3)), soft=True),
        PathItem(holding(graph.make("eq", other, 3)), soft=True),
    ]
    wanted = holding(graph.make("eq", wish, graph.make("add", near, 1)))
    every, hard, alone = attempts(graph, path, wanted)
    conditions = [each.condition for each in path]
    # `far` comes in by `near`: conditions are followed to all that they depend on.
    assert every == (conditions[0], conditions[2], conditions[3], wanted)
    assert hard == (conditions[0], conditions[2], wanted)
    assert alone == (wanted,)
    assert set(query_of(graph, every).names) == {"wish", "near", "far"}


def test_the_same_is_not_asked_twice() -> None:
    graph = Graph()
    wish, other = (graph.symbol(Symbol(name, 256), 3) for name in ("wish", "other"))
    path = [PathItem(holding(graph.make("lt", other, 9)), soft=True)]
    wanted = holding(graph.make("eq", wish, 7))
    assert list(attempts(graph, path, wanted)) == [(wanted,)]

"""What is hashed stays what it is, however deep it stands, unless it is asked for."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak

from echidna_mcp.solving.expressions import Graph, Node, Pieces, Symbol, Word, value_of
from echidna_mcp.solving.query import attempts
from echidna_mcp.solving.smtlib import Condition, query_of
from echidna_mcp.solving.trace import Trace
from echidna_mcp_plugins.solvers.bitwuzla import solve

pytest.importorskip("bitwuzla")

DEEP = 1_500
"""Hashes of hashes: more than Python has frames."""


def hashed(graph: Graph, *words: Word) -> Word:
    data = b"".join(value_of(word).to_bytes(32, "big") for word in words)
    pieces: Pieces = tuple((word, 32) for word in words)
    return graph.keccak(int.from_bytes(keccak(data), "big"), pieces)


def condition(word: Word) -> Condition:
    assert isinstance(word, Node)
    return Condition(word, holds=True)


@pytest.mark.parametrize("field", [0, 1, 2])
def test_the_key_of_a_field_stays_what_it_is(field: int) -> None:
    """`if (x == items[key].field + key)`: only x is to change."""
    graph = Graph()
    key, x = (graph.symbol(Symbol(name, 256), 3) for name in ("key", "x"))
    trace = Trace(graph, 100)
    trace.concrete(graph.make("add", hashed(graph, key, 5), field))
    wanted = condition(graph.make("eq", x, graph.make("add", key, 7)))
    asked = list(attempts(graph, trace.path, wanted))
    query = query_of(graph, asked[0])
    assert solve(query.text, query.names, 20_000).model == {"key": 3, "x": 10}
    # Without what holds only because a run has to be somewhere, anything goes.
    assert query_of(graph, asked[-1]).text.count("assert") == 1


@pytest.mark.parametrize("op", ["sub", "xor"])
def test_a_difference_of_hashes_is_their_comparison(op: str) -> None:
    """`if (one == two)` is a branch on it, as some compilers write it."""
    graph = Graph()
    x, y = (graph.symbol(Symbol(name, 256), 3) for name in ("x", "y"))
    one, two = hashed(graph, x, 5), hashed(graph, y, 5)
    known = value_of(hashed(graph, 8, 5))
    for left, right, other in ((one, two, y), (one, known, 8), (known, one, 8)):
        difference = graph.make(op, left, right)
        assert isinstance(difference, Node)
        same = graph.make("eq", x, other)
        assert graph.truth(difference) is graph.make("iszero", same)
        assert graph.make("iszero", difference) is same
    plain = graph.make(op, x, y)
    assert isinstance(plain, Node)
    assert graph.truth(plain) is plain


def test_a_long_chain_of_hashes_is_compared_to_its_beginning() -> None:
    graph = Graph()
    seed = graph.symbol(Symbol("seed", 256), 9)
    link: Word = seed
    for number in range(DEEP):
        link = hashed(graph, link, number)
    same = graph.make("eq", link, value_of(link))
    assert same is graph.make("eq", seed, 9)
    assert value_of(graph.make("eq", link, hashed(graph, 1, 2))) == 0
    odd = condition(graph.make("iszero", graph.make("and", link, 1)))
    (first, *_) = attempts(graph, [], Condition(odd.word, holds=False))
    assert same in [each.word for each in first]


def test_a_tree_of_hashes_is_compared_once_in_each_node() -> None:
    graph = Graph()
    node: Word = graph.symbol(Symbol("seed", 256), 9)
    for _ in range(200):
        node = hashed(graph, node, node)
    same = graph.make("eq", node, value_of(node))
    assert isinstance(same, Node)
    assert (same.op, same.args[1]) == ("eq", 9)

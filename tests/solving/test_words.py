"""What the solver's interpreter computes is what py-evm computes, and its text says it.

Each operation runs in a real frame of both EVMs. Then the query is asked: with inputs
that differ from those of the run, an expression must be what py-evm makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from campaigns import py_evm
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.evm.backend import BackendConfig, BlockContext, Message, Status
from echidna_mcp.solving.bytestrings import ByteString
from echidna_mcp.solving.calls import CALLS, run_message
from echidna_mcp.solving.code import Code
from echidna_mcp.solving.expressions import Graph, Node, Symbol, Word, value_of
from echidna_mcp.solving.interpreter import Environment
from echidna_mcp.solving.pranking import KeptPranks, Pranking
from echidna_mcp.solving.smtlib import Condition, query_of
from echidna_mcp.solving.state import StartState, State
from echidna_mcp.solving.trace import Trace
from echidna_mcp.solving.words import OPERATIONS
from echidna_mcp_plugins.solvers.bitwuzla import solve

pytest.importorskip("bitwuzla")

OPS = {
    "add": 0x01,
    "mul": 0x02,
    "sub": 0x03,
    "div": 0x04,
    "sdiv": 0x05,
    "mod": 0x06,
    "smod": 0x07,
    "addmod": 0x08,
    "mulmod": 0x09,
    "exp": 0x0A,
    "signextend": 0x0B,
    "lt": 0x10,
    "gt": 0x11,
    "slt": 0x12,
    "sgt": 0x13,
    "eq": 0x14,
    "iszero": 0x15,
    "and": 0x16,
    "or": 0x17,
    "xor": 0x18,
    "not": 0x19,
    "byte": 0x1A,
    "shl": 0x1B,
    "shr": 0x1C,
    "sar": 0x1D,
}
PLACE = 0x1234
BACKEND = py_evm()
BACKEND.load()

interesting = st.sampled_from(
    [0, 1, 2, 3, 7, 8, 31, 32, 255, 256, 257, 10**18]
    + [(1 << bits) + more for bits in (8, 64, 128, 255, 256) for more in (-1, -2)]
)
words = st.one_of(interesting, st.integers(0, (1 << 256) - 1), st.integers(0, 300))


def arity(op: str) -> int:
    if op in ("iszero", "not"):
        return 1
    return 3 if op in ("addmod", "mulmod") else 2


def program(op: str) -> bytes:
    """Return code that applies an operation to the words of its calldata."""
    loads = [bytes([0x60, 32 * at, 0x35]) for at in range(arity(op))]
    return b"".join(reversed(loads)) + bytes([OPS[op]]) + bytes.fromhex("5f5260205ff3")


def on_py_evm(code: bytes, args: Sequence[int]) -> int:
    evm = BACKEND.create(BackendConfig())
    evm.set_account(PLACE, code=code)
    data = b"".join(each.to_bytes(32, "big") for each in args)
    result = evm.call(Message(sender=1, to=PLACE, data=data))
    assert result.status <= Status.RETURN_FALSE
    return int.from_bytes(result.output, "big")


def on_shadow(code: bytes, graph: Graph, args: Sequence[Word]) -> Word:
    trace = Trace(graph, 10_000)
    environment = Environment(
        state=State(StartState({}, BlockContext())),
        trace=trace,
        origin=1,
        number=1,
        time=1,
        gas_price=0,
        most_code=24_576,
        pranks=Pranking(dies=False, kept=KeptPranks()),
        name=lambda data: Code("c", data),
        calls=CALLS,
    )
    environment.state.set_code(PLACE, code)
    marks = {
        32 * number + byte: (each, byte)
        for number, each in enumerate(args)
        if isinstance(each, Node)
        for byte in range(32)
    }
    data = b"".join(value_of(each).to_bytes(32, "big") for each in args)
    outcome = run_message(environment, PLACE, 0, ByteString(data, marks))
    assert outcome.succeeded
    return outcome.output.word(graph, 0)


def says(graph: Graph, conditions: Sequence[Condition]) -> str:
    return solve(query_of(graph, conditions).text, [], 20_000).verdict


def pinned_to(graph: Graph, inputs: Sequence[tuple[Node, int]]) -> list[Condition]:
    """Return that inputs are certain numbers."""
    pinned = []
    for node, value in inputs:
        same = graph.make("eq", node, value)
        assert isinstance(same, Node)
        pinned.append(Condition(same, holds=True))
    return pinned


@pytest.mark.parametrize("op", OPS)
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_an_operation_is_that_of_py_evm(op: str, data: st.DataObject) -> None:
    code = program(op)
    first, then = (
        [data.draw(words) for _ in range(arity(op))] for _ in ("run", "query")
    )
    symbolic = [data.draw(st.booleans()) for _ in first]
    if op == "exp" and symbolic[1]:
        # A wide exponent becomes a number, which other inputs do not change.
        then[1] = first[1]
    graph = Graph()
    args: list[Word] = []
    inputs = []
    for number, value in enumerate(first):
        if symbolic[number]:
            node = graph.symbol(Symbol(f"s{number}", 256), value)
            inputs.append((node, then[number]))
            args.append(node)
        else:
            then[number] = value
            args.append(value)
    result = on_shadow(code, graph, args)
    assert value_of(result) == on_py_evm(code, first)
    expected = on_py_evm(code, then)
    same = graph.make("eq", result, expected)
    if isinstance(same, int):
        assert same == 1
        return
    pinned = pinned_to(graph, inputs)
    assert says(graph, [*pinned, Condition(same, holds=True)]) == "sat"
    assert says(graph, [*pinned, Condition(same, holds=False)]) == "unsat"


def expressions(depth: int) -> st.SearchStrategy[object]:
    leaf = st.one_of(st.sampled_from(["a", "b", "c"]), words)
    if not depth:
        return leaf
    deeper = expressions(depth - 1)
    plain = sorted(set(OPS) - {"exp", "addmod", "mulmod", "div", "mod", "sdiv", "smod"})
    return st.one_of(
        leaf,
        st.sampled_from(plain).flatmap(
            lambda op: st.tuples(st.just(op), *[deeper] * arity(op))
        ),
    )


def built(graph: Graph, tree: object, symbols: dict[str, Node]) -> Word:
    match tree:
        case int():
            return tree
        case str():
            return symbols[tree]
        case (op, *parts):
            return graph.make(str(op), *(built(graph, p, symbols) for p in parts))
    raise AssertionError


def computed(tree: object, values: dict[str, int]) -> int:
    match tree:
        case int():
            return tree
        case str():
            return values[tree]
        case (op, *parts):
            return OPERATIONS[str(op)](*(computed(p, values) for p in parts))
    raise AssertionError


@settings(max_examples=120, deadline=None)
@given(expressions(3), st.tuples(words, words, words), st.tuples(words, words, words))
def test_what_is_simplified_means_the_same(tree, first, then) -> None:
    """For inputs of the run, and for others that a solver may find."""
    kinds = [Symbol("a", 256), Symbol("b", 64), Symbol("c", 64, "signed")]
    graph = Graph()
    values = [
        {
            kind.name: kind.word(value % (1 << kind.width))
            for kind, value in zip(kinds, each, strict=True)
        }
        for each in (first, then)
    ]
    symbols = {s.name: graph.symbol(s, values[0][s.name]) for s in kinds}
    word = built(graph, tree, symbols)
    assert value_of(word) == computed(tree, values[0])
    if isinstance(word, int):
        assert word == computed(tree, values[1])
        return
    pinned = pinned_to(graph, [(n, values[1][s]) for s, n in symbols.items()])
    same = graph.make("eq", word, computed(tree, values[1]))
    if isinstance(same, int):
        assert same == 1
        return
    assert says(graph, [*pinned, Condition(same, holds=False)]) == "unsat"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 96), st.booleans(), words), max_size=5),
    st.integers(0, 96),
)
def test_memory_is_exact_to_the_byte(stores, at) -> None:
    """Overlapping writes of words and bytes, read as a word, against py-evm."""
    code, data = b"", b""
    for number, (offset, is_byte, value) in enumerate(stores):
        code += bytes(
            [0x60, 32 * number, 0x35, 0x60, offset, 0x53 if is_byte else 0x52]
        )
        data += value.to_bytes(32, "big")
    code += bytes([0x60, at, 0x51]) + bytes.fromhex("5f5260205ff3")
    graph = Graph()
    values = [value for _, _, value in stores]
    args = [graph.symbol(Symbol(f"s{n}", 256), v) for n, v in enumerate(values)]
    result = on_shadow(code, graph, args)
    assert value_of(result) == on_py_evm(code, values)
    if isinstance(result, int):
        return
    others = [(value * 3 + 1) % (1 << 256) for value in values]
    expected = on_py_evm(code, others)
    pinned = pinned_to(graph, list(zip(args, others, strict=True)))
    same = graph.make("eq", result, expected)
    assert isinstance(same, Node)
    assert says(graph, [*pinned, Condition(same, holds=False)]) == "unsat"


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[words] * 4), st.booleans(), st.integers(64, 256))
def test_whether_a_product_fits_is_asked_without_a_division(
    values, known, width
) -> None:
    """The check of Solidity's `*`: x == 0 || x * y / x == y."""
    x, y, other_x, other_y = values
    x, other_x = (each % (1 << width) for each in (x, other_x))
    graph = Graph()
    one = graph.symbol(Symbol("x", width), x)
    y = max(2, y) if known else y  # With less there is no product.
    two: Word = y if known else graph.symbol(Symbol("y", 256), y)
    product = graph.make("mul", one, two)
    same = graph.make("eq", two, graph.make("div", product, one))
    word = graph.make("or", graph.make("iszero", one), same)
    assert value_of(word) == int(x * y < 1 << 256)
    if isinstance(word, int):
        return
    assert "div" not in query_of(graph, [Condition(word, holds=True)]).text
    inputs = [(one, other_x)]
    if isinstance(two, Node):
        inputs.append((two, other_y))
    then = y if known else other_y
    pinned = pinned_to(graph, inputs)
    holds = other_x * then < 1 << 256
    assert says(graph, [*pinned, Condition(word, holds=holds)]) == "sat"
    assert says(graph, [*pinned, Condition(word, holds=not holds)]) == "unsat"


def test_what_stands_in_a_hash_alone_is_not_asked_for() -> None:
    """The hash stands for what it is: nothing says what its input shall be."""
    graph = Graph()
    salt = graph.symbol(Symbol("salt", 256), 7)
    amount = graph.symbol(Symbol("amount", 128), 0)
    digest = keccak(value_of(salt).to_bytes(32, "big"))
    asked = graph.make(
        "mod", graph.keccak(int.from_bytes(digest, "big"), [(salt, 32)]), 10**18
    )
    condition = Condition(graph.make("eq", amount, asked), holds=True)
    query = query_of(graph, [condition])
    assert query.names == ("amount",)
    assert condition.symbols == 0b11
    solution = solve(query.text, query.names, 20_000)
    assert solution.verdict == "sat"
    assert solution.model == {"amount": value_of(asked)}

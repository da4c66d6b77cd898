"""Probes: answers to the comparisons of a call, in every mode."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from abi_strategies import parameters
from fuzz_support import calls_in, inputs_of, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.types import Tuple
from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison, ComparisonKind
from echidna_mcp.fuzz.kernels import PLAIN_KERNELS, Kernels, load_kernels
from echidna_mcp.fuzz.layout import CALL_HEADER, FLAG_PAYABLE, MAX_CALL_BYTES
from echidna_mcp.fuzz.probe import (
    COMPARISON_KIND,
    COMPARISON_LEFT,
    COMPARISON_RIGHT,
    COMPARISON_ROW,
    MOST_PROBES,
    PROBE_WORDS,
    PROBED_BYTES,
    PROBING_SEQUENCES,
    SHIFTED_COMPARISONS,
)
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_sender,
    call_time_delay,
    call_value,
    write_header,
)
from echidna_mcp.fuzz.tables import FuzzTables, sequence_capacity
from echidna_mcp.fuzz.tape import FAIL, is_canonical
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    poke256,
    store64,
    words,
)

CEILING = 1 << 256
SENDER = 0x20000
NOISE = 0xAAAA
"""An operand that no input of these tests is near to."""


def equal(left: int, right: int) -> Comparison:
    return Comparison(ComparisonKind.EQUAL, left, right)


def order(left: int, right: int) -> Comparison:
    return Comparison(ComparisonKind.ORDER, left, right)


def log_of(comparisons: Sequence[Comparison]) -> Bytes:
    """Return the ring after these comparisons."""
    log = bytearray(MOST_COMPARISONS * COMPARISON_ROW)
    for number, comparison in enumerate(comparisons):
        row = number % MOST_COMPARISONS * COMPARISON_ROW
        store64(log, row + COMPARISON_KIND, comparison.kind)
        poke256(log, row + COMPARISON_LEFT, comparison.left)
        poke256(log, row + COMPARISON_RIGHT, comparison.right)
    return log


def call_of(*arguments: int, value: int = 0) -> bytes:
    """Return a call record whose tape is these words."""
    record = bytearray(CALL_HEADER)
    length = CALL_HEADER + 32 * len(arguments)
    write_header(record, 0, length, 0, SENDER, value, 60, 5)
    return bytes(record) + b"".join(word.to_bytes(32, "big") for word in arguments)


def arguments_of(record: bytes) -> list[int]:
    memory = bytearray(record)
    return [load256(memory, at) for at in range(CALL_HEADER, len(memory), 32)]


class Chain:
    """Makes the probes of one call, one after the other."""

    def __init__(self, tables: FuzzTables, kernels: Kernels = PLAIN_KERNELS) -> None:
        self._tables, self._kernels = tables, kernels
        self.tried: Words = words([0] * PROBE_WORDS)

    def probe(self, call: bytes, *comparisons: Comparison) -> bytes | None:
        """Return the next one; None after the last."""
        out = bytearray(MAX_CALL_BYTES)
        end = self._kernels.probe_call(
            self._tables,
            log_of(comparisons),
            len(comparisons),
            self.tried,
            bytearray(call),
            0,
            out,
            0,
        )
        return None if end == FAIL else bytes(out[:end])

    def all(self, call: bytes, *comparisons: Comparison) -> list[list[int]]:
        """Return the arguments of all probes of the same call."""
        found = []
        while (probe := self.probe(call, *comparisons)) is not None:
            found.append(arguments_of(probe))
        return found


def first_probe(
    types: Tuple, arguments: Sequence[int], *comparisons: Comparison
) -> list[int] | None:
    probe = Chain(tables_of(types)).probe(call_of(*arguments), *comparisons)
    return None if probe is None else arguments_of(probe)


# ---------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("name", "word", "comparison", "answer"),
    [
        ("uint256", 5, equal(5, 1 << 200), 1 << 200),
        ("uint256", 5, equal(1 << 200, 5), 1 << 200),
        ("uint8", 5, equal(5, 200), 200),
        ("int64", 5, equal(5, CEILING - 77), CEILING - 77),
        ("address", 0x20000, equal(0x20000, 0xBEEF), 0xBEEF),
        ("bool", 0, equal(0, 1), 1),
        ("bytes32", 5 << 248, equal(5 << 248, 6 << 248), 6 << 248),
        ("bytes4", 0x01020304 << 224, equal(0x01020304 << 224, 7 << 224), 7 << 224),
        # Compared as a number of four bytes, and as one of which low bytes are cut off.
        ("bytes4", 0x01020304 << 224, equal(0x01020304, 7), 7 << 224),
        ("bytes20", 0x99 << 248, equal(0x99 << 88, 0x98 << 88), 0x98 << 248),
    ],
)
def test_the_other_operand_takes_the_place_of_an_input(name, word, comparison, answer):
    assert first_probe(inputs_of(name), [word], comparison) == [answer]


def test_an_order_is_answered_with_the_bound_and_its_neighbours():
    probes = Chain(tables_of(inputs_of("uint256"))).all(call_of(5), order(5, 1000))
    assert probes == [[1000], [1001], [999]]


def test_bounds_wrap_around():
    probes = Chain(tables_of(inputs_of("uint256"))).all(call_of(5), order(5, 0))
    assert probes == [[0], [1], [CEILING - 1]]


def test_each_place_that_holds_the_operand_is_tried():
    probes = Chain(tables_of(inputs_of("uint256", "uint256", "uint256"))).all(
        call_of(7, NOISE, 7), order(7, 100)
    )
    assert probes[:2] == [[100, NOISE, 7], [7, NOISE, 100]]


def test_inputs_inside_of_arrays_and_tuples_are_inputs():
    types = inputs_of("uint8[]", "bytes", "uint16[2]")
    tape = [2, 10, 11, 3, 0x616263 << 232, 12, 13]
    answers = {
        11: [2, 10, 99, 3, 0x616263 << 232, 12, 13],
        13: [2, 10, 11, 3, 0x616263 << 232, 12, 99],
    }
    for found, answer in answers.items():
        assert first_probe(types, tape, equal(found, 99)) == answer
    # Three bytes, compared as a number.
    answer = [2, 10, 11, 3, 0x787978 << 232, 12, 13]
    assert first_probe(types, tape, equal(0x616263, 0x787978)) == answer


def test_the_length_of_bytes_is_answered_as_long_as_the_data_stay_the_same_words():
    types, tape = inputs_of("bytes"), [3, 0x616263 << 232]
    assert first_probe(types, tape, equal(3, 31)) == [31, 0x616263 << 232]
    assert first_probe(types, tape, equal(3, 2 * 32)) is None


@pytest.mark.parametrize(
    ("name", "word", "wanted"),
    [
        ("uint8", 5, 5 << 128),
        ("int8", 5, 5 << 128),
        ("address", 5, 1 << 160),
        ("bool", 1, 1 << 200),
        ("bytes4", 1 << 224, 1),
    ],
)
def test_what_is_no_value_of_the_type_is_not_tried(name, word, wanted):
    assert first_probe(inputs_of(name), [word], equal(word, wanted)) is None


def test_the_last_comparison_is_answered_first():
    types = inputs_of("uint256", "uint256")
    assert first_probe(types, [1000, 2000], equal(1000, 7), equal(2000, 8)) == [1000, 8]


def test_what_the_ring_has_lost_is_not_answered():
    types = inputs_of("uint8")
    noise = [order(NOISE, NOISE << 8)] * MOST_COMPARISONS
    assert first_probe(types, [5], equal(5, 6), *noise) is None
    assert first_probe(types, [5], equal(5, 6), *noise[1:]) == [6]


def test_the_value_is_answered_where_it_may_be_sent():
    call = call_of(value=1000)
    payable = tables_of(inputs_of(), flags=[FLAG_PAYABLE], max_value=5000)
    probe = Chain(payable).probe(call, equal(1000, 4321))
    assert probe is not None
    assert call_value(bytearray(probe), 0) == 4321
    assert Chain(payable).probe(call, equal(1000, 5001)) is None
    assert Chain(tables_of(inputs_of())).probe(call, equal(1000, 4321)) is None


def test_a_probe_comes_at_once_from_the_same_sender():
    call = call_of(5, value=3)
    probe = Chain(tables_of(inputs_of("uint256"))).probe(call, equal(5, 6))
    assert probe is not None
    record = bytearray(probe)
    assert (call_time_delay(record, 0), call_block_delay(record, 0)) == (0, 0)
    assert (call_sender(record, 0), call_value(record, 0)) == (SENDER, 3)


# ------------------------------------------------------------------------ differences


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: (x + 12_345) % CEILING,
        lambda x: (x - 12_345) % CEILING,
        lambda x: (12_345 - x) % CEILING,
        lambda x: x ^ (0xABCDEF << 100),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_an_input_is_corrected_by_a_difference(compute, swapped):
    chain, call, goal = Chain(tables_of(inputs_of("uint256"))), call_of(5), 1 << 255
    operands = (goal, compute(5)) if swapped else (compute(5), goal)
    tried = [word for (word,) in chain.all(call, equal(*operands))]
    assert goal in map(compute, tried)
    assert len(tried) <= 3


def test_answers_come_before_corrections():
    types = inputs_of("uint256", "uint256")
    probe = first_probe(types, [1000, 2000], equal(2000, 7), equal(NOISE, NOISE << 8))
    assert probe == [1000, 7]


def test_only_the_last_comparisons_for_equality_make_corrections():
    types, noise = inputs_of("uint256"), [order(NOISE, NOISE << 8)]
    assert first_probe(types, [5], *noise) is None
    useful = equal(NOISE, NOISE + 3)
    assert first_probe(types, [5], useful, *noise * SHIFTED_COMPARISONS) is None
    assert first_probe(types, [5], useful, *noise * (SHIFTED_COMPARISONS - 1))


# ----------------------------------------------------------------------------- chains


def test_a_chain_goes_on_from_probe_to_probe():
    chain = Chain(tables_of(inputs_of("uint128", "bytes4")))
    first = chain.probe(call_of(5, 1 << 224), equal(5, 99))
    assert first is not None
    second = chain.probe(first, equal(1 << 224, 0xC0DE << 224))
    assert second is not None
    assert arguments_of(second) == [99, 0xC0DE << 224]


def test_nothing_is_tried_twice():
    chain = Chain(tables_of(inputs_of("bool")))
    first = chain.probe(call_of(0), equal(0, 1))
    assert first is not None
    back = chain.probe(first, equal(1, 0))
    assert back is not None
    assert chain.probe(back, equal(0, 1)) is None


def test_a_call_is_not_its_own_probe():
    payable = tables_of(inputs_of("uint256"), flags=[FLAG_PAYABLE])
    chain, call = Chain(payable), call_of(1, value=1)
    while (probe := chain.probe(call, order(1, 0))) is not None:
        assert (arguments_of(probe), call_value(bytearray(probe), 0)) != ([1], 1)
    # 0 and the largest word in the argument, 0 in the value; answers for 0 are none.
    assert chain.tried[0] == 3


def test_a_chain_has_an_end():
    chain, call = Chain(tables_of(inputs_of("uint256"))), call_of(0)
    for number in range(MOST_PROBES):
        found = chain.probe(call, equal(number, number + 1))
        assert found is not None
        call = found
    assert chain.probe(call, equal(MOST_PROBES, 0)) is None
    chain.tried[0] = 0
    assert chain.probe(call, equal(MOST_PROBES, 0)) is not None


def test_only_the_first_words_of_a_long_call_are_probed():
    size = (PROBED_BYTES - CALL_HEADER) // 32
    types = inputs_of(f"uint256[{size + 1}]")
    assert first_probe(types, [*[1] * size, 5], order(5, 6)) is None
    assert first_probe(types, [*[1] * (size - 1), 5, 1], order(5, 6)) is not None


# ------------------------------------------------------------------------------ modes


@pytest.fixture(scope="module", params=["compiled", "checked"])
def kernels(request) -> Kernels:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ECHIDNA_MCP_KERNELS", request.param)
        return load_kernels()


def random_comparisons(words_in: Sequence[int]) -> st.SearchStrategy[list[Comparison]]:
    """Comparisons of which many have an input, or a part of one, as operand."""
    parts = [word >> shift for word in words_in for shift in (0, 96, 224, 248)]
    operand = st.one_of(st.sampled_from([0, *parts]), st.integers(0, CEILING - 1))
    kind = st.sampled_from(ComparisonKind)
    comparison = st.builds(Comparison, kind, operand, operand)
    return st.lists(
        comparison.filter(lambda each: each.left != each.right),
        max_size=MOST_COMPARISONS + 6,
    )


@settings(max_examples=60)
@given(parameters(), st.integers(0, 2**64 - 1), st.data())
def test_probes_are_the_same_in_all_modes_and_are_calls(kernels, inputs, seed, data):
    tables = tables_of(inputs, flags=[FLAG_PAYABLE], seq_len=1)
    out = bytearray(sequence_capacity(1))
    end = PLAIN_KERNELS.build_sequence(
        tables, stream(seed), bytearray(), words([]), 0, out
    )
    calls = [bytes(out[:end])] * 2
    comparisons = data.draw(random_comparisons(arguments_of(calls[0])[:6]))
    chains = [Chain(tables), Chain(tables, kernels)]
    while True:
        probes = [
            chain.probe(call, *comparisons)
            for chain, call in zip(chains, calls, strict=True)
        ]
        assert probes[0] == probes[1]
        assert chains[0].tried == chains[1].tried
        if probes[0] is None:
            break
        record = bytearray(probes[0])
        assert len(record) == end
        assert record != calls[0]
        node = node_of(tables, call_function(record, 0))
        assert is_canonical(tables.types, node, record, CALL_HEADER, end)
        calls = [probe or b"" for probe in probes]
    assert chains[0].tried[0] <= MOST_PROBES


def test_one_sequence_in_so_many_probes_from_any_of_its_calls_on(kernels):
    tables = tables_of(inputs_of("uint8"), seq_len=5)
    rng, other = stream(3), stream(3)
    out = bytearray(sequence_capacity(5))
    end = PLAIN_KERNELS.build_sequence(tables, rng, bytearray(), words([]), 0, out)
    assert len(list(calls_in(out, end))) == 5
    other[:] = rng
    chosen = [kernels.choose_probes(rng, out, end) for _ in range(2_000)]
    assert chosen == [PLAIN_KERNELS.choose_probes(other, out, end) for _ in chosen]
    assert set(chosen) == set(range(6))
    share = 2_000 / PROBING_SEQUENCES
    assert 0.8 * share < sum(each > 0 for each in chosen) < 1.2 * share

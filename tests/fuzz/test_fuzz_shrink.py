from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from abi_strategies import parameters
from fuzz_support import (
    SENDERS,
    calls_in,
    inputs_of,
    node_of,
    sequence_measure,
    shrink,
    stream,
    tables_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.encoding import decode_arguments, encode_arguments
from echidna_mcp.abi.types import Tuple, parse_parameters
from echidna_mcp.fuzz.calldata import decode_calldata, encode_calldata
from echidna_mcp.fuzz.kernels.loading import load_kernels
from echidna_mcp.fuzz.ladders.chunks import (
    SIZE_BITS,
    SIZE_MASK,
    chunk_at,
    chunk_slots,
    step_at,
    step_slots,
)
from echidna_mcp.fuzz.ladders.near import (
    MODULI,
    MODULI_COUNT,
    WIDTHS,
    WIDTHS_COUNT,
    bit_lower,
    near_at,
    near_slots,
)
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_length,
    call_sender,
    call_time_delay,
    call_value,
    write_header,
)
from echidna_mcp.fuzz.rename import rename_sender
from echidna_mcp.fuzz.sequence import build_sequence
from echidna_mcp.fuzz.shrink_value import NO_MORE, UNCHANGED
from echidna_mcp.fuzz.tables import FuzzTables, calldata_capacity, sequence_capacity
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import Bytes, words

shrink_candidate = load_kernels().shrink_candidate


def record(
    tables: FuzzTables,
    inputs: Tuple,
    arguments: tuple[Any, ...],
    *,
    function: int = 0,
    sender: int = SENDERS[0],
    value: int = 0,
    delays: tuple[int, int] = (0, 0),
) -> bytes:
    data = bytearray(encode_arguments(inputs, arguments))
    out = bytearray(MAX_CALL_BYTES)
    node = node_of(tables, function)
    end = decode_calldata(tables.types, node, data, 0, len(data), out, CALL_HEADER)
    write_header(out, 0, end, function, sender, value, *delays)
    return bytes(out[:end])


def arguments(tables: FuzzTables, inputs: Tuple, memory: Bytes, at: int = 0) -> Any:
    data = bytearray(calldata_capacity(tables.types))
    node = node_of(tables, call_function(memory, at))
    end = encode_calldata(tables.types, node, memory, at + CALL_HEADER, data, 0)
    return decode_arguments(inputs, bytes(data[:end]))


def shrink_arguments(
    names: tuple[str, ...],
    start: tuple[Any, ...],
    fails: Callable[..., bool],
) -> tuple[Any, int]:
    """Shrink one call; `fails` gets its arguments."""
    inputs = inputs_of(*names)
    tables = tables_of(inputs)
    result, attempts = shrink(
        tables,
        record(tables, inputs, start),
        lambda memory, _: fails(*arguments(tables, inputs, memory)),
    )
    return arguments(tables, inputs, result), attempts


@settings(max_examples=60, deadline=None)
@given(
    st.lists(parameters(), min_size=1, max_size=3),
    st.integers(0, 2**64 - 1),
    st.integers(1, 4),
    st.booleans(),
)
def test_every_candidate_is_canonical_and_strictly_simpler(
    inputs: list[Tuple], seed: int, length: int, coupled: bool
):
    tables = tables_of(
        *inputs, flags=[1] * len(inputs), seq_len=length, coupled=coupled
    )
    memory = bytearray(sequence_capacity(length))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, memory)
    before, source = sequence_measure(tables, memory, end), bytes(memory[:end])
    index = tried = 0
    while True:
        out = bytearray(b"\xaa" * (end + 32))
        stop = shrink_candidate(tables, memory, end, index, out)
        assert memory[:end] == source
        if stop == NO_MORE:
            break
        if stop != UNCHANGED:
            tried += 1
            assert set(out[max(stop, end) :]) == {0xAA}
            check(tables, out, stop)
            assert sequence_measure(tables, out, stop) < before
        index += 1 + index // 100
    assert shrink_candidate(tables, memory, end, index + 1, out) == NO_MORE
    assert tried or before[0] == 1


def check(tables: FuzzTables, memory: Bytes, end: int) -> None:
    for at in calls_in(memory, end):
        node = node_of(tables, call_function(memory, at))
        stop = at + call_length(memory, at)
        assert is_canonical(tables.types, node, memory, at + CALL_HEADER, stop)


@settings(max_examples=30, deadline=None)
@given(parameters(), st.integers(0, 2**64 - 1), st.booleans())
def test_anything_shrinks_to_the_simplest_call(inputs: Tuple, seed: int, coupled: bool):
    tables = tables_of(inputs, flags=[1], seq_len=3, coupled=coupled)
    memory = bytearray(sequence_capacity(3))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, memory)
    result, _ = shrink(tables, bytes(memory[:end]), lambda _, stop: stop > 0)
    count, size, lengths, leaves = sequence_measure(tables, result, len(result))
    assert (count, lengths, leaves) == (1, 0, 0)
    assert size == call_length(result, 0)
    assert shrink_candidate(tables, result, len(result), 10**6, memory) == NO_MORE


@pytest.mark.parametrize("start", [1235, 5000, 10**18, 2**255, 2**256 - 1])
def test_an_integer_is_found_in_few_attempts(start: int):
    found, attempts = shrink_arguments(("uint256",), (start,), lambda x: x > 1234)
    assert found == (1235,)
    assert attempts < 160


@given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
@settings(max_examples=40, deadline=None)
def test_any_threshold_is_found_exactly(one: int, two: int):
    low, start = sorted((one, two))
    found, attempts = shrink_arguments(("uint256",), (start,), lambda x: x >= low)
    assert found == (low,)
    assert attempts < 1200


@pytest.mark.parametrize(
    ("start", "fails", "result"),
    [
        (-(2**127), lambda x: x < -100, -101),
        (-(2**127), lambda x: abs(x) > 100, 101),
        (-7, lambda x: x != 0, 1),
        (2**127 - 1, lambda x: x > 5, 6),
        (-1, lambda _: True, 0),
    ],
)
def test_signed_integers_go_towards_zero_and_become_positive(
    start: int, fails: Callable[[int], bool], result: int
):
    found, attempts = shrink_arguments(("int128",), (start,), fails)
    assert found == (result,)
    assert attempts < 100


def test_related_arguments_stay_related():
    found, _ = shrink_arguments(
        ("uint256", "uint256"), (10**20, 10**19), lambda a, b: a > b > 1000
    )
    assert found == (1002, 1001)


def test_bytes_keep_what_matters_only():
    found, attempts = shrink_arguments(
        ("bytes",), (bytes(range(1, 200)),), lambda b: b"\x40" in b and len(b) > 2
    )
    assert sorted(found[0]) == [0, 0, 0x40]
    assert attempts < 200


def test_fixed_bytes_keep_what_matters_only():
    found, _ = shrink_arguments(("bytes8",), (b"abcdefgh",), lambda b: b[2:4] == b"cd")
    assert found == (b"\0\0cd\0\0\0\0",)


def test_arrays_keep_what_matters_only():
    found, attempts = shrink_arguments(
        ("uint256[]",), (tuple(range(500, 532)),), lambda a: sum(x > 510 for x in a) > 1
    )
    assert found == ((511, 511),)
    assert attempts < 420


def test_nested_arrays_are_shrunk_inside():
    found, _ = shrink_arguments(
        ("string[][2]", "bool"),
        (((b"abc", b"d"), (b"efg", b"needle", b"h")), True),
        lambda s, _: any(b"need" in x for x in s[1]),
    )
    assert found == (((), (b"need",)), False)


def test_addresses_become_zero_or_the_first_sender_that_works():
    zero, _ = shrink_arguments(("address",), (0xABCDEF,), lambda _: True)
    sender, _ = shrink_arguments(("address",), (0xABCDEF,), lambda a: a != 0)
    later, _ = shrink_arguments(("address",), (SENDERS[2],), lambda a: a > SENDERS[0])
    kept, _ = shrink_arguments(("address",), (0xABCDEF,), lambda a: a > SENDERS[2])
    assert (zero, sender, later, kept) == (
        (0,),
        (SENDERS[0],),
        (SENDERS[1],),
        (0xABCDEF,),
    )


def test_header_fields_become_minimal():
    inputs = inputs_of()
    tables = tables_of(inputs, flags=[1])
    start = record(
        tables, inputs, (), sender=SENDERS[2], value=10**20, delays=(500_000, 60_000)
    )
    result, attempts = shrink(
        tables,
        start,
        lambda m, _: (
            call_value(m, 0) >= 3
            and call_time_delay(m, 0) > 86_400
            and call_sender(m, 0) != SENDERS[0]
        ),
    )
    assert call_value(result, 0) == 3
    assert (call_time_delay(result, 0), call_block_delay(result, 0)) == (86_401, 0)
    assert call_sender(result, 0) == SENDERS[1]
    assert attempts < 220


@pytest.mark.parametrize("sender", [*SENDERS, 0xABCDEF])
@pytest.mark.parametrize(
    ("kind", "wrapped"),
    [
        ("address", lambda a: a),
        ("address[]", lambda a: (7, a, a)),
        ("address[2][]", lambda a: ((8, 9), (a, 9))),
    ],
)
def test_a_sender_that_an_argument_names_becomes_the_first_in_both_places(
    sender: int, kind: str, wrapped: Callable[[int], Any]
):
    inputs = inputs_of("uint256[]", kind, "string")
    tables = tables_of(inputs)
    start = record(tables, inputs, ((1, 2), wrapped(sender), b"x"), sender=sender) * 2

    def named(value: Any) -> set[int]:
        return set().union(*map(named, value)) if isinstance(value, tuple) else {value}

    def fails(memory: Bytes, end: int) -> bool:
        return any(
            call_sender(memory, at) in named(arguments(tables, inputs, memory, at)[1])
            for at in calls_in(memory, end)
        )

    result, attempts = shrink(tables, start, fails)
    assert list(calls_in(result, len(result))) == [0]
    assert call_sender(result, 0) == SENDERS[0]
    left = named(arguments(tables, inputs, result)[1])
    assert left
    assert left <= {0, SENDERS[0]}
    assert attempts < 60


def test_members_of_tuples_are_renamed_with_the_sender():
    members = [{"type": "bool"}, {"type": "address"}]
    pair = {"type": "tuple[]", "components": members}
    inputs = parse_parameters([pair, {"type": "bytes"}])
    tables = tables_of(inputs)
    packed = SENDERS[2].to_bytes(32, "big")
    values = (((True, 0), (False, SENDERS[2])), packed)
    start = bytearray(record(tables, inputs, values, sender=SENDERS[2]))
    rename_sender(tables, start, len(start), SENDERS[2], SENDERS[1])
    assert call_sender(start, 0) == SENDERS[1]
    # What only looks like an address is none.
    renamed = (((True, 0), (False, SENDERS[1])), packed)
    assert arguments(tables, inputs, start) == renamed


def test_two_senders_that_must_differ_become_the_first_two():
    inputs = inputs_of("address", "address")
    tables = tables_of(inputs)
    one, other = SENDERS[2], SENDERS[1]
    approve = record(tables, inputs, (other, 7), sender=one)
    take = record(tables, inputs, (one, 7), sender=other)

    def fails(memory: Bytes, end: int) -> bool:
        calls = list(calls_in(memory, end))
        if len(calls) != 2:
            return False
        (owner, spender), named = (
            [call_sender(memory, at) for at in calls],
            [arguments(tables, inputs, memory, at)[0] for at in calls],
        )
        return owner != spender and named == [spender, owner]

    result, _ = shrink(tables, approve + take, fails)
    senders = {call_sender(result, at) for at in calls_in(result, len(result))}
    assert senders == {SENDERS[0], SENDERS[1]}
    assert [arguments(tables, inputs, result, at)[1] for at in (0, len(approve))] == [
        0,
        0,
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(parameters(), min_size=1, max_size=3),
    st.integers(0, 2**64 - 1),
    st.sampled_from(SENDERS),
)
def test_renaming_changes_addresses_and_nothing_else(
    inputs: list[Tuple], seed: int, old: int
):
    tables = tables_of(*inputs, seq_len=4)
    memory = bytearray(sequence_capacity(4))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, memory)
    new, unused = SENDERS[0], 0xABCDEF
    source = bytes(memory[:end])
    rename_sender(tables, memory, end, old, unused)
    check(tables, memory, end)
    before = sequence_measure(tables, bytearray(source), end)
    assert sequence_measure(tables, memory, end)[:3] == before[:3]
    senders = {call_sender(memory, at) for at in calls_in(memory, end)}
    assert old not in senders
    # And back: no two names were mixed up, and nothing else was touched.
    rename_sender(tables, memory, end, unused, old)
    assert bytes(memory[:end]) == source
    rename_sender(tables, memory, end, old, new)
    assert sequence_measure(tables, memory, end) <= before


def steps(tables: FuzzTables, functions: list[int], **header: Any) -> bytes:
    inputs = inputs_of("uint256")
    return b"".join(
        record(tables, inputs, (7,), function=f, **header) for f in functions
    )


@pytest.mark.parametrize("length", [3, 10, 50, 100])
def test_a_three_step_bug_shrinks_to_its_three_steps(length: int):
    inputs = inputs_of("uint256")
    tables = tables_of(*[inputs] * 5)
    chosen = [(index * 7 + 3) % 5 for index in range(length)]
    chosen[0], chosen[length // 2], chosen[-1] = 0, 1, 2

    def fails(memory: Bytes, end: int) -> bool:
        wanted = iter([0, 1, 2])
        goal = next(wanted)
        for at in calls_in(memory, end):
            if call_function(memory, at) == goal:
                if goal == 2:
                    return True
                goal = next(wanted)
        return False

    result, attempts = shrink(tables, steps(tables, chosen), fails)
    found = [call_function(result, at) for at in calls_in(result, len(result))]
    assert found == [0, 1, 2]
    assert attempts < 40 + 5 * length


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(0, 4095))
@settings(max_examples=60, deadline=None)
def test_no_single_call_of_the_result_can_be_left_out(chosen: list[int], mask: int):
    inputs = inputs_of("uint256")
    tables = tables_of(*[inputs] * 5)
    needed = sorted(f for i, f in enumerate(chosen) if mask >> i & 1)

    def functions(memory: Bytes, end: int) -> list[int]:
        return [call_function(memory, at) for at in calls_in(memory, end)]

    def fails(memory: Bytes, end: int) -> bool:
        rest = functions(memory, end)
        for function in needed:
            if function not in rest:
                return False
            rest.remove(function)
        return True

    result, _ = shrink(tables, steps(tables, chosen), fails)
    found = functions(result, len(result))
    assert sorted(found) == needed or (not needed and len(found) == 1)


def test_delays_of_a_removed_call_go_to_the_next():
    inputs = inputs_of("uint256")
    tables = tables_of(*[inputs] * 3)
    start = steps(tables, [0, 1, 1, 2], delays=(100, 10))

    def fails(memory: Bytes, end: int) -> bool:
        total = sum(call_time_delay(memory, at) for at in calls_in(memory, end))
        last = [call_function(memory, at) for at in calls_in(memory, end)][-1]
        return total >= 350 and last == 2

    result, _ = shrink(tables, start, fails)
    assert [call_function(result, at) for at in calls_in(result, len(result))] == [2]
    assert (call_time_delay(result, 0), call_block_delay(result, 0)) == (350, 0)


def test_nothing_is_tried_for_an_empty_sequence():
    tables = tables_of(inputs_of())
    assert shrink_candidate(tables, bytearray(), 0, 0, bytearray(8)) == NO_MORE


@settings(deadline=None)
@given(st.integers(2, 300))
def test_chunks_cover_a_run_at_every_power_of_two(count: int):
    seen: dict[int, list[tuple[int, int]]] = {}
    order = []
    for slot in range(chunk_slots(count)):
        packed = chunk_at(count, slot)
        start, size = packed >> SIZE_BITS, packed & SIZE_MASK
        assert 1 <= size < count
        seen.setdefault((slot and order[-1][0] < start), []).append((start, size))
        order.append((start, size))
    singles = order[-count:]
    assert singles == [(index, 1) for index in range(count)]
    covered = [index for start, size in order for index in range(start, start + size)]
    levels = (count - 1).bit_length()
    assert sorted(covered) == sorted(list(range(count)) * levels)
    assert order[0][1] * 2 >= count


@settings(deadline=None)
@given(st.integers(0, 2**256 - 1))
def test_steps_are_smaller_and_end_with_one_less(value: int):
    found = [step_at(value, slot) for slot in range(step_slots(value))]
    assert all(0 <= step < value for step in found)
    if value:
        assert found[0] == 0
        assert found[-1] == value - 1


@pytest.mark.parametrize(
    ("fails", "result"),
    [
        (lambda x: x % 11 == 3, 3),
        (lambda x: x % 64 == 37, 37),
        (lambda x: x % 1000 == 999, 999),
        (lambda x: x % 2 == 0 and x > 500, 502),
        (lambda x: x & 0x8010 == 0x8010, 0x8010),
    ],
)
def test_conditions_on_remainders_and_bits_get_small_numbers(
    fails: Callable[[int], bool], result: int
):
    start = next(x for x in range(2**255 + 12345, 2**256) if fails(x))
    found, attempts = shrink_arguments(("uint256",), (start,), fails)
    assert found == (result,)
    assert attempts < 250


@given(st.integers(0, 2**256 - 1))
def test_no_number_is_followed_in_small_steps(value: int):
    # Whatever is accepted at one slot, again and again, has an end soon.
    for slot in range(near_slots(value)):
        left, successes = value, 0
        while (less := near_at(left, slot)) != left:
            assert less < left
            left, successes = less, successes + 1
        assert successes <= 256


@given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_bits_find_any_threshold_in_one_pass(one: int, two: int):
    low, value = sorted((one, two))
    number = 0
    while (less := bit_lower(value, number)) != value:
        value, number = (less, number) if less >= low else (value, number + 1)
    assert value == low


def test_the_numbers_of_moduli_and_widths_are_theirs():
    assert (len(MODULI), len(WIDTHS)) == (MODULI_COUNT, WIDTHS_COUNT)
    assert list(MODULI) == sorted(MODULI)


def test_equal_lengths_shrink_together_also_in_two_calls():
    inputs = inputs_of("uint256[]", "bytes")
    tables = tables_of(inputs)
    start = record(tables, inputs, ((5, 6, 7), b"abc")) + record(
        tables, inputs, ((1, 2, 3), b"abcde")
    )

    def fails(memory: Bytes, end: int) -> bool:
        calls = list(calls_in(memory, end))
        if len(calls) != 2:
            return False
        (a, b), (c, _) = (arguments(tables, inputs, memory, at) for at in calls)
        return len(a) == len(b) == len(c) > 1

    result, _ = shrink(tables, start, fails)
    found = [
        arguments(tables, inputs, result, at) for at in calls_in(result, len(result))
    ]
    assert found == [((0, 0), b"\0\0"), ((0, 0), b"")]

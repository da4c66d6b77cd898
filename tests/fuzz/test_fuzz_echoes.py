"""Echoes and keys: fresh calls with arguments of a call before."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from abi_strategies import abi_types
from fuzz_support import SENDERS, calls_in, inputs_of, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.type_program import NODE_ARG, NODE_NEXT, NODE_WORDS
from echidna_mcp.abi.types import AbiType, Tuple, type_name
from echidna_mcp.fuzz.echoes import ALL, WIDE_KEYS, echo, echo_keys, likeliest
from echidna_mcp.fuzz.echoes import KEYS as KEYS_ALONE
from echidna_mcp.fuzz.generate import generate_call
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.parts import append_fresh
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    call_sender,
    override_length,
    plain_length,
)
from echidna_mcp.fuzz.tables import FuzzTables, sequence_capacity
from echidna_mcp.fuzz.tape import is_canonical, skip
from echidna_mcp.kernel.language.memory import Bytes

Seed = st.integers(0, 2**64 - 1)


@st.composite
def kindred(draw: st.DrawFn) -> list[Tuple]:
    """Parameter lists of two functions that have types in common."""
    pool = draw(st.lists(abi_types(), min_size=1, max_size=4))
    lists = st.lists(st.sampled_from(pool), max_size=6)
    return [parameters_of(draw(lists)) for _ in range(2)]


def parameters_of(types: list[AbiType]) -> Tuple:
    return Tuple(tuple(types), tuple(f"p{number}" for number in range(len(types))))


def arguments_of(tables: FuzzTables, memory: Bytes, at: int) -> list[bytes]:
    """Return the tape of each argument of the call at `at`."""
    node = node_of(tables, call_function(memory, at))
    end = at + CALL_HEADER
    child, found = node + NODE_WORDS, []
    for _ in range(tables.types[node + NODE_ARG]):
        start, end = end, skip(tables.types, child, memory, end)
        found.append(bytes(memory[start:end]))
        child = tables.types[child + NODE_NEXT]
    assert end == at + plain_length(memory, at)
    return found


def matches_of(mine: Tuple, theirs: Tuple, *, widths: bool = False) -> dict[int, int]:
    """Return which parameter of `theirs` each of `mine` has the type of, in order."""
    found: dict[int, int] = {}
    names = [type_name(each) for each in theirs.members]
    first = 0
    for number, each in enumerate(mine.members):
        left = range(first, len(names))
        same = [other for other in left if names[other] == type_name(each)]
        if not same and widths and is_unsigned(type_name(each)):
            same = [
                other
                for other in left
                if is_unsigned(names[other])
                and "uint256" in {names[other], type_name(each)}
            ]
        if same:
            found[number] = same[0]
            first = same[0] + 1
    return found


def is_unsigned(name: str) -> bool:
    return name.startswith("uint") and not name.endswith("]")


def two_calls(
    inputs: list[Tuple], seed: int, **settings: Any
) -> tuple[FuzzTables, bytearray, int, bytearray, int]:
    """Return calls of both functions, before and after an echo, and their ends."""
    tables = tables_of(*inputs, seq_len=2, **settings)
    rng = stream(seed)
    before = bytearray(sequence_capacity(2))
    pos = generate_call(tables, rng, 0, before, 0)
    end = generate_call(tables, rng, 1, before, pos)
    after = before[:]
    stop = echo(tables, rng, 0, after, pos)
    assert after[:pos] == before[:pos]
    assert stop == pos + call_length(after, pos)
    return tables, before, end, after, stop


@settings(deadline=None)
@given(kindred(), Seed)
def test_arguments_are_copied_whole_from_parameters_of_the_same_type(
    inputs: list[Tuple], seed: int
):
    tables, before, _, after, stop = two_calls(inputs, seed)
    pos = call_length(after, 0)
    node = node_of(tables, 1)
    assert is_canonical(tables.types, node, after, pos + CALL_HEADER, stop)
    theirs, mine = (arguments_of(tables, before, at) for at in (0, pos))
    matches = matches_of(inputs[1], inputs[0])
    copied = [
        theirs[matches[number]] if number in matches else each
        for number, each in enumerate(mine)
    ]
    found = arguments_of(tables, after, pos)
    single = [[*mine[:n], copied[n], *mine[n + 1 :]] for n in matches]
    assert found in [copied, *single]
    assert call_sender(after, pos) in {call_sender(before, at) for at in (0, pos)}


def test_all_or_one_are_copied_and_the_sender_half_of_the_time():
    inputs = [
        inputs_of("bytes32", "bytes", "bytes32"),
        inputs_of("bytes32", "address", "bytes32", "bytes32"),
    ]
    seen: Counter[tuple[bool, ...]] = Counter()
    senders = others = 0
    for seed in range(400):
        tables, before, _, after, _ = two_calls(inputs, seed, dictionary=())
        pos = call_length(after, 0)
        theirs, mine = (arguments_of(tables, after, at) for at in (0, pos))
        seen[tuple(each in theirs for each in mine)] += 1
        if call_sender(before, 0) != call_sender(before, pos):
            others += 1
            senders += call_sender(after, pos) == call_sender(after, 0)
    # Two of the earlier call are left, so the last one has none.
    # Simple values, as 0, are equal now and then.
    assert {which for which, times in seen.items() if times > 40} == {
        (True, False, True, False),
        (True, False, False, False),
        (False, False, True, False),
    }
    assert others / 3 < senders < others * 2 / 3


@pytest.mark.parametrize("names", [(), ("uint256", "bytes"), ("string", "uint8[]")])
def test_a_call_without_a_matching_parameter_is_about_none_before(
    names: tuple[str, ...],
):
    inputs = [inputs_of("uint128", "string[]", "uint8[2]"), inputs_of(*names)]
    for seed in range(50):
        tables, before, _, _, _ = two_calls(inputs, seed)
        pos = call_length(before, 0)
        assert likeliest(tables, stream(seed), 1, before, pos) == pos
        alike, calls, _, _, _ = two_calls([inputs[0], inputs[0]], seed)
        assert likeliest(alike, stream(seed), 1, calls, call_length(calls, 0)) == 0


def test_what_would_be_too_long_is_not_copied():
    long, room = "bytes32[]", (MAX_CALL_BYTES - CALL_HEADER) // 32
    inputs = [inputs_of(long), inputs_of(f"uint256[{room - 4}]", long)]
    lengths = set()
    for seed in range(100):
        tables, _, _, after, stop = two_calls(inputs, seed)
        pos = call_length(after, 0)
        assert stop - pos <= MAX_CALL_BYTES
        lengths.add(len(arguments_of(tables, after, pos)[1]) // 32 - 1)
    assert lengths <= {0, 1, 2, 3}


def test_a_call_keeps_its_override():
    inputs = [inputs_of("bytes", "uint256"), inputs_of("uint256", "bytes")]
    shares = {"overriding": 1000, "callees": (0, 0), "dictionary": ()}
    changed = 0
    for seed in range(100):
        _, before, end, after, stop = two_calls(inputs, seed, **shares)
        pos = call_length(after, 0)
        size = override_length(after, pos)
        assert size != 0
        assert after[stop - size : stop] == before[end - size : end]
        changed += after[pos:stop] != before[pos:end]
    assert changed > 50


def texts_of(arguments: list[bytes]) -> list[bytes]:
    """Return what stands in arguments that are texts."""
    return [each[32 : 32 + int.from_bytes(each[:32], "big")] for each in arguments]


def shifted(
    inputs: list[Tuple], seed: int, **settings: Any
) -> tuple[list[bytes], list[bytes]]:
    """Return the arguments of an echo without shifts, and with them."""
    found = []
    for shifts in (False, True):
        tables, before, end, after, stop = two_calls(
            inputs, seed, shifts=shifts, **settings
        )
        pos = call_length(after, 0)
        node = node_of(tables, 1)
        tape = stop - override_length(after, pos)
        assert is_canonical(tables.types, node, after, pos + CALL_HEADER, tape)
        size = override_length(before, pos)
        assert after[stop - size : stop] == before[end - size : end]
        assert stop - pos <= MAX_CALL_BYTES
        found.append(arguments_of(tables, after, pos))
    return found[0], found[1]


@pytest.mark.parametrize("overriding", [0, 1000])
@pytest.mark.parametrize("kind", ["string", "bytes"])
def test_a_shifted_boundary_changes_nothing_about_what_texts_are_together(
    kind: str, overriding: int
):
    """Echoes of all arguments are shifted: half of them, and a quarter of these."""
    inputs = [inputs_of("uint256", kind, kind, "uint8", kind)] * 2
    calls = {"overriding": overriding, "callees": (0, 0)}
    moves: Counter[int] = Counter()
    for seed in range(2000):
        plain, found = shifted(inputs, seed, **calls)
        if plain != found:
            was, now = texts_of(plain[1:3]), texts_of(found[1:3])
            assert b"".join(now) == b"".join(was)
            assert [plain[0], *plain[3:]] == [found[0], *found[3:]]
            moves[len(now[0]) - len(was[0])] += 1
    assert set(moves) == {-4, -3, -2, -1, 1, 2, 3, 4}
    assert 50 < moves.total() < 250


@settings(deadline=None)
@given(kindred(), Seed)
def test_without_two_texts_side_by_side_nothing_is_shifted(
    inputs: list[Tuple], seed: int
):
    names = [type_name(each) for each in inputs[1].members]
    plain, found = shifted(inputs, seed)
    if not any(
        one == two and one in ("string", "bytes") for one, two in pairwise(names)
    ):
        assert plain == found


def test_what_would_be_too_long_is_not_shifted():
    """A byte more in the first text takes a word more, for which there is no room."""
    room = (MAX_CALL_BYTES - CALL_HEADER) // 32 - 4
    inputs = [inputs_of(f"uint256[{room}]", "bytes", "bytes")] * 2
    for seed in range(200):
        plain, found = shifted(inputs, seed)
        sizes = [len(each) for each in texts_of(found[1:])]
        assert sum(map(len, found)) <= MAX_CALL_BYTES - CALL_HEADER
        assert sum(sizes) == sum(map(len, texts_of(plain[1:])))


def echoes_in(tables: FuzzTables, seeds: int, count: int) -> tuple[int, int]:
    """Return how many calls have an argument of an earlier one, and how many none."""
    echoed = calls = 0
    for seed in range(seeds):
        out = bytearray(sequence_capacity(count))
        end = append_fresh(tables, stream(seed), count, out, 0)
        known: set[bytes] = set()
        for at in calls_in(out, end):
            assert call_sender(out, at) in SENDERS
            arguments = set(arguments_of(tables, out, at))
            calls += 1
            echoed += bool(known & arguments)
            known |= arguments
    return echoed, calls - echoed


def test_one_fresh_call_in_eight_looks_back_and_one_in_sixteen_is_made_again():
    names = inputs_of("bytes32", "bytes32")
    settings: dict[str, Any] = {"dictionary": (), "seq_len": 50}
    echoed, others = echoes_in(tables_of(names, names, **settings), 40, 50)
    assert 1 / 7 < echoed / (echoed + others) < 1 / 4
    without = tables_of(names, names, echoes=False, **settings)
    assert echoes_in(without, 40, 50)[0] < 40, "simple values are equal now and then"


KEYS = {"address", "bool", *(f"bytes{n}" for n in range(1, 33))} | {
    f"uint{n}" for n in (8, 16, 24, 32)
}


@settings(deadline=None)
@given(kindred(), Seed)
def test_keys_are_copied_and_nothing_else(inputs: list[Tuple], seed: int):
    tables = tables_of(*inputs, seq_len=2)
    rng = stream(seed)
    before = bytearray(sequence_capacity(2))
    pos = generate_call(tables, rng, 0, before, 0)
    generate_call(tables, rng, 1, before, pos)
    after = before[:]
    stop = echo_keys(tables, 0, KEYS_ALONE, after, pos)
    assert after[:pos] == before[:pos]
    assert stop == pos + call_length(after, pos)
    assert call_sender(after, pos) == call_sender(before, pos)
    theirs, mine = (arguments_of(tables, before, at) for at in (0, pos))
    matches = matches_of(inputs[1], inputs[0])
    expected = [
        theirs[matches[number]]
        if number in matches and type_name(inputs[1].members[number]) in KEYS
        else each
        for number, each in enumerate(mine)
    ]
    assert arguments_of(tables, after, pos) == expected


@st.composite
def numbers(draw: st.DrawFn) -> list[Tuple]:
    """Parameter lists of two functions, most of which are numbers of some width."""
    names = st.sampled_from(
        ["uint8", "uint32", "uint96", "uint256", "address", "bytes", "uint8[]"]
    )
    return [inputs_of(*draw(st.lists(names, max_size=6))) for _ in range(2)]


@settings(deadline=None)
@given(numbers(), Seed, st.sampled_from([ALL, KEYS_ALONE, WIDE_KEYS]))
def test_a_number_matches_one_of_another_width_if_none_has_its_own(
    inputs: list[Tuple], seed: int, chosen: int
):
    tables = tables_of(*inputs, seq_len=2, widths=True)
    rng = stream(seed)
    before = bytearray(sequence_capacity(2))
    pos = generate_call(tables, rng, 0, before, 0)
    generate_call(tables, rng, 1, before, pos)
    after = before[:]
    if chosen == ALL:
        stop = echo(tables, rng, 0, after, pos)
    else:
        stop = echo_keys(tables, 0, chosen, after, pos)
    assert is_canonical(
        tables.types, node_of(tables, 1), after, pos + CALL_HEADER, stop
    )
    theirs, mine = (arguments_of(tables, before, at) for at in (0, pos))
    copied = list(mine)
    matches = matches_of(inputs[1], inputs[0], widths=True)
    for number, other in matches.items():
        own, its = (
            type_name(each.members[at])
            for each, at in ((inputs[1], number), (inputs[0], other))
        )
        if chosen == KEYS_ALONE and not (own == its and own in KEYS):
            continue
        if chosen == WIDE_KEYS and not {own, its} & KEYS:
            continue
        if own == its or int.from_bytes(theirs[other], "big") >> int(own[4:]) == 0:
            copied[number] = theirs[other]
    found = arguments_of(tables, after, pos)
    single = [[*mine[:n], copied[n], *mine[n + 1 :]] for n in matches]
    assert found == copied or (chosen == ALL and found in single)


def test_three_in_eight_fresh_calls_have_keys_of_a_call_before():
    names = inputs_of("bytes32", "uint256")
    several: dict[str, Any] = {"dictionary": (), "seq_len": 50}
    echoed, others = echoes_in(tables_of(names, names, keys=True, **several), 40, 50)
    fewer, _ = echoes_in(tables_of(names, names, **several), 40, 50)
    # Three in eight of the seven in eight that are no echo.
    share = (echoed - fewer) / (echoed + others)
    assert 1 / 5 < share < 2 / 5
    without = tables_of(names, names, echoes=False, keys=True, **several)
    none = tables_of(names, names, echoes=False, **several)
    assert echoes_in(without, 40, 50) == echoes_in(none, 40, 50)

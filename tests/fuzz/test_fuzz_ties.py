from __future__ import annotations

from fuzz_support import SENDERS, inputs_of, tables_of
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.fuzz.climbing.making import make_variant
from echidna_mcp.fuzz.climbing.places import (
    BYTE,
    PLACE_CALL,
    PLACE_SORT,
    PLACE_WORDS,
    SENDER,
    read_place,
)
from echidna_mcp.fuzz.climbing.starting import make_climb
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.targets import list_all
from echidna_mcp.fuzz.layout import CALL_HEADER
from echidna_mcp.fuzz.records import write_header
from echidna_mcp.fuzz.tables import FuzzTables

TABLES = tables_of(inputs_of("uint64", "string"), max_time_delay=0, max_block_delay=0)


def record(number: int, text: bytes, sender: int) -> bytes:
    """Return a call of a number and a text."""
    tape = number.to_bytes(32, "big") + len(text).to_bytes(32, "big")
    tape += text + bytes(-len(text) % 32)
    call = bytearray(CALL_HEADER)
    write_header(call, 0, CALL_HEADER + len(tape), 0, sender, 0, 0, 0)
    return bytes(call) + tape


def window_of(tables: FuzzTables, calls: list[bytes]) -> Climb:
    """Return the climb of the last of some calls, tied."""
    climb = make_climb()
    climb.calls = climb.first = len(calls)
    at = 0
    for number, call in enumerate(calls):
        climb.base_starts[number] = at
        climb.base[at : at + len(call)] = call
        at += len(call)
    climb.base_starts[len(calls)] = at
    climb.tied = 1
    list_all(tables, climb)
    return climb


def values(climb: Climb, calls: list[bytes]) -> list[int]:
    """Return what stands at all places of calls, the last call first."""
    found = []
    for row in range(0, climb.place_count * PLACE_WORDS, PLACE_WORDS):
        call = calls[climb.places[row + PLACE_CALL]]
        found.append(read_place(climb.places, row, bytearray(call), 0))
    return found


def changed(climb: Climb, place: int, number: int) -> list[bytes] | None:
    """Return the calls with a number at a place; None if that is no variant."""
    climb.row = place * PLACE_WORDS
    if not make_variant(TABLES, climb, number):
        return None
    kept = [part(climb.base, climb.base_starts, each) for each in range(climb.first)]
    made = range(climb.first, climb.calls)
    return kept + [part(climb.variant, climb.variant_starts, each) for each in made]


def part(buffer, starts, number: int) -> bytes:
    return bytes(buffer[starts[number] : starts[number + 1]])


CALLS = st.tuples(
    st.sampled_from([0, 7, 8]),
    st.sampled_from([b"", b"ab", b"ba", b"abc"]),
    st.sampled_from(SENDERS[:2]),
)


@given(st.lists(CALLS, min_size=1, max_size=5), st.data())
def test_what_is_equal_in_other_calls_changes_too_and_nothing_else(given_, data):
    calls = [record(*each) for each in given_]
    climb = window_of(TABLES, calls)
    place = data.draw(st.integers(0, climb.place_count - 1))
    row = place * PLACE_WORDS
    own, sort = climb.places[row + PLACE_CALL], climb.places[row + PLACE_SORT]
    before = values(climb, calls)
    number = SENDERS[2] if sort == SENDER else 9
    made = changed(climb, place, number)
    if made is None:
        return
    texts = [text for _, text, _ in given_]
    for other, value in enumerate(values(climb, made)):
        at = other * PLACE_WORDS
        call = climb.places[at + PLACE_CALL]
        same = climb.places[at + PLACE_SORT] == sort and before[other] == before[place]
        if sort == BYTE:
            first = [
                climb.places[each * PLACE_WORDS + PLACE_CALL] for each in range(other)
            ]
            of_call = other - first.index(call) if call in first else 0
            own_first = next(
                each
                for each in range(climb.place_count)
                if climb.places[each * PLACE_WORDS + PLACE_CALL] == own
            )
            same &= texts[call] == texts[own] and of_call == place - own_first
        elif sort != SENDER:
            same &= before[place] != 0
        is_tied = sort in (0, BYTE, SENDER) and same and call != own
        if other == place or is_tied:
            assert value == number
        else:
            assert value == before[other]

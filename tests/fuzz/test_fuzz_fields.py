"""Fields: words of several numbers are climbed number by number."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from climbers import Climber, arguments_of, begin_task, call_of, guards
from fuzz_support import inputs_of, tables_of
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.fields import NOWHERE, field_at, with_field

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
words = st.integers(0, 2**256 - 1)


# ------------------------------------------------------------------------------- where


@given(words, st.integers(0, 31), st.integers(2**8, 2**64 - 1))
def test_what_stands_at_a_byte_of_a_word_is_found_there_or_below(word, byte, found):
    size = found.bit_length()
    at = 8 * byte
    word = word & ~((2**size - 1) << at) | found << at
    word %= 2**256
    where = field_at(word, found)
    if at + size <= 256:
        assert where <= at
    if where != NOWHERE:
        assert (word >> where) % 2**size == found


@given(words, st.integers(0, 23), st.integers(2**8, 2**64 - 1), st.data())
def test_an_answer_changes_the_field_alone(word, byte, found, data):
    size, at = found.bit_length(), 8 * byte
    word = word & ~((2**size - 1) << at) | found << at
    where = field_at(word, found)
    answer = data.draw(st.integers(0, 2**size - 1))
    changed = with_field(word, found, answer)
    around = ~((2**size - 1) << where)
    assert changed & around == word & around
    assert (changed >> where) % 2**size == answer


def test_a_field_without_room_for_the_answer_stays():
    word = 300 << 240
    assert with_field(word, 300, 2**16 - 1) == (2**16 - 1) << 240
    assert with_field(word, 300, 2**16) == word
    for answer in (0, 7, 2**64):
        assert with_field(5 << 32, 300, answer) == 5 << 32


@pytest.mark.parametrize("found", [0, 1, 97, 255])
def test_what_is_short_may_be_anywhere(found):
    assert field_at(found << 64 | 1 << 200, found) == NOWHERE


# ------------------------------------------------------------------------------ climbs


def voucher(calls: Sequence[bytes]) -> list[Comparison]:
    """Compare the fields of the last call's argument, the lowest first."""
    (word,) = arguments_of(calls[-1])
    return guards(
        (EQUAL, word % 2**16, 7, True),
        (LESS, (word >> 16) % 2**32, 70_000, False),
        (LESS, (word >> 16) % 2**32, 70_400, True),
        (LESS, (word >> 48) % 2**24, 17_647, False),
        (LESS, (word >> 48) % 2**24, 17_677, True),
        (EQUAL, word >> 72, 2_500, True),
        (EQUAL, 1, 1, True),
    )


def climbed(
    word: int, kind: str = "uint256", *, fields: bool = True
) -> tuple[int, list[Comparison]]:
    """Return what becomes of an argument, and what it compares then."""
    climber = Climber(tables_of(inputs_of(kind)), guards=6)
    begin_task(climber.climb, {}, {}, turn=1, calls=100_000, fields=fields)
    (call,) = climber.run(voucher, call_of(word))
    (found,) = arguments_of(call)
    return found, voucher([call])


@pytest.mark.parametrize("word", [0, 7, 12, 2**255 + 7, 7 | 3 << 20, 10**40])
def test_a_word_of_several_numbers_is_climbed_one_after_the_other(word):
    found, compared = climbed(word)
    assert len(compared) == 7
    assert found % 2**16 == 7
    assert found >> 72 == 2_500


def test_bytes_of_fixed_length_are_words_too():
    assert len(climbed(9, "bytes32")[1]) == 7
    assert len(climbed(9, "bytes32", fields=False)[1]) < 7


@pytest.mark.parametrize("word", [0, 7, 2**255 + 7])
def test_without_fields_it_is_not(word):
    assert len(climbed(word, fields=False)[1]) < 7


def test_what_is_too_short_for_fields_is_climbed_as_before():
    for word in (0, 7, 9):
        assert climbed(word, "uint64") == climbed(word, "uint64", fields=False)

"""Profiles and masks: what small operands and what differing bits are news."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from climbers import begin_task, call_of
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import LEFT, MASK_BITS, RIGHT, likeness, ones
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.goals import find_goal
from echidna_mcp.fuzz.climbing.profiles import (
    GREATEST,
    MOST_PROFILES,
    SEEN,
    find_profile,
)
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.climbing.sites import SITE_WORDS, come_nearer, give_up, row_of
from echidna_mcp.fuzz.climbing.starting import (
    goal_at,
    make_climb,
    make_log,
    mark_of,
    profile_marks,
    write_log,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.waypoints import FEWEST_TRIES, find_waypoint
from echidna_mcp.views.coverage import CoverageDelta, CoverageMap

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
MOST = 200
WORDS = st.integers(min_value=0, max_value=2**256 - 1)


def begun(known: Sequence[int] = (), *, wanted: bool = True) -> Climb:
    climb = make_climb()
    nearest = dict.fromkeys(known, SEEN)
    begin_task(climb, {}, nearest, turn=1, calls=1000, profiles=wanted)
    return climb


def found(climb: Climb, *comparisons: Comparison, arguments: Sequence[int] = ()) -> int:
    """Return which side of the first one is news (`LEFT`, `RIGHT`); 0 if none is."""
    log = make_log()
    write_log(log, comparisons[-MOST_COMPARISONS:], len(comparisons))
    at = find_profile(climb, log, len(comparisons), bytearray(call_of(*arguments)), 0)
    if at:
        mark, _, near = goal_at(climb, log, at)
        assert near == SEEN
        assert mark in profile_marks(comparisons[(at - 1) // 160])
        come_nearer(climb.sites, mark, near)
        return (at - 1) % 160
    return 0


def phase(number: int, site: int = 7) -> Comparison:
    return Comparison(LESS, number, MOST, site)


def test_each_small_operand_but_the_first_is_news_once():
    climb = begun()
    seen = [found(climb, phase(number)) for number in (3, 3, 4, 4, 3, 0, GREATEST)]
    assert seen == [0, 0, LEFT, 0, 0, LEFT, LEFT]
    assert found(climb, phase(GREATEST + 1)) == 0


def test_beside_a_large_number_a_small_one_is_an_amount():
    climb = begun()
    told = [found(climb, Comparison(LESS, n, 10**18, 7)) for n in range(9)]
    assert not any(told)


def test_operands_of_either_side_and_place_are_told_apart():
    climb = begun()
    assert found(climb, Comparison(EQUAL, MOST, 1, 7)) == 0
    assert found(climb, Comparison(EQUAL, MOST, 2, 7)) == RIGHT
    assert found(climb, Comparison(EQUAL, 2, MOST, 7)) == 0
    assert found(climb, Comparison(EQUAL, 1, MOST, 7)) == LEFT
    assert found(climb, Comparison(EQUAL, MOST, 1, 8)) == 0
    assert found(climb, Comparison(EQUAL, MOST, 2, 8)) == RIGHT


def test_what_is_compared_with_0_is_no_news():
    climb = begun()
    assert not any(found(climb, Comparison(EQUAL, n, 0, 7)) for n in range(9))


def test_what_the_call_says_itself_is_no_news():
    climb = begun()
    assert found(climb, phase(0)) == 0
    assert found(climb, phase(5), arguments=(9, 5)) == 0
    assert found(climb, phase(5), arguments=(MOST, 6)) == 0
    assert found(climb, phase(5), arguments=(9, 6)) == LEFT


def test_what_a_loop_counts_is_no_news():
    climb = begun()
    assert found(climb, *(phase(number) for number in range(4))) == 0
    assert found(climb, *(phase(number) for number in range(6))) == 0
    # Alone it is, and beside one of another place.
    assert found(climb, phase(4), phase(4, site=9)) == LEFT


def test_what_other_tasks_have_seen_is_no_news():
    first = begun()
    found(first, phase(0))
    assert found(first, phase(1)) == LEFT
    later = begun(tuple(profile_marks(phase(1))))
    assert found(later, phase(0)) == 0
    assert found(later, phase(1)) == 0
    assert found(later, phase(2)) == LEFT


def test_without_profiles_there_are_none():
    climb = begun(wanted=False)
    assert not any(found(climb, phase(number)) for number in range(9))


def test_what_there_is_no_room_for_is_no_news():
    climb = begun()
    assert found(climb, phase(0)) == 0
    for row in range(0, len(climb.sites), SITE_WORDS):
        climb.sites[row] = climb.sites[row] or 2
    assert not any(found(climb, phase(number)) for number in range(9))


def test_a_campaign_learns_of_so_many_and_no_more():
    known = CoverageMap(nearest={2 * each + 1: 5 for each in range(9)})
    for mark in range(101, 101 + 2 * MOST_PROFILES, 2):
        assert known.is_nearer(mark, SEEN)
        known.nearest[mark] = SEEN
    assert not known.is_nearer(97, SEEN)
    known.nearest.popitem()
    told = CoverageDelta(nearest=((97, SEEN), (99, SEEN), (95, 7)))
    assert told.minus(known).nearest == ((97, SEEN), (95, 7))
    known.nearest[99] = SEEN
    assert known.is_nearer(97, 5)
    climb = make_climb()
    begin_task(climb, {}, known.nearest, turn=1, calls=1000, profiles=True)
    assert not any(found(climb, phase(number)) for number in range(9))


# ------------------------------------------------------------------------------ masks


@given(WORDS)
def test_bits_are_counted(word):
    assert ones(word) == word.bit_count()


@given(WORDS, WORDS)
def test_words_are_as_like_as_few_bits_differ(left, right):
    differing = (left ^ right).bit_count()
    known = differing + 2 if 0 < differing <= MASK_BITS else 0
    assert likeness(EQUAL, 1, left, right) == known
    assert likeness(EQUAL, 0, left, right) == 0
    assert likeness(LESS, 1, left, right) == 0


def goals_of(climb: Climb, *comparisons: Comparison) -> list[tuple[int, int, int]]:
    """Return all that is nearer than ever in what a test compares."""
    log = make_log()
    write_log(log, comparisons, len(comparisons))
    told = []
    while at := find_goal(climb, log, len(comparisons), 0x1234):
        told.append(goal_at(climb, log, at))
        mark, _, near = told[-1]
        come_nearer(climb.sites, mark, near)
    return told


@pytest.mark.parametrize("masks", [False, True])
def test_a_card_that_has_another_field_is_nearer_whichever_that_is(masks):
    climb = make_climb()
    begin_task(climb, {}, {}, turn=1, calls=1000, masks=masks)

    def card(fields: int) -> Comparison:
        return Comparison(EQUAL, fields, 0xFFFF, 3)

    assert len(goals_of(climb, card(0x8000))) == 2 + masks
    # As a number it is farther off, or hardly nearer.
    for fields in (0x0003, 0x0007, 0x1007, 0x1017):
        assert len(goals_of(climb, card(fields))) == int(masks)
        assert not goals_of(climb, card(fields))
    assert not goals_of(climb, card(0x0007))


def test_a_mask_that_calls_compare_has_waypoints():
    climb = make_climb()
    begin_task(climb, {}, {}, turn=1, calls=1000, waypoints=True, masks=True)
    log = make_log()

    def near(fields: int) -> bool:
        write_log(log, [Comparison(EQUAL, fields, 0xFFFF, 3)], 1)
        at = find_waypoint(climb, EVERYWHERE, log, 1)
        if at:
            mark, _, measured = goal_at(climb, log, at)
            come_nearer(climb.sites, mark, measured)
        return at != 0

    write_log(log, [Comparison(EQUAL, 0, 0xFFFF, 3)], 1)
    look(climb, EVERYWHERE, log, 1)
    row = row_of(climb.sites, mark_of(Comparison(EQUAL, 0, 0xFFFF, 3)))
    for _ in range(FEWEST_TRIES):
        give_up(climb.sites, row, 1, 14)
    # The first one is what others are held against.
    told = [near(each) for each in (0x8000, 0x0003, 0x0003, 0x0005, 0x0025, 0xFFFF)]
    assert told == [False, True, False, False, True, False]

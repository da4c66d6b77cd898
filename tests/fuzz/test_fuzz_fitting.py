"""Fitting: calls that fail at guards seen both ways are made to hold them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from climbers import Climber, Machine, arguments_of, begin_task, call_of, guards
from fuzz_support import inputs_of, tables_of

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.fitting import fitting_answer
from echidna_mcp.fuzz.climbing.starting import make_climb, make_log, write_log
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS

EQUAL, LESS = ComparisonKind.EQUAL, ComparisonKind.LESS
GREATER = ComparisonKind.GREATER
END = Comparison(EQUAL, 10**6, 10**6, 99)
"""What only a call compares that has held all guards."""
NUMBER = 10**20
TURNS = 12


def fitted(
    asked: Machine,
    *arguments: int,
    seen: Sequence[Sequence[int]],
    count: int,
    fitting: bool = True,
) -> list[list[int]]:
    """Return what is kept of a failing call, each turn anew.

    Args:
        asked: what is called.
        arguments: with which it fails.
        seen: those of other calls, which show outcomes of comparisons.
        count: how many guards there are.
        fitting: whether calls are fitted.
    """
    kept = []
    for turn in range(TURNS):
        tables = tables_of(inputs_of(*["uint256"] * len(arguments)))
        climber = Climber(tables, guards=count)
        begin_task(climber.climb, {}, {}, turn=turn, calls=1000, fitting=fitting)
        for each in (*seen, arguments):
            log, found = make_log(), asked([call_of(*each)])
            write_log(log, found, len(found))
            PLAIN_KERNELS.look(climber.climb, EVERYWHERE, log, len(found))
        (call,) = climber.run(asked, call_of(*arguments))
        kept.append(arguments_of(call))
    return kept


def held(found: list[Comparison], count: int) -> list[Comparison]:
    """Return what a call compares whose guards are these."""
    last = found[-1]
    if len(found) < count or not HOLDS[last.kind](last.left, last.right):
        return found
    return [*found, END]


HOLDS = {
    EQUAL: int.__eq__,
    LESS: int.__lt__,
    GREATER: int.__gt__,
}


def words_of(calls: Sequence[bytes]) -> list[int]:
    return arguments_of(calls[-1])


def bid(calls: Sequence[bytes]) -> list[Comparison]:
    """Compare as one does that is to be above a number, by a little."""
    (amount,) = words_of(calls)
    most = NUMBER + NUMBER // 16
    return held(guards((GREATER, amount, NUMBER, True), (LESS, amount, most, True)), 2)


def test_a_guard_that_was_seen_both_ways_is_held_again():
    seen = [[NUMBER + 1], [NUMBER * 3], [5]]
    for (amount,) in fitted(bid, 7, seen=seen, count=2):
        assert NUMBER < amount < NUMBER + NUMBER // 16
    for (amount,) in fitted(bid, NUMBER * 2, seen=seen, count=2):
        assert NUMBER < amount < NUMBER + NUMBER // 16


def test_without_fitting_such_a_call_is_none_to_climb():
    seen = [[NUMBER + 1], [NUMBER * 3], [5]]
    assert fitted(bid, 7, seen=seen, count=2, fitting=False) == [[7]] * TURNS


def test_inequalities_are_held_at_their_limit_and_far_from_it():
    def below(calls: Sequence[bytes]) -> list[Comparison]:
        return held(guards((LESS, words_of(calls)[0], NUMBER, True)), 1)

    kept = {n for (n,) in fitted(below, 2 * NUMBER, seen=[[1]], count=1)}
    assert NUMBER - 1 in kept
    assert any(n < NUMBER - NUMBER // 100 for n in kept)
    assert all(n < NUMBER for n in kept)


def test_one_guard_after_the_other_is_held():
    prices = [NUMBER + each for each in range(6)]

    def pays(calls: Sequence[bytes]) -> list[Comparison]:
        asked = zip(words_of(calls), prices, strict=True)
        return held(guards(*((EQUAL, paid, due, True) for paid, due in asked)), 6)

    seen = [prices, *([*prices[:known], *[1] * (6 - known)] for known in range(6))]
    assert fitted(pays, *range(2, 8), seen=seen, count=6) == [prices] * TURNS


def test_some_climbs_feel_for_what_no_operand_tells():
    def scaled(calls: Sequence[bytes]) -> list[Comparison]:
        return held(
            guards((EQUAL, words_of(calls)[0] * 7 + 3, 7 * NUMBER + 3, True)), 1
        )

    kept = [n for (n,) in fitted(scaled, 5, seen=[[NUMBER]], count=1)]
    assert set(kept) == {5, NUMBER}


def test_a_number_that_becomes_0_has_held_the_guard_though_it_is_no_comparison_then():
    def told(calls: Sequence[bytes]) -> list[Comparison]:
        rest = words_of(calls)[0] % 1000
        # As an ISZERO does; that it was 0 was seen on another path.
        if rest > 1 or words_of(calls) == [1000]:
            return [Comparison(EQUAL, rest, 0, 0)]
        return [Comparison(EQUAL, 5, 5, 1), END]

    kept = {n % 1000 for (n,) in fitted(told, 1_002, seen=[[1000]], count=1)}
    # In some climbs it is not felt for.
    assert {0, 2} >= kept - {1}
    assert kept & {0, 1}


def test_what_succeeds_is_left_as_it_is_though_its_variants_fail():
    def checked(calls: Sequence[bytes]) -> list[Comparison]:
        one, other = words_of(calls)
        found = guards((EQUAL, one, 9, False), (LESS, other, 500, True))
        # Nothing depends on the second one.
        return [*found, END] if len(found) == 2 else found

    assert fitted(checked, 7, 300, seen=[[7, 600]], count=2) == [[7, 300]] * TURNS


def test_guards_of_two_paths_are_not_fitted_by_turns():
    def forked(calls: Sequence[bytes]) -> list[Comparison]:
        (number,) = words_of(calls)
        low = number < 500
        due = Comparison(EQUAL, number, 600 if low else 400, 1 if low else 2)
        return [Comparison(LESS, number, 500, 0), due]

    def told(calls: Sequence[bytes]) -> list[Comparison]:
        # That both guards can hold was seen elsewhere.
        (number,) = words_of(calls)
        if number in {1, 2}:
            return [Comparison(EQUAL, 5, 5, number)]
        return forked(calls)

    # A variant on the other path fails no later.
    kept = fitted(told, 7, seen=[[1], [2], [700], [499]], count=2)
    assert all(number < 500 for (number,) in kept)


@pytest.mark.parametrize("kind", [LESS, GREATER])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("is_left", [False, True])
def test_what_is_tried_far_off_holds_the_guard(kind, held, is_left):
    climb = make_climb()
    climb.kind, climb.wanted = kind, int(held)
    tried = set()
    for climb.fit_turn in range(1, 99, 2):
        number = fitting_answer(climb, NUMBER, int(is_left))
        left, right = (number, NUMBER) if is_left else (NUMBER, number)
        assert HOLDS[kind](left, right) == held
        tried.add(number)
    assert len(tried) > 40


def test_what_fails_there_in_any_case_is_not_kept():
    def never(calls: Sequence[bytes]) -> list[Comparison]:
        # A guard of which this is no part makes the call fail.
        return guards((EQUAL, words_of(calls)[0], NUMBER, True))

    # What only comes nearer may be.
    assert [NUMBER] not in fitted(never, 5, seen=[[NUMBER]], count=1)


@pytest.mark.parametrize("arguments", [(NUMBER + 1,), (5,)])
def test_what_succeeds_is_not_fitted(arguments):
    climber = Climber(tables_of(inputs_of("uint256")))
    begin_task(climber.climb, {}, {}, turn=1, calls=1000, fitting=True)
    for each in ((NUMBER + 1,), (5,)):
        log, found = make_log(), bid([call_of(*each)])
        write_log(log, found[:1], 1)
        PLAIN_KERNELS.look(climber.climb, EVERYWHERE, log, 1)
    (call,) = climber.run(lambda calls: bid(calls)[:1], call_of(*arguments))
    assert call == call_of(*arguments)
    assert not climber.variants

"""Contexts: a comparison seen both ways is another one in calls of each function."""

from __future__ import annotations

from climbers import begin_task, learnt
from fuzz_support import inputs_of, stream, tables_of

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE, context_of
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.climbing.sites import give_up, is_open, row_in, row_of
from echidna_mcp.fuzz.climbing.starting import (
    goal_at,
    make_climb,
    make_log,
    mark_of,
    write_log,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.waypoints import FEWEST_TRIES, find_waypoint
from echidna_mcp.fuzz.generate import generate_call
from echidna_mcp.fuzz.tables import sequence_capacity
from echidna_mcp.kernel.language.memory import Bytes

LESS = ComparisonKind.LESS
SOUND, UNSOUND = Comparison(LESS, 3, 9, 1), Comparison(LESS, 9, 3, 1)


def calls_of_two() -> tuple[Bytes, Bytes]:
    """Return a call of each of two functions."""
    tables = tables_of(inputs_of(), inputs_of())
    calls = bytearray(sequence_capacity(1)), bytearray(sequence_capacity(1))
    for function, out in enumerate(calls):
        generate_call(tables, stream(1), function, out, 0)
    return calls


def begun(*, contexts: bool = True) -> Climb:
    climb = make_climb()
    begin_task(climb, {}, {}, turn=1, calls=1000, contexts=contexts, waypoints=True)
    return climb


def saw(climb: Climb, call: Bytes, comparison: Comparison) -> None:
    log = make_log()
    write_log(log, [comparison], 1)
    look(climb, context_of(climb, call, 0), log, 1)


def is_sought_in(climb: Climb, call: Bytes) -> bool:
    log = make_log()
    write_log(log, [SOUND], 1)
    row = row_in(climb.sites, context_of(climb, call, 0), log, 0)
    return bool(is_open(climb.sites, row))


def test_functions_have_contexts_of_their_own_and_campaigns_without_have_none():
    borrow, liquidate = calls_of_two()
    climb = begun()
    contexts = {context_of(climb, call, 0) for call in (borrow, liquidate)}
    assert len(contexts) == 2
    assert EVERYWHERE not in contexts
    assert all(context % 2 == 0 for context in contexts)
    without = begun(contexts=False)
    assert context_of(without, borrow, 0) == EVERYWHERE


def test_a_check_that_one_function_has_seen_both_ways_is_sought_in_the_other():
    borrow, liquidate = calls_of_two()
    for contexts in (True, False):
        climb = begun(contexts=contexts)
        saw(climb, borrow, SOUND)
        saw(climb, liquidate, SOUND)
        # It is one comparison, as long as it has but one outcome.
        assert is_sought_in(climb, borrow)
        assert is_sought_in(climb, liquidate)
        saw(climb, borrow, UNSOUND)
        saw(climb, borrow, SOUND)
        assert not is_sought_in(climb, borrow)
        saw(climb, liquidate, SOUND)
        assert is_sought_in(climb, liquidate) == contexts
        saw(climb, liquidate, UNSOUND)
        assert not is_sought_in(climb, liquidate)


def test_what_was_sought_in_vain_is_learnt_by_function_and_has_waypoints_there():
    borrow, liquidate = calls_of_two()
    climb = begun()
    for comparison in (SOUND, UNSOUND, SOUND):
        saw(climb, borrow, comparison)
    saw(climb, liquidate, SOUND)
    context = context_of(climb, liquidate, 0)
    mark = mark_of(SOUND) ^ context
    for _ in range(FEWEST_TRIES):
        give_up(climb.sites, row_of(climb.sites, mark), 1, 14)
    assert learnt(climb, {}) == ((mark, FEWEST_TRIES),)
    log = make_log()
    write_log(log, [SOUND], 1)
    assert find_waypoint(climb, context_of(climb, borrow, 0), log, 1) == 0
    assert find_waypoint(climb, context, log, 1) == 0, "others are held against it"
    write_log(log, [Comparison(LESS, 7, 9, 1)], 1)
    assert find_waypoint(climb, context_of(climb, borrow, 0), log, 1) == 0
    assert find_waypoint(climb, context, log, 1) == 1
    assert goal_at(climb, log, 1, context)[:2] == (mark, 0)

from __future__ import annotations

from climbers import begin_task

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import COMPARISON_ROW, nearness
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.climbing.sites import come_nearer, give_up, row_of
from echidna_mcp.fuzz.climbing.starting import (
    goal_at,
    make_climb,
    make_log,
    mark_of,
    write_log,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.waypoints import FEWEST_TRIES, find_waypoint

EQUAL = ComparisonKind.EQUAL


def votes(count: int, site: int = 2) -> Comparison:
    """Return the comparison of a count with the quorum, three."""
    return Comparison(EQUAL, count, 3, site)


def found(climb: Climb, *comparisons: Comparison) -> int:
    """Return what `find_waypoint` finds; note is taken of it."""
    log = make_log()
    write_log(log, comparisons, len(comparisons))
    at = find_waypoint(climb, EVERYWHERE, log, len(comparisons))
    if at:
        mark, _, near = goal_at(climb, log, at)
        come_nearer(climb.sites, mark, near)
    return at


def begun(*, tries: int = FEWEST_TRIES, **changes: bool) -> Climb:
    """Return a climb for which the quorum was sought in vain."""
    climb = make_climb()
    begin_task(climb, {}, {}, turn=1, calls=1000, **{"waypoints": True, **changes})
    log = make_log()
    write_log(log, [votes(0)], 1)
    look(climb, EVERYWHERE, log, 1)
    for _ in range(tries):
        give_up(climb.sites, row_of(climb.sites, mark_of(votes(0))), 1, 14)
    return climb


def test_a_waypoint_is_what_is_nearer_than_all_before():
    climb = begun()
    other = Comparison(EQUAL, 5, 7, 1)
    # The first one is what others are held against.
    for count, is_one in ((0, False), (0, False), (1, True), (1, False), (2, True)):
        expected = 2 * COMPARISON_ROW + 1 if is_one else 0
        assert found(climb, other, votes(count)) == expected
    assert found(climb, votes(1)) == 0
    # Farther off on the other side.
    assert found(climb, votes(9)) == 0


def test_the_outcome_itself_is_no_waypoint_and_ends_them():
    climb = begun()
    assert found(climb, votes(0)) == 0
    assert found(climb, votes(3)) == 0
    log = make_log()
    write_log(log, [votes(3)], 1)
    look(climb, EVERYWHERE, log, 1)
    assert found(climb, votes(2)) == 0


def test_hashes_have_no_waypoints():
    climb, wanted = begun(), 7 << 200
    for left in (1 << 255, 1 << 230, wanted + (1 << 129), wanted + (1 << 128)):
        assert found(climb, Comparison(EQUAL, left, wanted, 2)) == 0
    assert found(climb, Comparison(EQUAL, wanted + (1 << 127), wanted, 2)) == 1


def test_what_was_hardly_sought_has_no_waypoints():
    climb = begun(tries=FEWEST_TRIES - 1)
    for count in range(3):
        assert found(climb, votes(count)) == 0


def test_without_waypoints_there_are_none():
    climb = begun(waypoints=False)
    for count in range(3):
        assert found(climb, votes(count)) == 0


def test_what_the_campaign_has_come_near_to_is_no_waypoint():
    mark = mark_of(votes(0))
    climb = make_climb()
    known = {mark: nearness(EQUAL, 1, 1, 3)}
    begin_task(climb, {mark: FEWEST_TRIES}, known, turn=1, calls=9, waypoints=True)
    assert found(climb, votes(0)) == 0
    assert found(climb, votes(1)) == 0
    assert found(climb, votes(2)) == 1

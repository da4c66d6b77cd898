"""Climbing in compiled code: variants run, are judged, and are undone.

It mirrors `rounds.climbing`. At the first call that may be worth recording it stops and
hands the sequence over, with all that was kept until then: what has run is counted, the
call in question is not.

A *place* is the state before a call that may still be changed: of the window of
`fuzz.climbing`, as far as its calls come after the one from which on the sequence is
climbed.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS
from echidna_mcp.fuzz.climbing.climb import (
    begin_climb,
    begin_goal_climb,
    judge_variant,
    next_variant,
)
from echidna_mcp.fuzz.climbing.comparisons import COMPARISON_ROW
from echidna_mcp.fuzz.climbing.contexts import context_of
from echidna_mcp.fuzz.climbing.goals import next_goal
from echidna_mcp.fuzz.climbing.profiles import find_profile
from echidna_mcp.fuzz.climbing.state import WINDOW, Climb
from echidna_mcp.fuzz.climbing.waypoints import find_waypoint
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.records import (
    call_length,
    copy_call,
    copy_range,
)
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import Bytes, copy, u64, wrap64
from echidna_mcp_plugins.native.search.calls import aim, run_record
from echidna_mcp_plugins.native.search.counting import (
    count_sequence,
    count_spent,
    has_left,
    note_spent,
    take_back,
)
from echidna_mcp_plugins.native.search.judging import (
    ask,
    holds_at_end,
    selector_of,
    shows_something,
)
from echidna_mcp_plugins.native.search.readset import forget_reads
from echidna_mcp_plugins.native.search.state import (
    KEPT_PLACE,
    KEPT_START,
    LEFT_OUT,
    Search,
    end_pranks,
    forget_branch,
    is_as_at_start,
)
from echidna_mcp_plugins.native.search.status import RETURN_FALSE
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    ASK_RESTORE,
    ASK_SAVE,
    FAULT_CAPACITY,
    Machine,
)

PLACE_AT = 0
"""Where in `Search.executed` its call begins."""
PLACE_MARK = 1
PLACE_TIMESTAMP = 2
PLACE_BLOCK_NUMBER = 3
PLACE_CREATED = 4
PLACE_DISCARDS = 5
PLACE_CHEATED = 6
PLACE_PRANKS = 7
PLACE_PRANK_COUNT = 8
PLACE_KEPT = 9
"""As which number the machine has kept what is no part of the journal."""
PLACE_SLOT = 10
"""As which number it may be kept."""
PLACE_PASSED = 11
"""How many calls were made before."""
PLACE_HARVESTED = 12
"""How many words were in the pool."""
PLACE_ROW = 13

HANDED_NOTHING = 0
HANDED_CALL = 1
"""A call of the sequence is in question."""
HANDED_VARIANT = 2
"""A call of a variant is."""
HANDED_END = 3
"""The state at its end is."""
HANDED_GOAL = 4
"""What a test compares in that state is."""

RAN = 0
SHOWN = 1
"""A call may be worth recording."""
ENDED = 2
"""What was left is used up."""
MISSED = 3
"""There is no contract that a call is for."""
UNHEARD = 4
"""What a test compares can't be told here."""


def run_climbing(
    m: Machine, s: Search, tables: FuzzTables, sequence: Bytes, end: u64
) -> u64:
    """Run a sequence that is climbed, from the branch on.

    Returns:
        The end in `s.executed` of what is handed over; 0 if it has shown nothing.
    """
    s.handed = HANDED_NOTHING
    s.handed_passed = s.branch_passed
    s.place_count = 0
    ahead = s.branch
    at = take_over(s, sequence)
    ran = wrap64(RAN)
    while ahead < end and ran == RAN:
        stop = copy_call(sequence, ahead, s.executed, at)
        ahead = ahead + call_length(sequence, ahead)
        s.handed_passed = s.handed_passed + 1
        climbs = wrap64(0)
        if s.handed_passed >= s.climbs:
            climbs = 1
            add_place(m, s, at)
        ran = run_one(m, s, tables, s.executed, at, climbs)
        if ran == MISSED:
            s.place_count = s.place_count - climbs
            ran = RAN
        elif ran == RAN and climbs != 0 and nears_waypoint(s, at) != 0:
            take_back(s)
            ran = wrap64(SHOWN)
        elif ran == RAN:
            if climbs != 0:
                ran = climb_call(m, s, tables, s.climb, at, stop)
                if ran == SHOWN:
                    return hand_over_variant(s, s.climb, sequence, ahead, end)
                stop = s.executed_end
            at = stop
        if ran == SHOWN:
            s.handed = HANDED_CALL
            s.handed_at = at
            count_spent(s)
            return copy_range(sequence, ahead, end, s.executed, stop)
    if ran == RAN:
        return end_climbing(m, s, tables, s.climb, at)
    # A variant is of the functions of what it takes the place of.
    count_sequence(s, s.executed)
    return 0


def end_climbing(m: Machine, s: Search, tables: FuzzTables, c: Climb, at: u64) -> u64:
    """Climb a test and ask what is asked at the end of a sequence, all of which ran.

    Args:
        m: the machine.
        s: the search.
        tables: what is drawn from.
        c: the climb.
        at: where the sequence ends in `s.executed`.

    Returns:
        The end in `s.executed` of what is handed over; 0 if nothing is.
    """
    ran = wrap64(RAN)
    if s.goals != 0 and s.place_count != 0 and c.fits_alone == 0:
        ran = climb_goal(m, s, tables, c, at)
        if ran == SHOWN:
            return hand_over_variant(s, c, s.executed, 0, 0)
        if ran == UNHEARD:
            return hand_over_end(s, at, HANDED_GOAL)
        at = s.executed_end
    spent = s.spent
    if ran == RAN and holds_at_end(m, s, s.passed) == 0:
        s.spent = spent
        return hand_over_end(s, at, HANDED_END)
    count_sequence(s, s.executed)
    return 0


def hand_over_end(s: Search, at: u64, handed: u64) -> u64:
    """Hand over a sequence that ends at `at`, where something is in question."""
    s.handed = handed
    s.handed_at = at
    count_spent(s)
    return at


def take_over(s: Search, sequence: Bytes) -> u64:
    """Begin `s.executed` with the calls that were made up to the branch.

    If some were not, it is no branch any more: how the others ended stands elsewhere.
    """
    at = wrap64(0)
    source = wrap64(0)
    made = wrap64(0)
    for index in range(s.branch_passed):
        if s.endings[index] != LEFT_OUT:
            s.endings[made] = s.endings[index]
            made = made + 1
            at = copy_call(sequence, source, s.executed, at)
        source = source + call_length(sequence, source)
    s.passed = made
    if made != s.branch_passed:
        forget_branch(s)
    return at


def run_one(
    m: Machine, s: Search, tables: FuzzTables, calls: Bytes, at: u64, comparing: u64
) -> u64:
    """Run the call at `at` and judge it; return one of the four above.

    One that may be worth recording is not counted.
    """
    if has_left(s) == 0:
        return ENDED
    if aim(s, tables, calls, at) == 0:
        return MISSED
    note_spent(s)
    m.comparing = comparing
    status = run_record(m, s, tables, calls, at)
    m.comparing = 0
    s.heard = m.comparison_count
    s.succeeded = 0
    if status <= RETURN_FALSE:
        s.succeeded = 1
    if comparing != 0:
        keep_log(m, s)
    if shows_something(m, s, status) == 0:
        return RAN
    take_back(s)
    return SHOWN


@inline
def nears_waypoint(s: Search, at: u64) -> u64:
    """Return 1 if the call at `at`, which has run, comes nearer to an outcome."""
    if s.climb.fits_alone != 0:
        return 0
    context = context_of(s.climb, s.executed, at)
    if find_waypoint(s.climb, context, s.heard_log, s.heard) != 0:
        return 1
    if find_profile(s.climb, s.heard_log, s.heard, s.executed, at) != 0:
        return 1
    return 0


# -------------------------------------------------------------------------- one climb


def climb_call(
    m: Machine, s: Search, tables: FuzzTables, c: Climb, last: u64, end: u64
) -> u64:
    """Climb the call that has run last, from `last` to `end` of `s.executed`.

    Returns:
        RAN, and `s.executed_end` is where what is kept ends; ENDED; or SHOWN.
    """
    s.executed_end = end
    start = s.places[PLACE_AT]
    log = s.heard_log
    if begin_climb(c, s.executed, start, last, end, log, s.heard, s.succeeded) == 0:
        return RAN
    return climb_on(m, s, tables, c, start)


def climb_goal(m: Machine, s: Search, tables: FuzzTables, c: Climb, end: u64) -> u64:
    """Climb what a test compares in the present state, one test after the other.

    Returns:
        As `climb_call`; or UNHEARD.
    """
    s.executed_end = end
    start = s.places[PLACE_AT]
    number = next_goal(c, s.first_value)
    if number == 0:
        return RAN
    number = number - 1
    spent = s.spent
    if hear(m, s, number) == 0:
        # Whoever goes on has the same turn, and asks again.
        c.turn = c.turn - 1
        s.spent = spent
        return UNHEARD
    selector = selector_of(s, number)
    begin_goal_climb(c, s.executed, start, end, s.heard_log, s.heard, number, selector)
    return climb_on(m, s, tables, c, start)


def hear(m: Machine, s: Search, number: u64) -> u64:
    """Let a test compare in the present state; return 0 if a round has to.

    `s.heard` comparisons are then in the log.
    """
    keeping = s.keeping
    ask(m, s, number, 1)
    # What is remembered as read was looked at, too; this was not.
    forget_reads(s.reads, number)
    s.heard = m.comparison_count
    keep_log(m, s)
    if m.fault == FAULT_CAPACITY or s.keeping != keeping:
        return 0
    return 1


def keep_log(m: Machine, s: Search) -> None:
    """Keep what was compared: properties that are asked compare, too."""
    rows = least(s.heard, MOST_COMPARISONS)
    copy(s.heard_log, 0, m.comparisons, 0, rows * COMPARISON_ROW)


def climb_on(m: Machine, s: Search, tables: FuzzTables, c: Climb, start: u64) -> u64:
    """Run variants of the window that begins at `start` of `s.executed`."""
    copy(s.base_endings, 0, s.endings, s.places[PLACE_PASSED], c.calls)
    while next_variant(tables, c) != 0:
        ran = run_variant(m, s, tables, c)
        if ran == ENDED:
            return end_with_base(s, c)
        if ran == SHOWN:
            return ran
        heard = s.heard
        if ran == MISSED:
            heard = 0
        if judge_variant(tables, c, s.heard_log, heard, s.succeeded) != 0:
            copy(s.base_endings, 0, s.endings, s.places[PLACE_PASSED], c.calls)
    if c.first < c.calls:
        # They have shown nothing when they ran like this before.
        if run_again(m, s, tables, c) == ENDED:
            return end_with_base(s, c)
    for call in range(c.calls):
        s.places[call * PLACE_ROW + PLACE_AT] = start + c.base_starts[call]
    s.executed_end = copy_range(c.base, 0, c.base_starts[c.calls], s.executed, start)
    return RAN


def end_with_base(s: Search, c: Climb) -> u64:
    """End the sequence with what was kept, though something else ran last."""
    copy(s.endings, s.places[PLACE_PASSED], s.base_endings, 0, c.calls)
    s.passed = s.places[PLACE_PASSED] + c.calls
    return ENDED


def run_variant(m: Machine, s: Search, tables: FuzzTables, c: Climb) -> u64:
    """Run the calls of a variant, each from its place on; return one of the above."""
    go_to_place(m, s, c.first)
    for call in range(c.first, c.calls):
        s.handed_call = call
        if call != c.first:
            take_place(m, s, call)
        comparing = wrap64(0)
        if call + 1 == c.calls and c.goal == 0:
            comparing = 1
        ran = run_one(m, s, tables, c.variant, c.variant_starts[call], comparing)
        if ran != RAN:
            return ran
    if c.goal != 0 and hear(m, s, c.goal - 1) == 0:
        take_back(s)
        return SHOWN
    return RAN


def run_again(m: Machine, s: Search, tables: FuzzTables, c: Climb) -> u64:
    """Go to the state that the base leads to; return RAN or ENDED."""
    go_to_place(m, s, c.first)
    for call in range(c.first, c.calls):
        if call != c.first:
            take_place(m, s, call)
        if has_left(s) == 0:
            return ENDED
        at = c.base_starts[call]
        if aim(s, tables, c.base, at) != 0:
            run_record(m, s, tables, c.base, at)
    return RAN


def hand_over_variant(
    s: Search, c: Climb, sequence: Bytes, ahead: u64, end: u64
) -> u64:
    """Put the variant that runs behind what is kept, and what follows; return its end.

    Args:
        s: the search.
        c: the climb.
        sequence: as it was built.
        ahead: where in it the calls begin that are yet to run.
        end: its end.
    """
    s.handed = HANDED_VARIANT
    start = s.places[PLACE_AT]
    at = copy_range(c.base, 0, c.base_starts[c.first], s.executed, start)
    begin = c.variant_starts[c.first]
    s.handed_at = at + c.variant_starts[s.handed_call] - begin
    at = copy_range(c.variant, begin, c.variant_starts[c.calls], s.executed, at)
    count_spent(s)
    return copy_range(sequence, ahead, end, s.executed, at)


# ----------------------------------------------------------------------------- places


def add_place(m: Machine, s: Search, at: u64) -> None:
    """Take the place before the call at `at`; the oldest one makes room."""
    if s.place_count == WINDOW:
        slot = s.places[PLACE_SLOT]
        for index in range((WINDOW - 1) * PLACE_ROW):
            s.places[index] = s.places[index + PLACE_ROW]
        s.places[(WINDOW - 1) * PLACE_ROW + PLACE_SLOT] = slot
        s.place_count = WINDOW - 1
    s.places[s.place_count * PLACE_ROW + PLACE_AT] = at
    s.place_count = s.place_count + 1
    take_place(m, s, s.place_count - 1)


def take_place(m: Machine, s: Search, index: u64) -> None:
    """Make the present state that of a place."""
    row = index * PLACE_ROW
    s.places[row + PLACE_MARK] = m.journal_end
    s.places[row + PLACE_TIMESTAMP] = m.timestamp
    s.places[row + PLACE_BLOCK_NUMBER] = m.block_number
    s.places[row + PLACE_CREATED] = s.created.count
    s.places[row + PLACE_HARVESTED] = s.pool.count
    s.places[row + PLACE_DISCARDS] = s.spent_discards
    s.places[row + PLACE_PASSED] = s.passed
    s.places[row + PLACE_KEPT] = KEPT_START
    if is_as_at_start(m, s) == 0:
        s.places[row + PLACE_KEPT] = KEPT_PLACE + s.places[row + PLACE_SLOT]
        m.asked_start = s.places[row + PLACE_KEPT]
        m.host(ASK_SAVE)
    s.places[row + PLACE_CHEATED] = m.cheated
    s.places[row + PLACE_PRANKS] = m.pranks.changes
    s.places[row + PLACE_PRANK_COUNT] = m.pranks.count


def go_to_place(m: Machine, s: Search, index: u64) -> None:
    """Go back to the state of a place."""
    row = index * PLACE_ROW
    undo_to(m, s.places[row + PLACE_MARK])
    m.timestamp = s.places[row + PLACE_TIMESTAMP]
    m.block_number = s.places[row + PLACE_BLOCK_NUMBER]
    s.created.count = s.places[row + PLACE_CREATED]
    s.pool.count = s.places[row + PLACE_HARVESTED]
    s.spent_discards = s.places[row + PLACE_DISCARDS]
    s.passed = s.places[row + PLACE_PASSED]
    if (
        m.cheated != s.places[row + PLACE_CHEATED]
        or m.pranks.changes != s.places[row + PLACE_PRANKS]
    ):
        restore_place(m, s, row)


@cold
def restore_place(m: Machine, s: Search, row: u64) -> None:
    """Go back to the state of a place in what is no part of the journal."""
    if (
        m.cheated == s.places[row + PLACE_CHEATED]
        and s.places[row + PLACE_PRANK_COUNT] == 0
    ):
        end_pranks(m)
    else:
        m.asked_start = s.places[row + PLACE_KEPT]
        m.host(ASK_RESTORE)
    s.places[row + PLACE_CHEATED] = m.cheated
    s.places[row + PLACE_PRANKS] = m.pranks.changes

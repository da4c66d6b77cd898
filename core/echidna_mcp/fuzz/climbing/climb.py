"""Climbing: which variant of a call runs next, and whether it is kept.

The *target* is a comparison, the last one first, whose other outcome the task has not
seen. What might give it that outcome is tried, place by place:

* *Answers*: an operand stands in the call as it is, so the other one takes its place
  (input-to-state correspondence, Redqueen, 2019).
* *Feeling*: a number becomes a little greater or less; the operands tell what depends
  on it, and how much (the slope; grey-box concolic testing, Eclipser, 2019).
* *Solving*: how far it must go, if what depends on it is linear modulo a power of two,
  or as good as linear.
* *Bisecting*: between two numbers with which an operand is less and greater than the
  other one there is one with which they meet, if at all.
* *Descending*: powers of two are added or taken away, the greatest first, while the
  operands come nearer to each other: what is monotone ends at the nearest number.
* *Flipping*: bits change while more bits of the operands are equal: masks, rotations.

What a change breaks is mended (`repairs`). When no target is left, what has failed is
made to get further (`fitting`), and what has succeeded goes to `limits`.

A variant must make the target: the conditions that lead to it hold then. If it comes
nearer, and compares no less than the base, so that what held behind the target does as
well, it takes the place of the base. When nothing helps the next target is tried.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    copy_log,
    find,
    is_below,
    left_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE, context_of
from echidna_mcp.fuzz.climbing.fallen import note_fallen
from echidna_mcp.fuzz.climbing.fitting import (
    DONE,
    begin_fitting,
    can_be_fitted,
    choose_fit,
    is_fit,
)
from echidna_mcp.fuzz.climbing.limits import (
    begin_limits,
    choose_limit,
    end_limit,
    is_counted_with,
    nears_limit,
    off_limit,
)
from echidna_mcp.fuzz.climbing.making import take_window
from echidna_mcp.fuzz.climbing.places import (
    ADDRESS,
    BYTE,
    LENGTH,
    PLACE_SORT,
    PLACE_WORDS,
    SENDER,
    changed_at,
    ordered,
    read_place,
)
from echidna_mcp.fuzz.climbing.proposals import (
    FAR_STEPS,
    FEEL_DOWN,
    begin_descent,
    count_variant,
    end_of_powers,
    is_spent,
    next_place,
    present,
    propose,
)
from echidna_mcp.fuzz.climbing.repairs import (
    begin_repair,
    forget_repairs,
    is_mended,
    make_repaired,
)
from echidna_mcp.fuzz.climbing.seeing import see_base, see_variant, take_seen
from echidna_mcp.fuzz.climbing.sites import (
    GOAL_DOUBLINGS,
    MOST_DOUBLINGS,
    UNMOVED_TRIES,
    forgive,
    give_up,
)
from echidna_mcp.fuzz.climbing.state import (
    ANSWER,
    BISECT,
    CHOOSE,
    CREDIT,
    DESCEND,
    FEEL,
    FLIP,
    MET,
    MISSED,
    MOST_SPENT,
    SOLVE,
    Climb,
)
from echidna_mcp.fuzz.climbing.targets import (
    begin_targets,
    choose_target,
    comes_nearer,
    is_met,
    is_of_earlier_call,
    list_all,
    pass_over_targets,
)
from echidna_mcp.fuzz.climbing.ties import begin_ties
from echidna_mcp.fuzz.records import copy_range
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, copy, u64, u256, wrap64, wrap256

MOST_PASSES = 3
"""How often all places are gone through while a target comes nearer."""
MOST_NEARINGS = 32
"""How often a guard comes nearer to its limit, by which it is near enough."""


def begin_sequence_of_climbs(c: Climb) -> None:
    """Begin to climb the calls of a sequence."""
    c.spent = 0
    c.answered = 0
    c.failed = 0


def begin_climb(
    c: Climb,
    window: Bytes,
    start: u64,
    last: u64,
    end: u64,
    log: Bytes,
    count: u64,
    succeeded: u64,
) -> u64:
    """Begin to climb the last call of a window, which has run.

    Args:
        c: the record.
        window: holds the calls of the window, from `start` to `end`.
        start: a byte offset.
        last: where the last call begins.
        end: its end.
        log: the comparison log of the last call.
        count: how many comparisons it made.
        succeeded: 1 unless it failed.

    Returns:
        0 if it can't have any variant: then the climb is over, and has no base.
    """
    if c.fits_alone != 0 and (succeeded != 0 or count == 0):
        return 0
    c.context = context_of(c, window, last)
    begin_comparisons(c, log, count)
    c.goal = 0
    c.succeeded = succeeded
    begin_limits(c)
    begin_fitting(c)
    if c.fits_alone != 0:
        c.limits = 0
        if can_be_fitted(c) == 0:
            return 0
    elif c.single == 0:
        pass_over_targets(c)
        if can_be_fitted(c) == 0 and (succeeded == 0 or c.limits == 0):
            return 0
    take_window(c, window, start, end)
    return 1


def begin_comparisons(c: Climb, log: Bytes, count: u64) -> None:
    """Begin with what the base, or a test behind it, has compared."""
    c.row_count = copy_log(log, count, c.rows)
    c.compared = count
    see_base(c)
    begin_targets(c)
    # They are listed when there is a target: most calls have none.
    c.place_count = 0
    forget_repairs(c)
    begin_ties(c)


def begin_goal_climb(
    c: Climb,
    window: Bytes,
    start: u64,
    end: u64,
    log: Bytes,
    count: u64,
    number: u64,
    selector: u256,
) -> None:
    """Begin to climb a test that was asked about the state behind a window.

    Args:
        c: the record.
        window: as `begin_climb` takes it.
        start: likewise.
        end: likewise.
        log: what the test has compared.
        count: how many comparisons it made.
        number: of the test.
        selector: of its function.
    """
    take_window(c, window, start, end)
    c.context = wrap64(EVERYWHERE)
    begin_comparisons(c, log, count)
    c.succeeded = 1
    begin_limits(c)
    c.limits = 0
    c.fitted = DONE
    c.goal = number + 1
    c.goal_selector = selector
    c.by_part = mix64(c.turn) >> 63
    # The tests are what it is all about: they have variants of their own, for one of
    # what they compare, each time another.
    c.spent = 0
    c.answered = 0
    c.failed = CREDIT - 1
    if c.row_count != 0:
        c.next = 1 + mix64(c.turn) % c.row_count


def next_variant(tables: FuzzTables, c: Climb) -> u64:
    """Make the next variant, which begins with the call `c.first` of the window.

    Returns:
        1; or 0 if there is none: then the base is what is kept.
    """
    while c.answered < MOST_SPENT:
        if c.mending != 0:
            if make_repaired(c, tables) != 0:
                return count_variant(c)
            miss(c)
        elif c.phase == CHOOSE:
            if choose_next(tables, c) == 0:
                return 0
        elif is_spent(c) != 0:
            c.moved = 1  # Nobody knows: not all was tried.
            lose_heart(c)
            c.failed = CREDIT
            c.limits = 0
            c.phase = CHOOSE
        elif c.place == c.place_count or (
            c.limit | c.fit != 0 and is_of_earlier_call(c) != 0
        ):
            end_of_places(c)
        elif c.limit != 0 and is_counted_with(c) == 0:
            next_place(c)
        else:
            c.row = c.place * PLACE_WORDS
            c.mended = 0
            if propose(tables, c) != 0:
                return count_variant(c)
    return 0


def choose_next(tables: FuzzTables, c: Climb) -> u64:
    """Make something the target; return 0 if nothing is left."""
    c.fit = 0
    if c.fits_alone == 0 and choose_target(tables, c) != 0:
        return 1
    if choose_fit(tables, c) != 0:
        return 1
    return choose_limit(tables, c)


def end_of_places(c: Climb) -> None:
    """Go on when all places were gone through: once more, or to another target."""
    c.place = 0
    c.step = 0
    if c.phase == ANSWER or c.limit != 0:
        end_limit(c)
        c.phase = CHOOSE
    elif c.gained != 0 and c.passes < MOST_PASSES:
        c.gained = 0
        c.passes = c.passes + 1
        c.far = 0
    elif c.far == 0:
        c.far = 1
    else:
        lose_heart(c)
        c.failed = c.failed + 1
        c.phase = CHOOSE


def lose_heart(c: Climb) -> None:
    """Take note that the target was sought in vain."""
    if c.limit != 0 or c.fit != 0:
        return
    tries = wrap64(1)
    if c.seldom_targets != 0 and c.moved == 0:
        tries = wrap64(UNMOVED_TRIES)
    most = wrap64(MOST_DOUBLINGS)
    if c.goal != 0:
        most = wrap64(GOAL_DOUBLINGS)
    give_up(c.sites, c.site, tries, most)


def judge_variant(
    tables: FuzzTables, c: Climb, log: Bytes, count: u64, succeeded: u64
) -> u64:
    """Look at what the variant has compared, which has run; return 1 if it is kept.

    Args:
        tables: the tables.
        c: the record.
        log: the comparison log of its last call.
        count: how many comparisons that made; 0 if it was not made.
        succeeded: 1 unless its last call failed.
    """
    heard = copy_log(log, count, c.heard)
    see_variant(c, heard)
    if c.mending != 0 and is_mended(c, heard) == 0:
        return 0
    row = find(c.heard, heard, c.key, c.number)
    met = is_met(c, row, heard)
    if c.fit != 0:
        met = is_fit(c, met, count, succeeded)
    if met == MET:
        return settle(tables, c, heard, count, succeeded)
    if met == MISSED:
        if begin_repair(c, heard, count) == 0:
            miss(c)
        return 0
    return judge_made(tables, c, row, heard, count, succeeded)


def judge_made(
    tables: FuzzTables, c: Climb, row: u64, heard: u64, count: u64, succeeded: u64
) -> u64:
    """Do so if it makes the target, at `row`, with the outcome that it had."""
    left = left_at(c.heard, row)
    right = right_at(c.heard, row)
    if left != c.left or right != c.right:
        c.moved = 1
    if c.phase == FEEL:
        feel(c, left, right)
        return 0
    if c.phase == ANSWER:
        return 0
    if c.phase == BISECT or (c.limit != 0 and is_below(left, right) != c.side):
        halve(c, left, right)
    nearer = wrap64(0)
    if c.limit == 0:
        nearer = comes_nearer(c, left, right, count)
    elif succeeded != 0:
        nearer = nears_limit(c, left, right, count)
    if nearer == 0:
        lose(c)
        return 0
    c.left = left
    c.right = right
    c.compared = count
    c.succeeded = succeeded
    keep(tables, c, heard)
    gain(c)
    return 1


def miss(c: Climb) -> None:
    """Go on after a variant that does not make the target."""
    step = c.step
    if c.phase == FEEL:
        # Other conditions depend on the number, too.
        c.step = step + 1
        c.strayed = 1
        if c.far == 0 and step == FEEL_DOWN:
            next_place(c)
        elif c.far != 0 and step < FAR_STEPS:
            # Perhaps they hold again some strides on.
            c.step = FAR_STEPS
    elif c.phase == BISECT:
        begin_descent(c)
    elif c.phase != ANSWER:
        lose(c)


def lose(c: Climb) -> None:
    """Go on after a variant that does not bring the target nearer."""
    c.idle = c.idle + 1
    if c.phase != SOLVE:  # That has gone on by itself.
        c.step = c.step + 1
        c.rising = 0


def gain(c: Climb) -> None:
    """Go on after a variant that has brought the target nearer."""
    c.gained = 1
    c.idle = 0
    sort = c.places[c.row + PLACE_SORT]
    if c.limit != 0:
        near_limit(c)
    elif c.phase == FLIP:
        c.step = c.step + 1
    elif c.phase == DESCEND and c.rising != 0 and c.step > 2:
        c.step = c.step - 2
    elif c.phase == SOLVE and sort != LENGTH and sort != BYTE:
        begin_descent(c)
    elif c.phase == SOLVE:
        # After another length all places are other ones.
        c.phase = FEEL
        c.place = 0
        c.step = 0


def near_limit(c: Climb) -> None:
    """Go on after a variant that has brought a guard nearer to its limit."""
    c.passes = c.passes + 1
    if off_limit(c, c.left, c.right) == 0 or c.passes == MOST_NEARINGS:
        end_limit(c)
        c.phase = CHOOSE
    elif c.phase == SOLVE:
        # What is not linear has another slope here.
        c.phase = FEEL
        c.step = 0


def settle(tables: FuzzTables, c: Climb, heard: u64, count: u64, succeeded: u64) -> u64:
    """Decide whether a variant with the wanted outcome is kept; return 1 if so.

    The other way at a comparison often ends the call: then what stands behind it would
    be lost, unless that was the last one. But that it was there is known now.
    """
    c.phase = CHOOSE
    note_fallen(c)
    if c.seldom_targets != 0 and c.fit == 0:
        forgive(c.sites, c.site)
    if c.fitting == 0:
        # Campaigns without fitting took it for the base's in any case.
        c.succeeded = succeeded
    if count < c.compared and c.fit == 0 and c.next + 1 != c.row_count:
        return 0
    c.succeeded = succeeded
    keep(tables, c, heard)
    c.compared = count
    begin_targets(c)
    return 1


def feel(c: Climb, left: u256, right: u256) -> None:
    """Go on after a change by the stride, which did not solve the target."""
    sort = c.places[c.row + PLACE_SORT]
    step = c.step
    c.step = step + 1
    if sort == ADDRESS or sort == SENDER:
        return
    c.slope = wrap256(wrap256(left - right) - wrap256(c.left - c.right))
    c.side = is_below(c.left, c.right)
    c.here = ordered(c.places, c.row, present(c))
    c.there = c.here
    if c.kind == ComparisonKind.EQUAL and is_below(left, right) != c.side:
        c.there = tried(c)
    if c.slope != 0:
        c.phase = SOLVE
        c.step = 0
    elif c.far == 0:
        next_place(c)
    elif step == FAR_STEPS - 1:
        end_of_powers(c)


def halve(c: Climb, left: u256, right: u256) -> None:
    """Let the number that was tried, with these operands, take the place of an end."""
    if is_below(left, right) == c.side:
        c.here = tried(c)
    else:
        c.there = tried(c)


def tried(c: Climb) -> u256:
    """Return the ordered number at the present place of the variant."""
    at = changed_at(c, c.row)
    return ordered(c.places, c.row, read_place(c.places, c.row, c.variant, at))


def keep(tables: FuzzTables, c: Climb, heard: u64) -> None:
    """Make the variant the base."""
    start = c.base_starts[c.first]
    begin = c.variant_starts[c.first]
    end = c.variant_starts[c.calls]
    copy_range(c.variant, begin, end, c.base, start)
    for call in range(c.first, c.calls + 1):
        c.base_starts[call] = c.variant_starts[call] - begin + start
    c.first = c.calls
    copy(c.rows, 0, c.heard, 0, heard * COMPARISON_ROW)
    c.row_count = heard
    take_seen(c, heard)
    if c.places[c.row + PLACE_SORT] == LENGTH:
        # What follows has other places now.
        list_all(tables, c)
        forget_repairs(c)

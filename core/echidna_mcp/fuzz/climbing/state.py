"""How far climbing is: the record that one variant hands to the next."""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import Bytes, Words, u64, u256
from echidna_mcp.kernel.language.record import record

MOST_BACK = 6
"""So many calls before the one that is climbed may be changed, too."""
WINDOW = MOST_BACK + 1
MOST_SPENT = 4096
"""Variants of one sequence, in a task that is large enough."""
CREDIT = 6
"""Comparisons of one sequence whose other outcome is sought in vain, before it ends."""

CHOOSE = 0
ANSWER = 1
FEEL = 2
SOLVE = 3
DESCEND = 4
FLIP = 5
BISECT = 6
"""Phases of a climb: a target is chosen, or what may lead to it is tried."""

MISSED = 0
MADE = 1
MET = 2
"""A variant does not make the target, makes it, or gives it the wanted outcome."""


@record
class Climb:
    """What is climbed, and how far that is.

    A *window* is the call that is climbed and the calls before it that may change, as
    records one after the other; `starts` tell where each begins and the last one ends.

    Attributes:
        sites: what the task has seen and tried (`sites`).
        base, base_starts: the best window so far.
        calls: how many calls it has.
        rows, row_count: what the last call of it compares (`comparisons.copy_log`).
        compared: how many comparisons that makes; the rows are the last of them.
        variant, variant_starts: the calls from `first` on of the window that runs.
        first: from which call on the machine is not, or will not be, in the state that
            the base leads to; `calls` if it is in that state.
        heard: what the variant compares.
        places, place_count: what may change in the base (`places`).
        next: rows before this one are yet to be looked at for a target.
        deep: 1 if targets are felt for, 0 if they are only answered.
        where: rows of `sites` of what the base compares (`seeing`).
        single: 1 if there is one of which only one outcome was seen.
        heard_where, heard_single: the same of the variant.
        key, number, kind, wanted: which comparison is the target, and the outcome that
            it does not have.
        left, right: its operands in the base.
        phase, place, step: what is tried next (`climb`).
        row: the place that the variant changes, as a row of `places`.
        stride: by what it was changed to feel what depends on it.
        slope: by how much the operands' difference has changed then.
        side: 1 if the operands' difference is below 0 in the base, when felt.
        here, there: ordered numbers (`places.ordered`) of the place: one at which the
            difference has this sign, and one at which it has the other; equal if none
            is known.
        far: 1 if numbers are changed by far, 0 if by one.
        rising: 1 while ever greater powers of two bring the target nearer.
        idle: steps without progress.
        gained: 1 if the target came nearer since its places were gone through.
        moved: 1 if the number at some place has moved the target.
        unseen: 1 if nothing had the wanted outcome before, as far as is known.
        passes: how often they were.
        spent: variants of the sequence that were no answers.
        most: how many it may have.
        answered: those that were.
        failed: targets of it that were given up.
        goal: 0 if the last call's comparisons are climbed; else those of a test that is
            asked about the state behind it, and the test's number, counted from 1.
        goal_selector: of that test's function.
        by_part: 1 if what a test compares comes nearer by the part that the distance of
            its operands is of the greater one.
        turn: tells which test is next.
        looked: comparisons of tests that were no news (`goals.find_goal`).
        limiting: 1 if calls are driven to limits (`limits`).
        limit_turn: tells which ones.
        seldom_limits: 1 if what they were driven to in vain is passed over at times.
        seldom_targets: 1 if what was found after some tries is sought as seldom in the
            next task, and what nothing moves more seldom (`sites`).
        limits: how many more of them the call has.
        limit: 1 while one is sought; then `wanted` is the outcome that the guard has.
        fitting: 1 if calls that fail at a guard are made to hold it (`fitting`).
        fit_turn: tells how.
        fits_often: 1 if some sequences are climbed to fit their calls alone.
        fits_alone: 1 if this one is.
        fitted: what was tried with the guard at which the base fails.
        fit: 1 while that is the target.
        fits: how many the call was made to hold.
        inset: how many less than what is let is sought.
        succeeded: 1 if the last call of the base has.
        tying: 1 if numbers may be tied to those of other calls (`ties`).
        tie_turn: tells when.
        tied: 1 if they are in the present climb.
        waypoints: 1 if it is news how near climbed calls come to outcomes.
        profiling: 1 if small numbers that they compare may be (`profiles`).
        profiles: 1 if they are, since there is room for more of them.
        masks: 1 if bits count by which words differ that shall be equal.
        fields: 1 if numbers may be several (`fields`).
        strayed: 1 if the target was missed when the number was changed by far.
        repairing: 1 if what a change breaks may be mended by a second one (`repairs`).
        mended: how many equations were mended in the variant.
        mending: 0, or 1 more than the ways of which it is yet to be tried whether they
            mend what the variant has broken.
        lowest: the last of these ways that is tried.
        broken: the row of that equation, in the base and in what was heard.
        gap, differing: by which number it is off, and in which bits.
        repair, mended_row, unmended: the way that is tried, the place that it changes,
            and what stood there; the row of the variant's own place if none is.
        repairs, repair_count: by their marks, the ways that mend equations.
        known_repair: 1 more than the one that is known for this equation, or 0.
        by_function: 1 if comparisons are told apart by functions (`contexts`).
        context: of the call that is climbed.
        site: the row of the target in it (`sites.row_in`).
        fallen, fallen_count: what has fallen in this task.
        fallen_marks: marks of that, and of what had fallen before.
    """

    sites: Words
    base: Bytes
    base_starts: Words
    calls: u64
    rows: Bytes
    row_count: u64
    compared: u64
    variant: Bytes
    variant_starts: Words
    first: u64
    heard: Bytes
    places: Words
    place_count: u64
    next: u64
    deep: u64
    where: Words
    single: u64
    heard_where: Words
    heard_single: u64
    key: u64
    number: u64
    kind: u64
    wanted: u64
    left: u256
    right: u256
    phase: u64
    place: u64
    step: u64
    row: u64
    stride: u256
    slope: u256
    side: u64
    here: u256
    there: u256
    far: u64
    rising: u64
    idle: u64
    gained: u64
    moved: u64
    unseen: u64
    passes: u64
    spent: u64
    most: u64
    answered: u64
    failed: u64
    goal: u64
    goal_selector: u256
    by_part: u64
    turn: u64
    looked: Bytes
    limiting: u64
    limit_turn: u64
    seldom_limits: u64
    seldom_targets: u64
    limits: u64
    limit: u64
    fitting: u64
    fit_turn: u64
    fits_often: u64
    fits_alone: u64
    fitted: u64
    fit: u64
    fits: u64
    inset: u64
    succeeded: u64
    tying: u64
    tie_turn: u64
    tied: u64
    waypoints: u64
    profiling: u64
    profiles: u64
    masks: u64
    fields: u64
    strayed: u64
    repairing: u64
    mended: u64
    mending: u64
    lowest: u64
    broken: u64
    gap: u256
    differing: u256
    repair: u64
    mended_row: u64
    unmended: u256
    repairs: Words
    repair_count: u64
    known_repair: u64
    by_function: u64
    context: u64
    site: u64
    fallen: Bytes
    fallen_count: u64
    fallen_marks: Words

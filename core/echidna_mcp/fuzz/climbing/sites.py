"""Sites: which outcomes of comparisons a task has seen, and what it tries in vain.

A table of `SITES` rows of five words: the mark of a comparison, or of one in calls of
a function (`row_in`); from bit 0 the outcomes that were seen, and `FOUND`, from bit 8
how often its other outcome was sought in vain, from bit 16 how often that is to be
passed over; and how near a sequence has come to the other outcome
(`comparisons.nearness`), and of those of a test how close (`comparisons.closeness`), 0
if that is not known; and the first small operands (`profiles`). Those operands, and how
like words are, have rows as well.

What fails again and again is tried ever more seldom, but never given up: another state
may let it pass. If something has let it pass after all, it fails no less often in the
next task: the tries that it took are kept, and half of them are forgiven if to seek it
was what found it.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.comparisons import mark_at
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Bytes, Words, u64, wrap64

SITES = 4096
SITE_WORDS = 5
NEAREST = 2
CLOSEST = 3
PROFILE = 4
NEIGHBOURS = 8
"""Rows that are looked at for a mark."""
NO_ROW = SITES * SITE_WORDS
BOTH = 3
FOUND = 4
"""Bit of what was seen both ways, in this task or others, after some tries."""
OUTCOMES = BOTH | FOUND
TRIES_SHIFT = 8
WAIT_SHIFT = 16
TRIES_MASK = 255
MOST_DOUBLINGS = 14
FOUND_AFTER = 64
"""More than any number of tries: told of what was found after so many."""
UNMOVED_TRIES = 2
"""To have sought what nothing that a call or those before it have moves counts so much:
a flag, a length, what others own."""
ANSWERED_TRIES = 4
GOAL_DOUBLINGS = 6
"""Of a comparison of a test, which is what the campaign is about."""


def row_of(sites: Words, mark: u64) -> u64:
    """Return the row of a mark, perhaps a new one; `NO_ROW` if there is no room."""
    row = place_of(sites, mark)
    if row != NO_ROW:
        sites[row] = mark
    return row


def place_of(sites: Words, mark: u64) -> u64:
    """Return the row that a mark has, or would have; `NO_ROW` if there is no room."""
    place = mark >> 8
    for near in range(NEIGHBOURS):
        row = ((place + near) % SITES) * SITE_WORDS
        if sites[row] == mark or sites[row] == 0:
            return row
    return wrap64(NO_ROW)


def row_in(sites: Words, context: u64, rows: Bytes, at: u64) -> u64:
    """Return the row of the comparison at byte `at` of a log in a context.

    Until both of its outcomes were seen it is the same in all (`contexts`). It is
    `NO_ROW` if there is no room.
    """
    row = row_of(sites, mark_at(rows, at))
    if context != EVERYWHERE and is_split(sites, row) != 0:
        return row_of(sites, sites[row] ^ context)
    return row


@inline
def see(sites: Words, row: u64, outcome: u64, lasting: u64) -> None:
    """Take note of an outcome of the comparison of a row.

    Args:
        sites: the table.
        row: of the comparison.
        outcome: it.
        lasting: 1 if tries outlast that the other one is found, else 0.
    """
    state = sites[row + 1] | (wrap64(1) << outcome)
    if state & BOTH == BOTH:
        # Found after all: what waits for it waits no more.
        kept = wrap64(0)
        if lasting != 0:
            kept = state & (TRIES_MASK << TRIES_SHIFT) | FOUND
        state = BOTH | kept
    sites[row + 1] = state


def is_open(sites: Words, row: u64) -> u64:
    """Return 1 if the task has not seen the other outcome of a comparison, else 0.

    Answers cost little, but where most calls have some they come to much: what was
    sought in vain `ANSWERED_TRIES` times waits for them, too.
    """
    if row == NO_ROW or sites[row + 1] & BOTH == BOTH:
        return 0
    if sites[row + 1] >> WAIT_SHIFT == 0:
        return 1
    if sites[row + 1] >> TRIES_SHIFT & TRIES_MASK >= ANSWERED_TRIES:
        return 0
    return 1


@inline
def is_split(sites: Words, row: u64) -> u64:
    """Return 1 if the task has seen both outcomes of a comparison, else 0."""
    if row == NO_ROW or sites[row + 1] & BOTH != BOTH:
        return 0
    return 1


def is_unseen(sites: Words, row: u64, mark: u64) -> u64:
    """Return 1 if nothing had the other outcome of a comparison, as far as is known.

    Args:
        sites: the table.
        row: of the comparison; another one in a context, where it was seen both ways.
        mark: of the comparison.
    """
    if row == NO_ROW or sites[row] != mark or sites[row + 1] & FOUND != 0:
        return 0
    return 1


def is_sought(sites: Words, row: u64) -> u64:
    """Return 1 if the other outcome of a comparison shall be sought now, else 0."""
    if row == NO_ROW:
        return 0
    state = sites[row + 1]
    if state & BOTH == BOTH:
        return 0
    if state >> WAIT_SHIFT != 0:
        sites[row + 1] = state - (wrap64(1) << WAIT_SHIFT)
        return 0
    return 1


def forget_tries(sites: Words, row: u64) -> None:
    """Take note that what was sought in vain is no more."""
    if row != NO_ROW:
        sites[row + 1] = sites[row + 1] & BOTH


def forgive(sites: Words, row: u64) -> None:
    """Take note that to seek the other outcome has found it."""
    if row != NO_ROW:
        tries = (sites[row + 1] >> TRIES_SHIFT & TRIES_MASK) >> 1
        sites[row + 1] = sites[row + 1] & OUTCOMES | (tries << TRIES_SHIFT)


def give_up(sites: Words, row: u64, times: u64, most: u64) -> None:
    """Take note that the other outcome was sought in vain.

    Args:
        sites: the table.
        row: of the comparison.
        times: as how many tries that counts.
        most: how many there can be.
    """
    if row != NO_ROW:
        seen = sites[row + 1] & OUTCOMES
        tries = least((sites[row + 1] >> TRIES_SHIFT & TRIES_MASK) + times, most)
        wait = (wrap64(1) << tries) - 1
        sites[row + 1] = seen | (tries << TRIES_SHIFT) | (wait << WAIT_SHIFT)


def know_tries(sites: Words, tries: Words, count: u64) -> None:
    """Write into an empty table what a campaign has tried.

    Args:
        sites: the table.
        tries: marks, ascending, each followed by how often it was tried (`tried`).
        count: how many there are.
    """
    for number in range(count):
        row = row_of(sites, tries[2 * number])
        if row != NO_ROW:
            times = tries[2 * number + 1]
            found = times // FOUND_AFTER * FOUND
            known = least(times % FOUND_AFTER, MOST_DOUBLINGS)
            sites[row + 1] = found | (known << TRIES_SHIFT)


def know_nearest(sites: Words, nearest: Words, count: u64) -> None:
    """Write into such a table how near a campaign has come to outcomes.

    Args:
        sites: the table.
        nearest: marks, ascending, each followed by how near that is (`come_nearer`).
        count: how many there are.
    """
    for number in range(count):
        come_nearer(sites, nearest[2 * number], nearest[2 * number + 1])


def come_nearer(sites: Words, mark: u64, near: u64) -> None:
    """Take note of how near a sequence has come to an outcome.

    Args:
        sites: the table.
        mark: that of how close a comparison is if it is even; its own comes next.
        near: how near, or close, that is.
    """
    row = row_of(sites, mark | 1)
    if row != NO_ROW:
        if mark & 1 != 0:
            sites[row + NEAREST] = near
        else:
            sites[row + CLOSEST] = near


def set_waits(sites: Words, turn: u64) -> None:
    """Say how often what was sought in vain is to be passed over, at first.

    Args:
        sites: the table, in which nothing waits.
        turn: tells the task from others, which seek other ones first.
    """
    for number in range(SITES):
        row = number * SITE_WORDS
        tries = sites[row + 1] >> TRIES_SHIFT & TRIES_MASK
        if tries != 0:
            wait = mix64(sites[row] ^ turn) & ((wrap64(1) << tries) - 1)
            sites[row + 1] = sites[row + 1] | (wait << WAIT_SHIFT)


def list_learnt(sites: Words, known: Words, found: Words) -> u64:
    """List what was tried more or less often than was known; return how many that are.

    Args:
        sites: the table of a task.
        known: the one that it began with.
        found: gets the mark of each, and how often it was tried (`tried`).
    """
    count = wrap64(0)
    for number in range(SITES):
        row = number * SITE_WORDS
        if tried(sites[row + 1]) != tried(known[row + 1]):
            found[2 * count] = sites[row]
            found[2 * count + 1] = tried(sites[row + 1])
            count = count + 1
    return count


@inline
def tried(state: u64) -> u64:
    """Return how often the comparison with this state was tried.

    That is `FOUND_AFTER` more if it was found after all, and is sought as seldom.
    """
    tries = state >> TRIES_SHIFT & TRIES_MASK
    if tries != 0 and state & FOUND != 0:
        return tries + FOUND_AFTER
    return tries

"""Shrinking: candidates for a reproducer, made, run and judged without Python.

It mirrors `rounds.shrinking`. A candidate of which it is not certain whether it
falsifies the test is left to the round.
"""

from __future__ import annotations

from echidna_mcp.fuzz.records import call_length, copy_range
from echidna_mcp.fuzz.shrink import shrink_candidate
from echidna_mcp.fuzz.shrink_value import NO_MORE, UNCHANGED
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import Bytes, peek256, u64
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.search.calls import CALL_WORK, aim, run_record
from echidna_mcp_plugins.native.search.judging import call_fails, still_holds
from echidna_mcp_plugins.native.search.loop import forget_sequences
from echidna_mcp_plugins.native.search.politeness import spend
from echidna_mcp_plugins.native.search.state import (
    TELLS_DOUBT,
    TELLS_FAILING,
    TELLS_HOLDING,
    TELLS_NOTHING,
    Search,
    begin_sequence,
    take_branch,
)
from echidna_mcp_plugins.native.search.status import (
    INVALID_OPCODE,
    INVARIANT,
    REVERT,
    VALUE,
    is_discarded,
    reverts_with_assertion,
)
from echidna_mcp_plugins.native.state.machine import (
    ASSERTION_LOGGED,
    FAULT_CAPACITY,
    FAULT_NONE,
    Machine,
)

WORD = 32
"""Records are so many bytes, or a multiple of it."""


@record
class Shrinking:
    """How far shrinking is.

    Attributes:
        cursor: number of the candidate that is tried next.
        best_end: end of the reproducer.
        accepted: how many candidates have taken its place.
        attempts, most_attempts: how many were run, and may be.
        accepting: 0 if those that falsify the test are left to the round.
    """

    cursor: u64
    best_end: u64
    accepted: u64
    attempts: u64
    most_attempts: u64
    accepting: u64


def try_candidates(
    m: Machine,
    s: Search,
    shrinking: Shrinking,
    tables: FuzzTables,
    best: Bytes,
    out: Bytes,
) -> u64:
    """Try candidates for the reproducer `best` of the only test.

    Returns:
        1 if the one under the cursor is left to the round, and not counted, or if there
        are no more; 0 if the work or the attempts that were left are done.
    """
    m.comparing = 0
    s.climbs = 0
    forget_sequences(s)
    while s.work < s.left and shrinking.attempts < shrinking.most_attempts:
        best_end = shrinking.best_end
        end = shrink_candidate(tables, best, best_end, shrinking.cursor, out)
        if end == NO_MORE:
            return 1
        if end == UNCHANGED:
            shrinking.cursor = shrinking.cursor + 1
            continue
        known = same_calls(best, best_end, out, end)
        told = judge(m, s, tables, out, end, known)
        if told == TELLS_DOUBT or (told == TELLS_FAILING and shrinking.accepting == 0):
            return 1
        s.work = s.work + s.spent
        shrinking.attempts = shrinking.attempts + 1
        if told == TELLS_FAILING:
            # No candidate is longer than what it was made from.
            shrinking.best_end = copy_range(out, 0, end, best, 0)
            shrinking.accepted = shrinking.accepted + 1
        else:
            shrinking.cursor = shrinking.cursor + 1
    return 0


def same_calls(left: Bytes, left_end: u64, right: Bytes, right_end: u64) -> u64:
    """Return the end of the calls with which two sequences begin alike."""
    at = 0
    while at < left_end and at < right_end:
        after = at + call_length(left, at)
        # The first word has the length, so that records which differ in it stop here.
        for place in range(at // WORD, after // WORD):
            if peek256(left, place * WORD) != peek256(right, place * WORD):
                return at
        at = after
    return at


def judge(
    m: Machine, s: Search, tables: FuzzTables, sequence: Bytes, end: u64, known: u64
) -> u64:
    """Run a candidate from the branch on; return what it tells of the test.

    The next one may begin with the same calls up to `known`, where a branch is taken.
    """
    begin_sequence(m, s, known)
    at = s.branch
    while at < end:
        if aim(s, tables, sequence, at) != 0:
            s.told = tells(m, s, run_record(m, s, tables, sequence, at))
            # A cheatcode that is not known to be refused is novel.
            if m.fault == FAULT_CAPACITY or m.novel != 0:
                return TELLS_DOUBT
        at = at + call_length(sequence, at)
        if at == known and s.branching != 0:
            take_branch(m, s, at)
    spend(s, CALL_WORK)
    return judge_end(m, s)


@inline
def tells(m: Machine, s: Search, status: u64) -> u64:
    """Return what the call that has ended tells of the test."""
    if call_fails(m, s, status) != 0:
        return tells_failing(m, s, status)
    if status >= REVERT:
        return TELLS_HOLDING
    return TELLS_NOTHING


@cold
def tells_failing(m: Machine, s: Search, status: u64) -> u64:
    """Return whether the call that may falsify the test does so, by all rules."""
    if s.watches_discards != 0 or s.watches_overflow != 0:
        return TELLS_FAILING
    if m.refused != 0 or s.watches_destruction != 0:
        return TELLS_DOUBT
    if m.assertion & ASSERTION_LOGGED != 0:
        return TELLS_FAILING
    # Whether a cheatcode has told of a failure, only the round knows.
    if s.watches_logs != 0 or status < REVERT:
        return TELLS_DOUBT
    if status == INVALID_OPCODE or reverts_with_assertion(m, s.panics) != 0:
        return TELLS_FAILING
    if s.any_failure != 0 and is_discarded(m, status) == 0:
        return TELLS_FAILING
    return TELLS_DOUBT


def judge_end(m: Machine, s: Search) -> u64:
    """Return what the state after the last call tells of the test."""
    if s.told >= TELLS_DOUBT:
        return s.told
    if s.property_count + s.last_property == 0:
        return TELLS_HOLDING
    # Values and what comes after invariants are asked however the last call ended.
    if s.told == TELLS_HOLDING and s.first_value != 0:
        return TELLS_HOLDING
    keeping = s.keeping
    if still_holds(m, s, 0) != 0:
        return TELLS_HOLDING
    if m.fault == FAULT_CAPACITY or m.novel != 0 or m.refused != 0:
        return TELLS_DOUBT
    # As above; and what is as great or greater raises what others must have.
    if s.properties[0] & INVARIANT != 0 and m.fault == FAULT_NONE:
        return TELLS_DOUBT
    if s.properties[0] & VALUE != 0:
        return TELLS_DOUBT
    # Once, what is no part of the journal was not kept.
    if s.keeping != keeping:
        return TELLS_DOUBT
    return TELLS_FAILING

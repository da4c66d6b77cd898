"""Calls of which nothing has to be known but how they end, made without Python.

Candidates of `rounds.shortening` are mostly such calls, and so are those of a sequence
with news: before and behind the few that have them.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.contexts import context_of
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.records import call_length, call_value
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Bytes, Words, load64, u64, u256, wrap64
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.search.calls import aim, run_record
from echidna_mcp_plugins.native.search.climbing import keep_log
from echidna_mcp_plugins.native.search.counting import has_left, note_spent, take_back
from echidna_mcp_plugins.native.search.judging import shows_something
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.search.status import REVERT
from echidna_mcp_plugins.native.state.accesses import (
    ACCESS_END,
    ACCESS_ROW,
    ACCESS_WRITTEN,
)
from echidna_mcp_plugins.native.state.journal import created_account
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    JOURNAL_ROW,
    RECORDED,
    WATCHED,
    Machine,
)


@record
class Passing:
    """Calls that are made, and how they end.

    Attributes:
        calls: how many were made.
        broken: 1 if the last of them failed, and must not.
        judging: 1 if they are judged.
        looking: 1 if note is taken of the outcomes of what they compare.
        doubt: 1 if the one that has run behind them is none of them: if it is judged,
            it may be worth recording; else, how it ends may depend on what has run
            before.
        demanded: by call, 1 if it must succeed.
        watching: 1 if it is told which calls are idle.
        idle: by call, 1 if it has written nothing, been paid nothing and created
            nothing, if that is to be told.
        statuses, gas: by call.
    """

    calls: u64
    broken: u64
    judging: u64
    looking: u64
    doubt: u64
    demanded: Bytes
    watching: u64
    idle: Bytes
    statuses: Bytes
    gas: Words


def pass_over(
    m: Machine, s: Search, p: Passing, tables: FuzzTables, sequence: Bytes, end: u64
) -> None:
    """Make calls in the present state, up to one that fails and must not.

    All of them are for contracts that are there at the start. What they take is spent.
    """
    m.comparing = 0
    if p.watching != 0:
        m.watching = m.watching | WATCHED
    s.passed = 0
    at = wrap64(0)
    while at < end and p.broken == 0 and p.doubt == 0 and has_left(s) != 0:
        mark = m.journal_end
        note_spent(s)
        aim(s, tables, sequence, at)
        m.comparing = p.looking
        status = run_record(m, s, tables, sequence, at)
        m.comparing = 0
        if p.looking != 0:
            s.heard = m.comparison_count
            keep_log(m, s)
        note_passed(m, p, status, call_value(sequence, at), mark)
        if is_doubtful(m, s, p, status) != 0:
            take_back(s)
            p.doubt = 1
        else:
            if p.looking != 0:
                context = context_of(s.climb, sequence, at)
                look(s.climb, context, s.heard_log, s.heard)
            at = at + call_length(sequence, at)
            p.calls = p.calls + 1
    m.watching = m.watching & RECORDED


@inline
def is_doubtful(m: Machine, s: Search, p: Passing, status: u64) -> u64:
    """Return 1 if the call that has ended is none of those that are passed over."""
    if p.judging != 0:
        return shows_something(m, s, status)
    if m.fault == FAULT_CAPACITY or m.novel != 0:
        return 1
    return 0


def note_passed(m: Machine, p: Passing, status: u64, value: u256, mark: u64) -> None:
    """Take note of how a call of so much wei has ended.

    Args:
        m: the machine.
        p: the calls.
        status: of the call.
        value: of it.
        mark: where the journal ended before.
    """
    p.statuses[p.calls] = status
    p.gas[p.calls] = m.gas_used
    if p.watching != 0 and value == 0 and has_written(m) == 0:
        p.idle[p.calls] = 1 - has_created(m, mark)
    if status >= REVERT and p.demanded[p.calls] != 0:
        p.broken = 1


def has_written(m: Machine) -> u64:
    """Return 1 if the message that has ended wrote to storage, reverted or not."""
    row = wrap64(ACCESS_ROW)
    while row < load64(m.accesses, ACCESS_END):
        if load64(m.accesses, row + ACCESS_WRITTEN) != 0:
            return 1
        row = row + ACCESS_ROW
    return 0


def has_created(m: Machine, mark: u64) -> u64:
    """Return 1 if an account was created since the journal ended at `mark`."""
    if m.creation_count == 0:
        return 0
    row = mark
    while row < m.journal_end:
        if created_account(m, row) != 0:
            return 1
        row = row + JOURNAL_ROW
    return 0

"""Balances and nonces that cheatcodes have set, which survive the revert of a frame.

`CheatHost.set_account` says what that means. A row of the journal in front of the
change tells by how much the field was changed. When a frame is undone, these changes
are added up behind the end of the journal, and made again, as changes of the caller.
That writes no more rows than were undone, and so none over what was added up.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    load64,
    peek256,
    poke256,
    store64,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.state.accounts import (
    balance,
    find_account,
    nonce,
    set_balance,
    set_nonce,
)
from echidna_mcp_plugins.native.state.journal import append_undo, undo_to
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_BALANCE,
    ACCOUNT_CREATED,
    ACCOUNT_NONCE,
    ACCOUNT_ROW,
    FAULT_CAPACITY,
    FULL_JOURNAL,
    JOURNAL_AT,
    JOURNAL_KIND,
    JOURNAL_OLD,
    JOURNAL_ROW,
    UNDO_NOTHING,
    Machine,
)

# What is kept of a field while a frame is undone.
KEPT_FIELD = 0
"""Its offset in a row of `accounts`."""
KEPT_NONCE = 8
"""The nonce before."""
KEPT_MADE = 16
"""1 if the message had created the account."""
KEPT_ADDRESS = 32
"""u256."""
KEPT_CHANGE = 64
"""u256: by how much the field is changed, modulo 2^256."""
KEPT_ROW = 96


@cold
def set_lasting_balance(m: Machine, row: u64, value: u256) -> None:
    """Set the balance of an account for the callers of the frame that runs as well."""
    tell_change(m, row + ACCOUNT_BALANCE, wrap256(value - balance(m, row)))
    set_balance(m, row, value)


@cold
def set_lasting_nonce(m: Machine, row: u64, value: u64) -> None:
    """Set its nonce so."""
    tell_change(
        m, row + ACCOUNT_NONCE, wrap256(wrap256(value) - wrap256(nonce(m, row)))
    )
    set_nonce(m, row, value)


@cold
def tell_change(m: Machine, at: u64, change: u256) -> None:
    """Write in the journal by how much a field will change, but in the first frame."""
    if m.depth != 0 and change != 0:
        m.lasting = m.number
        append_undo(m, UNDO_NOTHING, at, change)


@cold
def undo_but_lasting(m: Machine, mark: u64) -> None:
    """Undo what was journaled after `mark`, but for such changes."""
    start = m.journal_end
    end = keep_changes(m, mark, start)
    if end > m.journal_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_JOURNAL
        return
    undo_to(m, mark)
    at = start
    while at < end:
        put_back(m, at)
        at = at + KEPT_ROW


def keep_changes(m: Machine, mark: u64, start: u64) -> u64:
    """Add the changes after `mark` up, from `start` on; return the end of the sums."""
    end = start
    row = mark
    while row < start and end <= m.journal_limit:
        if load64(m.journal, row + JOURNAL_KIND) == UNDO_NOTHING:
            at = load64(m.journal, row + JOURNAL_AT)
            kept = find_kept(m, start, end, at)
            if kept == end:
                end = end + KEPT_ROW
                if end <= m.journal_limit:
                    begin_kept(m, kept, at)
            if end <= m.journal_limit:
                change = peek256(m.journal, row + JOURNAL_OLD)
                known = peek256(m.journal, kept + KEPT_CHANGE)
                poke256(m.journal, kept + KEPT_CHANGE, wrap256(known + change))
        row = row + JOURNAL_ROW
    return end


def find_kept(m: Machine, start: u64, end: u64, at: u64) -> u64:
    """Return where the changes of a field are added up; `end` if nowhere yet."""
    field = at % ACCOUNT_ROW
    address = peek256(m.accounts, at - field + ACCOUNT_ADDRESS)
    kept = start
    while kept < end:
        if (
            load64(m.journal, kept + KEPT_FIELD) == field
            and peek256(m.journal, kept + KEPT_ADDRESS) == address
        ):
            return kept
        kept = kept + KEPT_ROW
    return end


def begin_kept(m: Machine, kept: u64, at: u64) -> None:
    """Begin to add up the changes of a field."""
    field = at % ACCOUNT_ROW
    row = at - field
    store64(m.journal, kept + KEPT_FIELD, field)
    store64(m.journal, kept + KEPT_NONCE, nonce(m, row))
    store64(m.journal, kept + KEPT_MADE, is_made(m, row))
    poke256(m.journal, kept + KEPT_ADDRESS, peek256(m.accounts, row + ACCOUNT_ADDRESS))
    poke256(m.journal, kept + KEPT_CHANGE, 0)


def put_back(m: Machine, kept: u64) -> None:
    """Make a change once more that was undone."""
    change = peek256(m.journal, kept + KEPT_CHANGE)
    row = find_account(m, peek256(m.journal, kept + KEPT_ADDRESS))
    if row == 0:
        return
    if load64(m.journal, kept + KEPT_FIELD) == ACCOUNT_BALANCE:
        set_lasting_balance(m, row, wrap256(balance(m, row) + change))
        return
    if load64(m.journal, kept + KEPT_MADE) != is_made(m, row):
        return  # The frame had created it.
    value = wrap64(wrap256(nonce(m, row)) + change)
    # Frames only count nonces up.
    if value > load64(m.journal, kept + KEPT_NONCE):
        value = 0
    set_lasting_nonce(m, row, value)


def is_made(m: Machine, row: u64) -> u64:
    """Return 1 if the message has created an account."""
    if load64(m.accounts, row + ACCOUNT_CREATED) == m.number:
        return 1
    return 0

"""Judging: whether a call, or the state after it, may be worth recording.

It mirrors `rounds.judge`. What it says is never too little, and may be too much.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.goals import find_goal
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    load256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.interpreter.execution import run_call
from echidna_mcp_plugins.native.search.calls import ADDRESS_WORD
from echidna_mcp_plugins.native.search.excusing import is_excused
from echidna_mcp_plugins.native.search.politeness import spend
from echidna_mcp_plugins.native.search.readset import (
    begin_reading,
    clear_changes,
    forget_reads,
    is_calm,
    pass_over,
    reads_the_same,
    remember_reads,
    skipped_steps,
)
from echidna_mcp_plugins.native.search.sites import is_known_site
from echidna_mcp_plugins.native.search.state import (
    KEPT_CALL,
    Search,
    end_pranks,
)
from echidna_mcp_plugins.native.search.status import (
    INVALID_OPCODE,
    PANIC_OVERFLOW,
    RETURN_FALSE,
    REVERT,
    SELECTOR_SHIFT,
    VALUE,
    WORD,
    exceeds,
    is_as_demanded,
    is_discarded,
    is_new_ending,
    message_status,
    panic_code,
    reverts_with_assertion,
)
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    ASK_RESTORE,
    ASK_SAVE,
    FAULT_CAPACITY,
    Machine,
)

SELECTOR_MASK = 0xFFFFFFFF
CALLEE_SHIFT = 40
"""How far up the number of the contract stands whose function it is."""


def shows_something(m: Machine, s: Search, status: u64) -> u64:
    """Return 1 if the call that has ended may be worth recording."""
    if m.fault == FAULT_CAPACITY or m.novel != 0:
        return 1
    if s.coverage != 0 and is_new_ending(m, status) != 0:
        return 1
    return shows_failure(m, s, status)


def shows_failure(m: Machine, s: Search, status: u64) -> u64:
    """Return 1 if the call that has ended may falsify an open test.

    Runs the properties; the machine is then no longer that of the call.
    """
    if call_fails(m, s, status) != 0:
        return 1
    if status <= RETURN_FALSE:
        if all_hold(m, s, 0) == 0:
            return 1
        clear_changes(m, s.reads)
    elif s.first_value < s.property_count:  # Time has passed.
        return 1 - all_hold(m, s, s.first_value)
    return 0


@inline
def all_hold(m: Machine, s: Search, first: u64) -> u64:
    """Return 1 if all properties from `first` on hold in the present state."""
    index = next_to_ask(m, s, first)
    while index < s.property_count:
        if still_holds(m, s, index) == 0:
            return 0
        index = next_to_ask(m, s, index + 1)
    return 1


@inline
def call_fails(m: Machine, s: Search, status: u64) -> u64:
    """Return 1 if the call that has ended may falsify a test that is about calls."""
    if s.watches_discards != 0 and s.spent_discards > s.most_discards:
        return 1
    if m.assertion != 0 or status >= REVERT:
        if is_excused(m, s) == 0 and fails_assertion(m, s, status) != 0:
            return 1
    if s.watches_overflow != 0 and status == REVERT:
        if panic_code(m) == PANIC_OVERFLOW:
            return 1
    if s.watches_destruction != 0 and status <= RETURN_FALSE and m.doomed != 0:
        return 1
    return 0


def doubt(m: Machine, s: Search, doubtful: Bytes) -> None:
    """Tell which properties may fail in the present state, which stays as it is.

    Of those that hold, `s.spent` gets the steps.

    Args:
        m: the machine.
        s: the search.
        doubtful: a byte a property; it becomes 1 if that may fail, else 0.
    """
    m.comparing = 0
    for each in range(s.property_count):
        doubtful[each] = 0
    index = next_to_ask(m, s, 0)
    while index < s.property_count:
        spent = s.spent
        s.nearer = 0
        if still_holds(m, s, index) == 0:
            doubtful[index] = 1
            s.spent = spent
            if s.nearer != 0:
                # Those behind it come after it in all that is noted.
                for later in range(index + 1, s.property_count):
                    doubtful[later] = 1
                    # What they read may have changed, which is forgotten below.
                    forget_reads(s.reads, later)
                index = s.property_count - 1
        index = next_to_ask(m, s, index + 1)
    clear_changes(m, s.reads)


@inline
def next_to_ask(m: Machine, s: Search, index: u64) -> u64:
    """Return the first property from `index` on that does not hold at a glance."""
    if s.skipping == 0 or is_calm(m, s.reads) == 0:
        return index
    index = pass_over(m, s.reads, index, s.property_count)
    skip(s, s.reads.passed_steps)
    return index


@inline
def skip(s: Search, steps: u64) -> None:
    """Count the steps of properties that are not evaluated."""
    s.spent = s.spent + steps
    s.skipped = s.skipped + steps


@inline
def still_holds(m: Machine, s: Search, index: u64) -> u64:
    """Return 1 if a property holds in the present state, which stays as it is.

    It is not evaluated if it held when all that it reads was as it is now.
    """
    if s.skipping != 0 and reads_the_same(m, s.reads, index) != 0:
        skip(s, skipped_steps(s.reads, index))
        return 1
    return holds(m, s, index)


@inline
def holds_at_end(m: Machine, s: Search, calls: u64) -> u64:
    """Return 1 unless what is asked at the end of whole sequences fails; see above."""
    if s.last_property == 0 or calls != s.length:
        return 1
    return still_holds(m, s, s.property_count)


@cold
def fails_assertion(m: Machine, s: Search, status: u64) -> u64:
    """Return 1 if the call fails an open assertion test, or the assertion log test."""
    if m.assertion != 0:
        if s.watches_logs != 0:
            return 1
    elif s.any_failure != 0:
        if is_discarded(m, status) != 0:
            return 0
    elif status != INVALID_OPCODE:
        if status != REVERT or reverts_with_assertion(m, s.panics) == 0:
            return 0
    if s.input_size < 4:
        return 0
    selector = wrap64(load256(m.memory, 0) >> SELECTOR_SHIFT)
    selector = selector | (s.callee << CALLEE_SHIFT)
    for index in range(s.assertion_count):
        if s.assertions[index] == selector:
            return 1 - is_known_site(m, s, selector)
    return 0


def holds(m: Machine, s: Search, index: u64) -> u64:
    """Return 1 if a property holds in the present state, which stays as it is.

    0, too, if it comes nearer to its failure than ever: then `s.nearer` is 1.

    Args:
        m: the machine.
        s: the search.
        index: its number in `Search.properties`.
    """
    goals = s.goals
    if index >= s.first_value:
        goals = 0
    if ask(m, s, index, goals) == 0:
        return 0
    if goals != 0:
        selector = selector_of(s, index)
        if find_goal(s.climb, m.comparisons, m.comparison_count, selector) != 0:
            forget_reads(s.reads, index)
            s.nearer = 1
            return 0
    return 1


@inline
def selector_of(s: Search, index: u64) -> u256:
    """Return the selector of a property."""
    return wrap256(s.properties[index] & SELECTOR_MASK)


def ask(m: Machine, s: Search, index: u64, comparing: u64) -> u64:
    """Call a property; return 1 if it holds and nothing else came to light.

    Args:
        m: the machine.
        s: the search.
        index: the number of the property.
        comparing: 1 if what it compares is to be told.
    """
    entry = s.properties[index]
    mark = m.journal_end
    selector = selector_of(s, index)
    store256(m.memory, 0, selector << SELECTOR_SHIFT)
    m.coverage = 0
    m.gas_price = 0
    begin_reading(m)
    target = load256(s.callees, (entry >> CALLEE_SHIFT) * ADDRESS_WORD)
    hooks = m.hooks
    cheated = m.cheated
    pranks = m.pranks.changes
    prank_count = m.pranks.count
    timestamp = m.timestamp
    block_number = m.block_number
    if s.keeping != 0:
        m.asked_start = KEPT_CALL
        m.host(ASK_SAVE)
    m.comparing = comparing
    run_call(m, s.judge, target, 0, s.property_gas, 4)
    m.comparing = 0
    spend(s, m.steps)
    status = message_status(m)
    capacity = m.fault
    good = is_good(m, s, index, status)
    undone = m.undone
    end = m.journal_end
    undo_to(m, mark)
    forget_reads(s.reads, index)
    if capacity == FAULT_CAPACITY:
        return 0
    m.timestamp = timestamp
    m.block_number = block_number
    if m.cheated != cheated or m.pranks.changes != pranks:
        if m.cheated == cheated and prank_count == 0:
            end_pranks(m)
        elif s.keeping == 0:
            # Nothing was kept: the sequence is left to the round, this once.
            s.keeping = 1
            return 0
        else:
            m.asked_start = KEPT_CALL
            m.host(ASK_RESTORE)
    if good == 0:
        return 0
    # Coverage is none of a property: it has called a cheatcode that does not work.
    if m.novel != 0:
        return 0
    # What expects, mocks or pranks is no part of what is read.
    if undone == 0 and hooks == 0 and s.skipping != 0:
        remember_reads(m, s.reads, index, mark, end, m.steps)
    return 1


@inline
def is_good(m: Machine, s: Search, index: u64, status: u64) -> u64:
    """Return 1 if the call of a property has ended as it must."""
    entry = s.properties[index]
    if entry & VALUE != 0:
        return 1 - exceeds(m, status, load256(s.values, index * WORD))
    return is_as_demanded(entry, status, m.assertion)

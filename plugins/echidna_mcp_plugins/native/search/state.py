"""The state of a search, and from where its sequences begin.

Sequences of a group begin with the same calls (`fuzz.sequence`). Those have shown
nothing, so the next sequence need not run them: it begins at the *branch*, the state
after them, with what they have spent. All that is counted is as if they had been run.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import Bytes, Words, u64, u256
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.code.programs import (
    forget_programs,
    has_crowded_programs,
)
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import Machine


@record
class Search:
    """What a search is about, and what it has done.

    Attributes:
        mark, timestamp, block_number: the state before each sequence.
        target: the contract that is called.
        call_gas, gas_price: of each call.
        judge, property_gas: sender and gas of each property call.
        coverage: one of `machine.COVER_*` if new coverage is looked for, else 0.
        probing: 1 if sequences may probe.
        properties, property_count: selectors of the open properties.
        assertions, assertion_count: selectors of functions with an open assertion test.
        watches_logs: 1 if the assertion log test is open.
        skipping: 1 if a property is not evaluated while what it reads is the same.
        branching: 1 if calls with which sequences begin alike are run only once.
        reads: the read set of each property (`readset`).
        left: work units that are left; a sequence begins while `work` is below.
        cut: work units after which a sequence is cut short.
        most_calls: the most calls of all sequences together.
        work, calls, sequences, reverts, gas, steps: what sequences that showed nothing
            have done.
        function_calls, function_failures: calls by function, and those of them that
            failed, of the same sequences.
        probes: from which call on the sequence that runs probes (`choose_probes`).
        executed: its calls as they were executed, if it does.
        polite: 1 if others may have the processor first.
        unbroken: work units since they could last have it.
        even_at: nanoseconds at which others have had no more of it than this thread.
        input_size: bytes of calldata of the last call.
        failed: for each call of the sequence that runs 1 if it failed, else 0.
        spent, spent_calls, spent_reverts, spent_gas, spent_steps: the same of the
            sequence that runs; the work of its calls and properties is `spent`.
        branch: where in the sequence that runs the branch is: the last branch that was
            taken, or its beginning.
        branch_mark, branch_timestamp, branch_block_number: the state there.
        branch_spent, branch_calls, branch_reverts, branch_gas, branch_steps: what had
            been spent.
    """

    mark: u64
    timestamp: u64
    block_number: u64
    target: u256
    call_gas: u64
    gas_price: u256
    judge: u256
    property_gas: u64
    coverage: u64
    probing: u64
    properties: Words
    property_count: u64
    assertions: Words
    assertion_count: u64
    watches_logs: u64
    skipping: u64
    branching: u64
    reads: Bytes
    left: u64
    cut: u64
    most_calls: u64
    work: u64
    calls: u64
    sequences: u64
    reverts: u64
    gas: u64
    steps: u64
    function_calls: Words
    function_failures: Words
    failed: Bytes
    probes: u64
    executed: Bytes
    polite: u64
    unbroken: u64
    even_at: u64
    input_size: u64
    spent: u64
    spent_calls: u64
    spent_reverts: u64
    spent_gas: u64
    spent_steps: u64
    branch: u64
    branch_mark: u64
    branch_timestamp: u64
    branch_block_number: u64
    branch_spent: u64
    branch_calls: u64
    branch_reverts: u64
    branch_gas: u64
    branch_steps: u64


def begin_sequence(m: Machine, s: Search, kept: u64) -> None:
    """Go to the branch, or to the start state if the sequence does not pass through it.

    Args:
        m: the machine.
        s: the search; `probes` is that of the sequence.
        kept: up to which byte it is the same as the sequence before.
    """
    if s.branch_calls > s.most_calls - s.calls:
        forget_branch(s)
    if kept < s.branch or (s.probes != 0 and s.probes <= s.branch_calls):
        forget_branch(s)
    if has_crowded_programs(m) != 0:
        forget_branch(s)
        undo_to(m, s.mark)
        forget_programs(m)
    undo_to(m, s.branch_mark)
    m.timestamp = s.branch_timestamp
    m.block_number = s.branch_block_number
    s.spent = s.branch_spent
    s.spent_calls = s.branch_calls
    s.spent_reverts = s.branch_reverts
    s.spent_gas = s.branch_gas
    s.spent_steps = s.branch_steps


def forget_branch(s: Search) -> None:
    """Make the start state the branch, where nothing is spent."""
    s.branch = 0
    s.branch_mark = s.mark
    s.branch_timestamp = s.timestamp
    s.branch_block_number = s.block_number
    s.branch_spent = 0
    s.branch_calls = 0
    s.branch_reverts = 0
    s.branch_gas = 0
    s.branch_steps = 0


def take_branch(m: Machine, s: Search, at: u64) -> None:
    """Make the present state the branch, before the call at `at`."""
    s.branch = at
    s.branch_mark = m.journal_end
    s.branch_timestamp = m.timestamp
    s.branch_block_number = m.block_number
    s.branch_spent = s.spent
    s.branch_calls = s.spent_calls
    s.branch_reverts = s.spent_reverts
    s.branch_gas = s.spent_gas
    s.branch_steps = s.spent_steps

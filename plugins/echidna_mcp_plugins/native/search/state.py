"""The state of a search, and from where its sequences begin.

Sequences of a group begin with the same calls (`fuzz.sequence`). Those have shown
nothing, so the next sequence need not run them: it begins at the *branch*, the state
after them, with what they have spent. All that is counted is as if they had been run.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import forget_pranks
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.created import Created
from echidna_mcp.fuzz.harvest import Pool
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import MASK64, Bytes, Words, u64, u256
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.code.programs import (
    forget_programs,
    has_crowded_programs,
)
from echidna_mcp_plugins.native.search.readset import ReadSets
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    ASK_RESTORE,
    ASK_SAVE,
    HOOK_PRANKS,
    Machine,
)

ENDED_WELL = 0
ENDED_BADLY = 1
LEFT_OUT = 2
DISCARDED = 3
"""How a call ended; one is left out if there is no contract yet that it is for, and
discarded if it asks to be passed over."""

TELLS_NOTHING = 0
TELLS_HOLDING = 1
TELLS_DOUBT = 2
TELLS_FAILING = 3
"""What the last call of a candidate for shrinking tells of the test: nothing, so that
the state is asked, if it is a property; that it holds; that it may fail, or does."""

KEPT_START = 0
KEPT_BRANCH = 1
KEPT_CALL = 2
KEPT_PLACE = 3
"""Numbers under which a machine keeps what is no part of the journal: of the start
state, of the branch, of what a property is evaluated in, and, this one and those that
follow, of the states before calls that may be changed."""


@record
class Search:
    """What a search is about, and what it has done.

    Attributes:
        mark, timestamp, block_number: the state before each sequence.
        callees: addresses of the contracts that are called, as 32-byte words; 0 for
            those that sequences create.
        callee_of: by function, the number of the contract that it is of.
        created: what the sequence that runs has created.
        pool: what it has returned and logged.
        call_gas, gas_price: of each call.
        judge, property_gas: sender and gas of each property call.
        coverage: one of `machine.COVER_*` if new coverage is looked for, else 0.
        climbing: 1 if sequences may be climbed.
        goals: 1 if tests are climbed at their end, too.
        properties, property_count: selectors of the open properties, and whose they
            are (`judging.CALLEE_SHIFT`).
        assertions, assertion_count: the same of functions with an open assertion test.
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
            failed, of the same sequences; no variants that were undone.
        climbs: from which record on the sequence that runs is climbed (`choose_climb`).
        climb: how far that is.
        executed: its calls as they were executed, if it is climbed.
        places, place_count: the states before those of them that may be changed
            (`climbing`).
        executed_end: where they end, after a climb.
        before: spent work, calls, reverts, gas and steps before the last call.
        heard_log: the comparisons, as the machine has logged them.
        nearer: 1 if the property that was evaluated last is nearer to its failure than
            ever.
        base_endings: how the calls of the base of a climb have ended.
        heard: how many comparisons the last call has made.
        succeeded: 1 unless it failed.
        handed: what a sequence that is handed over is in the midst of: one of
            `climbing.HANDED_*`.
        handed_at: where in `executed` the call in question begins.
        handed_call: which call of the window it is, if it is one of a variant.
        handed_passed: records of the sequence up to it.
        polite: 1 if others may have the processor first.
        unbroken: work units since they could last have it.
        even_at: nanoseconds at which others have had no more of it than this thread.
        input_size: bytes of calldata of the last call.
        callee, target: number and address of the contract that it called.
        passed: records of the sequence that runs that it has gone past.
        endings: for each of them one of `ENDED_*`.
        spent, spent_calls, spent_reverts, spent_gas, spent_steps: the same of the
            sequence that runs; the work of its calls and properties is `spent`.
        branch: where in the sequence that runs the branch is: the last branch that was
            taken, or its beginning.
        branch_mark, branch_timestamp, branch_block_number: the state there.
        branch_passed, branch_created, branch_harvested: how many records, contracts
            and words of the pool are behind it.
        branch_spent, branch_calls, branch_reverts, branch_gas, branch_steps: what had
            been spent.
        mark_cheated, branch_cheated: `Machine.cheated` in these states.
        mark_pranks, branch_pranks: `Pranks.changes` there.
        mark_prank_count, branch_prank_count: how many pranks there are there.
        branch_kept: as which number the machine has kept what is no part of the journal
            there: one of `KEPT_*`.
        keeping: 1 if properties change what is no part of the journal.
        any_failure: 1 if a call that fails, and is not discarded, fails the assertion
            test of its function.
        excusing: 1 if a call passes in which neither `spared` nor cheatcodes have
            reverted first.
        spared: the test contract.
        function_discards: calls by function that were discarded; they have failed.
        last_property: 1 if behind the properties is one that is evaluated at the end of
            a whole sequence, whatever its last call did.
        length: calls of a whole sequence.
        watches_discards: 1 if a sequence may not have more than `most_discards` calls
            that are discarded.
        spent_discards, branch_discards: how many the sequence that runs has, and how
            many there are up to the branch.
        skipped: work that was counted for properties that were not evaluated.
        sample: number of the call of the sequence, from 1, of which is to be told what
            it did; 0 for none.
        sampled, sampled_size: the record of that call; 0 bytes until it has run.
        sampled_gas, sampled_status: what it used, and how it ended.
        values, first_value: the greatest value of each property whose value is
            maximized, as 32-byte words; those are the last ones, from that number on,
            but for what is evaluated at the end of a whole sequence.
        panics: a byte a code of a panic, 1 for those that fail an assertion test.
        watches_overflow: 1 if the overflow test is open.
        watches_destruction: 1 if a destruction test is.
        prints, print_count: of failures that are known (`sites`).
        prints_forgotten: `Machine.forgotten` when they were made.
        sampled_output, sampled_output_size: what it reverted with; the first bytes, if
            it is more than there is room for.
        told, branch_told: one of `TELLS_*`, of the candidate that runs, and up to the
            branch.
    """

    mark: u64
    timestamp: u64
    block_number: u64
    callees: Bytes
    callee_of: Words
    created: Created
    pool: Pool
    call_gas: u64
    gas_price: u256
    judge: u256
    property_gas: u64
    coverage: u64
    climbing: u64
    goals: u64
    properties: Words
    property_count: u64
    assertions: Words
    assertion_count: u64
    watches_logs: u64
    skipping: u64
    branching: u64
    reads: ReadSets
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
    passed: u64
    endings: Bytes
    climbs: u64
    climb: Climb
    executed: Bytes
    places: Words
    place_count: u64
    executed_end: u64
    before: Words
    heard_log: Bytes
    nearer: u64
    base_endings: Bytes
    heard: u64
    succeeded: u64
    handed: u64
    handed_at: u64
    handed_call: u64
    handed_passed: u64
    polite: u64
    unbroken: u64
    even_at: u64
    input_size: u64
    callee: u64
    target: u256
    spent: u64
    spent_calls: u64
    spent_reverts: u64
    spent_gas: u64
    spent_steps: u64
    branch: u64
    branch_mark: u64
    branch_timestamp: u64
    branch_block_number: u64
    branch_passed: u64
    branch_created: u64
    branch_harvested: u64
    branch_spent: u64
    branch_calls: u64
    branch_reverts: u64
    branch_gas: u64
    branch_steps: u64
    mark_cheated: u64
    branch_cheated: u64
    mark_pranks: u64
    branch_pranks: u64
    mark_prank_count: u64
    branch_prank_count: u64
    branch_kept: u64
    keeping: u64
    any_failure: u64
    function_discards: Words
    last_property: u64
    length: u64
    watches_discards: u64
    most_discards: u64
    spent_discards: u64
    branch_discards: u64
    excusing: u64
    spared: u256
    skipped: u64
    sample: u64
    sampled: Bytes
    sampled_size: u64
    sampled_gas: u64
    sampled_status: u64
    sampled_output: Bytes
    sampled_output_size: u64
    values: Bytes
    first_value: u64
    panics: Bytes
    watches_overflow: u64
    watches_destruction: u64
    prints: Words
    print_count: u64
    prints_forgotten: u64
    told: u64
    branch_told: u64


def begin_sequence(m: Machine, s: Search, kept: u64) -> None:
    """Go to the branch, or to the start state if the sequence does not pass through it.

    Args:
        m: the machine.
        s: the search; `climbs` is that of the sequence.
        kept: up to which byte it is the same as the sequence before.
    """
    if s.branch_calls > s.most_calls - s.calls:
        forget_branch(s)
    if kept < s.branch or (s.climbs != 0 and s.climbs <= s.branch_passed):
        forget_branch(s)
    if has_crowded_programs(m) != 0:
        forget_branch(s)
        undo_to(m, s.mark)
        forget_programs(m)
    undo_to(m, s.branch_mark)
    if m.cheated != s.branch_cheated or m.pranks.changes != s.branch_pranks:
        restore_cheats(m, s)
    m.timestamp = s.branch_timestamp
    m.block_number = s.branch_block_number
    s.passed = s.branch_passed
    s.created.count = s.branch_created
    s.pool.count = s.branch_harvested
    s.spent = s.branch_spent
    s.spent_calls = s.branch_calls
    s.spent_reverts = s.branch_reverts
    s.spent_gas = s.branch_gas
    s.spent_steps = s.branch_steps
    s.spent_discards = s.branch_discards
    s.told = s.branch_told


@cold
def restore_cheats(m: Machine, s: Search) -> None:
    """Go back to the branch in what is no part of the journal."""
    if m.cheated == s.branch_cheated and s.branch_prank_count == 0:
        end_pranks(m)
    else:
        m.asked_start = s.branch_kept
        m.host(ASK_RESTORE)
    s.branch_cheated = m.cheated
    s.branch_pranks = m.pranks.changes
    if s.branch_kept == KEPT_START:
        s.mark_cheated = m.cheated
        s.mark_pranks = m.pranks.changes


@cold
def end_pranks(m: Machine) -> None:
    """End all pranks."""
    forget_pranks(m.pranks)
    m.hooks = m.hooks & (MASK64 ^ HOOK_PRANKS)


def forget_branch(s: Search) -> None:
    """Make the start state the branch, where nothing is spent."""
    s.branch = 0
    s.branch_cheated = s.mark_cheated
    s.branch_pranks = s.mark_pranks
    s.branch_prank_count = s.mark_prank_count
    s.branch_kept = KEPT_START
    s.branch_mark = s.mark
    s.branch_timestamp = s.timestamp
    s.branch_block_number = s.block_number
    s.branch_passed = 0
    s.branch_created = 0
    s.branch_harvested = 0
    s.branch_spent = 0
    s.branch_calls = 0
    s.branch_reverts = 0
    s.branch_gas = 0
    s.branch_steps = 0
    s.branch_discards = 0
    s.branch_told = TELLS_NOTHING


@inline
def is_as_at_start(m: Machine, s: Search) -> u64:
    """Return 1 if what is no part of the journal is as in the start state."""
    if m.cheated != s.mark_cheated:
        return 0
    if m.pranks.changes == s.mark_pranks:
        return 1
    if m.pranks.count == 0 and s.mark_prank_count == 0:
        return 1
    return 0


def take_branch(m: Machine, s: Search, at: u64) -> None:
    """Make the present state the branch, before the call at `at`."""
    s.branch = at
    s.branch_cheated = m.cheated
    s.branch_pranks = m.pranks.changes
    s.branch_prank_count = m.pranks.count
    s.branch_kept = KEPT_START
    if is_as_at_start(m, s) == 0:
        s.branch_kept = KEPT_BRANCH
        m.asked_start = KEPT_BRANCH
        m.host(ASK_SAVE)
    s.branch_mark = m.journal_end
    s.branch_timestamp = m.timestamp
    s.branch_block_number = m.block_number
    s.branch_passed = s.passed
    s.branch_created = s.created.count
    s.branch_harvested = s.pool.count
    s.branch_spent = s.spent
    s.branch_calls = s.spent_calls
    s.branch_reverts = s.spent_reverts
    s.branch_gas = s.spent_gas
    s.branch_steps = s.spent_steps
    s.branch_discards = s.spent_discards
    s.branch_told = s.told

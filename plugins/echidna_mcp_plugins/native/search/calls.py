"""One call of a sequence: whom it is for, what it does, what is told of it."""

from __future__ import annotations

from echidna_mcp.fuzz.calldata import encode_call
from echidna_mcp.fuzz.created import add_created, address_of_number, number_of
from echidna_mcp.fuzz.harvest import (
    MOST_LOGS,
    NO_TYPES,
    OF_ADDRESSES,
    UNTYPED,
    Pool,
    harvest_data,
    harvest_word,
    returned_types,
    room_for_call,
    settle,
)
from echidna_mcp.fuzz.layout import FLAG_CREATED, FUNCTION_FLAGS, FUNCTION_WORDS
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_instance,
    call_sender,
    call_time_delay,
    call_value,
    copy_call,
    override_length,
)
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    load64,
    load256,
    peek256,
    u64,
    wrap64,
)
from echidna_mcp_plugins.native.frames.frames import log_row_size
from echidna_mcp_plugins.native.interpreter.execution import run_call
from echidna_mcp_plugins.native.search.excusing import begin_excusing
from echidna_mcp_plugins.native.search.overriding import arm_override
from echidna_mcp_plugins.native.search.politeness import spend
from echidna_mcp_plugins.native.search.state import (
    DISCARDED,
    ENDED_BADLY,
    ENDED_WELL,
    Search,
)
from echidna_mcp_plugins.native.search.status import (
    REVERT,
    is_discarded,
    message_status,
)
from echidna_mcp_plugins.native.state.accounts import program_of
from echidna_mcp_plugins.native.state.journal import created_account
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    FAULT_NONE,
    JOURNAL_ROW,
    LOG_DATA,
    LOG_DROPPED,
    LOG_SIZE,
    LOG_TOPIC,
    LOG_TOPICS,
    PROGRAM_CODE,
    PROGRAM_SIZE,
    Machine,
)
from echidna_mcp_plugins.native.state.states import look_for_states

CALL_WORK = 200
"""`rounds.tasks.CALL_WORK`."""
SAMPLED_OUTPUT = 65_536
"""Bytes of `Search.sampled_output`."""
ADDRESS_WORD = 32


@inline
def aim(s: Search, tables: FuzzTables, sequence: Bytes, at: u64) -> u64:
    """Find the contract that a call is for; return 0 if it is left out.

    It mirrors `Caller.aim`, and settles the call where it stands; to be left out takes
    the work of a call.
    """
    settle(s.pool, sequence, at)
    function = call_function(sequence, at)
    s.callee = s.callee_of[function]
    s.target = load256(s.callees, s.callee * ADDRESS_WORD)
    flags = tables.functions[function * FUNCTION_WORDS + FUNCTION_FLAGS]
    if flags & FLAG_CREATED == 0:
        return 1
    return aim_at_created(s, sequence, at)


@cold
def aim_at_created(s: Search, sequence: Bytes, at: u64) -> u64:
    """Do the same for a contract that sequences create."""
    number = number_of(s.created, s.callee, call_instance(sequence, at))
    if number == FAIL:
        spend(s, CALL_WORK)
        return 0
    s.target = address_of_number(s.created, s.callee, number)
    return 1


@cold
def collect_created(m: Machine, s: Search, mark: u64) -> None:
    """Take note of what was created since the journal ended at `mark`."""
    if s.created.template_count == 0:
        return
    row = mark
    while row < m.journal_end:
        account = created_account(m, row)
        if account != 0:
            program = program_of(m, account)
            start = load64(m.programs, program + PROGRAM_CODE)
            size = load64(m.programs, program + PROGRAM_SIZE)
            address = peek256(m.accounts, account + ACCOUNT_ADDRESS)
            add_created(s.created, address, m.code, start, size)
        row = row + JOURNAL_ROW


def harvest(m: Machine, p: Pool, function: u64, mark: u64) -> None:
    """Take what the call has created, returned and logged, as `Caller` does.

    Args:
        m: the machine.
        p: the pool.
        function: what was called.
        mark: where the journal ended before the call.
    """
    stop = room_for_call(p)
    if m.creation_count != 0:
        harvest_created(m, p, mark, stop)
    types = returned_types(p, function)
    harvest_data(p, m.returned, 0, m.returned_size, types, stop)
    row = wrap64(0)
    logs = wrap64(0)
    while row < m.log_end and logs < MOST_LOGS and p.count < stop:
        size = load64(m.logs, row + LOG_SIZE)
        if load64(m.logs, row + LOG_DROPPED) == 0:
            logs = logs + 1
            for topic in range(1, load64(m.logs, row + LOG_TOPICS)):
                word = peek256(m.logs, row + LOG_TOPIC + ADDRESS_WORD * topic)
                harvest_word(p, word, UNTYPED, stop)
            harvest_data(p, m.logs, row + LOG_DATA, size, NO_TYPES, stop)
        row = row + log_row_size(size)


@cold
def harvest_created(m: Machine, p: Pool, mark: u64, stop: u64) -> None:
    """Take the addresses of what was created since the journal ended at `mark`."""
    row = mark
    while row < m.journal_end:
        account = created_account(m, row)
        if account != 0:
            address = peek256(m.accounts, account + ACCOUNT_ADDRESS)
            harvest_word(p, address, OF_ADDRESSES, stop)
        row = row + JOURNAL_ROW


def run_record(
    m: Machine, s: Search, tables: FuzzTables, sequence: Bytes, at: u64
) -> u64:
    """Run and count the call whose record is at `at`; return its status.

    `aim` has found the contract that it is for.
    """
    size = encode_call(tables.types, tables.functions, sequence, at, m.memory, 0)
    m.timestamp = wrap64(m.timestamp + call_time_delay(sequence, at))
    m.block_number = wrap64(m.block_number + call_block_delay(sequence, at))
    m.coverage = s.coverage
    m.searching = 1
    m.gas_price = s.gas_price
    s.input_size = size
    if override_length(sequence, at) != 0:
        arm_override(m, s, tables, sequence, at)
    if s.excusing != 0:
        begin_excusing(m)
    sender = call_sender(sequence, at)
    mark = m.journal_end
    run_call(m, sender, s.target, call_value(sequence, at), s.call_gas, size)
    if m.creation_count != 0 and m.fault == FAULT_NONE:
        collect_created(m, s, mark)
    if s.pool.most != 0 and m.fault == FAULT_NONE:
        harvest(m, s.pool, call_function(sequence, at), mark)
    if s.coverage != 0:
        look_for_states(m)
    status = message_status(m)
    failed = wrap64(ENDED_WELL)
    if status >= REVERT:
        failed = ENDED_BADLY
    s.endings[s.passed] = failed
    if is_discarded(m, status) != 0:
        s.endings[s.passed] = DISCARDED
        s.spent_discards = s.spent_discards + 1
    s.passed = s.passed + 1
    s.spent_calls = s.spent_calls + 1
    s.spent_reverts = s.spent_reverts + failed
    s.spent_gas = s.spent_gas + m.gas_used
    s.spent_steps = s.spent_steps + m.steps
    spend(s, m.steps + CALL_WORK)
    if s.spent_calls == s.sample:
        take_sample(m, s, sequence, at, status)
    return status


@cold
def take_sample(m: Machine, s: Search, sequence: Bytes, at: u64, status: u64) -> None:
    """Remember what the call did whose record is at `at`."""
    s.sampled_size = copy_call(sequence, at, s.sampled, 0)
    s.sampled_gas = m.gas_used
    s.sampled_status = status
    s.sampled_output_size = 0
    if status == REVERT:
        s.sampled_output_size = m.returned_size
        size = m.returned_size
        if size > SAMPLED_OUTPUT:
            size = SAMPLED_OUTPUT
        copy(s.sampled_output, 0, m.returned, 0, size)

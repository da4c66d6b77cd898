"""LOG0 to LOG4 (Yellow Paper, H.2: a0s)."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    copy,
    peek256,
    poke256,
    store64,
    u64,
    u256,
    wrap64,
)
from echidna_mcp_plugins.native.opcodes.gas import (
    WORD,
    charge,
    memory_range,
    word_count,
)
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.machine import (
    ASK_LOG,
    ASSERTION_LOGGED,
    FAULT_CAPACITY,
    FAULT_HALT,
    FAULT_NONE,
    FAULT_REVERT,
    FULL_LOGS,
    HOOK_LOGS,
    LOG_ADDRESS,
    LOG_DATA,
    LOG_DROPPED,
    LOG_SIZE,
    LOG_TOPIC,
    LOG_TOPICS,
    Machine,
)

TOPIC_GAS = 375
BYTE_GAS = 8


@opcode(0xA0, "LOG0", gas=375, fallible=True)
def log0(m: Machine, offset: u256, size: u256) -> None:
    """Emit a log without topics."""
    append_log(m, offset, size, 0, 0, 0, 0, 0)


@opcode(0xA1, "LOG1", gas=375, fallible=True)
def log1(m: Machine, offset: u256, size: u256, first: u256) -> None:
    """Emit a log with one topic."""
    append_log(m, offset, size, 1, first, 0, 0, 0)


@opcode(0xA2, "LOG2", gas=375, fallible=True)
def log2(m: Machine, offset: u256, size: u256, first: u256, second: u256) -> None:
    """Emit a log with two topics."""
    append_log(m, offset, size, 2, first, second, 0, 0)


@opcode(0xA3, "LOG3", gas=375, fallible=True)
def log3(
    m: Machine, offset: u256, size: u256, first: u256, second: u256, third: u256
) -> None:
    """Emit a log with three topics."""
    append_log(m, offset, size, 3, first, second, third, 0)


@opcode(0xA4, "LOG4", gas=375, fallible=True)
def log4(
    m: Machine,
    offset: u256,
    size: u256,
    first: u256,
    second: u256,
    third: u256,
    fourth: u256,
) -> None:
    """Emit a log with four topics."""
    append_log(m, offset, size, 4, first, second, third, fourth)


def append_log(
    m: Machine,
    offset: u256,
    size: u256,
    count: u64,
    first: u256,
    second: u256,
    third: u256,
    fourth: u256,
) -> None:
    """Pay for a log and append it to `m.logs`."""
    if m.static != 0:
        m.fault = FAULT_HALT
        return
    start = memory_range(m, offset, size)
    if m.fault != FAULT_NONE:
        return
    length = wrap64(size)
    if charge(m, BYTE_GAS * length + TOPIC_GAS * count) == 0:
        return
    row = m.log_end
    end = row + LOG_DATA + WORD * word_count(length)
    if end > m.log_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_LOGS
        return
    # The last word is that of the data, with zeros after them, or of the last topic.
    poke256(m.logs, end - WORD, 0)
    poke256(m.logs, row + LOG_ADDRESS, m.address)
    store64(m.logs, row + LOG_TOPICS, count)
    store64(m.logs, row + LOG_SIZE, length)
    store64(m.logs, row + LOG_DROPPED, 0)
    poke256(m.logs, row + LOG_TOPIC, first)
    poke256(m.logs, row + LOG_TOPIC + WORD, second)
    poke256(m.logs, row + LOG_TOPIC + 2 * WORD, third)
    poke256(m.logs, row + LOG_TOPIC + 3 * WORD, fourth)
    copy(m.logs, row + LOG_DATA, m.memory, start, length)
    m.log_end = end
    if count != 0:
        note_assertion(m, first)
    if m.hooks & HOOK_LOGS != 0:
        tell_log(m, row)


@cold
def tell_log(m: Machine, row: u64) -> None:
    """Tell of a log; the frame may have to revert, with what `host` has returned."""
    m.told_row = row
    if m.host(ASK_LOG) == 0 or m.fault != FAULT_NONE:
        return
    # There is room: `host` looks for it behind the memory of the frame.
    m.fault = FAULT_REVERT


def note_assertion(m: Machine, topic: u256) -> None:
    """Set `m.assertion` if a topic tells that an assertion failed."""
    for i in range(m.assertion_topic_count):
        if peek256(m.assertion_topics, WORD * i) == topic:
            m.assertion = m.assertion | ASSERTION_LOGGED

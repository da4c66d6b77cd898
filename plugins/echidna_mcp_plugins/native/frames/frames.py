"""Entering and leaving frames.

There is no native recursion. A call saves the frame that waits in the row of `frames`
that belongs to its depth and makes the fields of the machine those of the new frame;
`leave` ends the running frame and gives the fields back to the one that waits.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    load64,
    peek256,
    poke256,
    store64,
    store256,
    u64,
    wrap256,
)
from echidna_mcp_plugins.native.code.decode import decode
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.frames.telling import (
    note_revert,
    tell_frame_end,
    tell_message_end,
    tell_prank_end,
)
from echidna_mcp_plugins.native.state.accounts import set_program
from echidna_mcp_plugins.native.state.history import write_asked
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.lasting import undo_but_lasting
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    FAULT_REVERT,
    FRAME_ROW,
    LOG_DATA,
    LOG_DROPPED,
    LOG_SIZE,
    PROGRAM_CODE,
    PROGRAM_SIZE,
    PROGRAM_STREAM,
    TRACED_DEPTHS,
    Machine,
)

# What a row of `frames` holds: the fields of the machine of the same names.
FRAME_ADDRESS = 0
FRAME_CALLER = 32
FRAME_VALUE = 64
FRAME_GAS = 96
FRAME_STATIC = 104
FRAME_STACK_BASE = 112
FRAME_STACK_TOP = 120
FRAME_RESUME = 128
FRAME_MEMORY_BASE = 136
FRAME_MEMORY_SIZE = 144
FRAME_INPUT_START = 152
FRAME_INPUT_SIZE = 160
FRAME_PROGRAM = 168
FRAME_CODE_START = 176
FRAME_CODE_SIZE = 184
FRAME_ACCOUNT = 192
FRAME_CHECKPOINT = 200
FRAME_LOG_MARK = 208
FRAME_REFUND_MARK = 216
FRAME_CREATES = 224
FRAME_RETURN_TO = 232
FRAME_RETURN_ROOM = 240

BY_OPCODE = 1
"""Values of `Machine.creates`."""
FOR_CHEATCODE = 2
"""The caller has called a cheatcode, whose result is the address."""
BY_SALT = 3
"""By an opcode, CREATE2, which matters only to cheatcodes."""

SLOT = 32
"""Bytes of a stack slot."""
MEMORY_ALIGNMENT = 64
DEPOSIT_GAS = 200
"""Gas for a byte of runtime code (Yellow Paper, G_codedeposit)."""
RESERVED_BYTE = 0xEF
"""First byte that no runtime code may have (EIP-3541)."""


# ------------------------------------------------------------------ saving, restoring


def push_frame(m: Machine) -> None:
    """Save the running frame, and go one level deeper.

    The fields stay as they are, but for those that every new frame has in common. The
    caller sets gas, input, account and return area, and ends with `begin_code`.
    """
    at = m.depth * FRAME_ROW
    poke256(m.frames, at + FRAME_ADDRESS, m.address)
    poke256(m.frames, at + FRAME_CALLER, m.caller)
    poke256(m.frames, at + FRAME_VALUE, m.value)
    store64(m.frames, at + FRAME_GAS, m.gas)
    store64(m.frames, at + FRAME_STATIC, m.static)
    store64(m.frames, at + FRAME_STACK_BASE, m.stack_base)
    store64(m.frames, at + FRAME_STACK_TOP, m.stack_top)
    store64(m.frames, at + FRAME_RESUME, m.resume)
    store64(m.frames, at + FRAME_MEMORY_BASE, m.memory_base)
    store64(m.frames, at + FRAME_MEMORY_SIZE, m.memory_size)
    store64(m.frames, at + FRAME_INPUT_START, m.input_start)
    store64(m.frames, at + FRAME_INPUT_SIZE, m.input_size)
    store64(m.frames, at + FRAME_PROGRAM, m.program)
    store64(m.frames, at + FRAME_CODE_START, m.code_start)
    store64(m.frames, at + FRAME_CODE_SIZE, m.code_size)
    store64(m.frames, at + FRAME_ACCOUNT, m.account)
    store64(m.frames, at + FRAME_CHECKPOINT, m.checkpoint)
    store64(m.frames, at + FRAME_LOG_MARK, m.log_mark)
    store64(m.frames, at + FRAME_REFUND_MARK, m.refund_mark)
    store64(m.frames, at + FRAME_CREATES, m.creates)
    store64(m.frames, at + FRAME_RETURN_TO, m.return_to)
    store64(m.frames, at + FRAME_RETURN_ROOM, m.return_room)
    m.depth = m.depth + 1
    mark_depth(m)
    m.memory_base = align_memory(m.memory_base + m.memory_size)
    m.creates = 0
    mark_frame(m)


def pop_frame(m: Machine) -> None:
    """Make the frame that waits one level above the running one again."""
    m.depth = m.depth - 1
    mark_depth(m)
    at = m.depth * FRAME_ROW
    m.address = peek256(m.frames, at + FRAME_ADDRESS)
    m.caller = peek256(m.frames, at + FRAME_CALLER)
    m.value = peek256(m.frames, at + FRAME_VALUE)
    m.gas = load64(m.frames, at + FRAME_GAS)
    m.static = load64(m.frames, at + FRAME_STATIC)
    m.stack_base = load64(m.frames, at + FRAME_STACK_BASE)
    m.stack_top = load64(m.frames, at + FRAME_STACK_TOP)
    m.resume = load64(m.frames, at + FRAME_RESUME)
    m.memory_base = load64(m.frames, at + FRAME_MEMORY_BASE)
    m.memory_size = load64(m.frames, at + FRAME_MEMORY_SIZE)
    m.input_start = load64(m.frames, at + FRAME_INPUT_START)
    m.input_size = load64(m.frames, at + FRAME_INPUT_SIZE)
    m.program = load64(m.frames, at + FRAME_PROGRAM)
    m.code_start = load64(m.frames, at + FRAME_CODE_START)
    m.code_size = load64(m.frames, at + FRAME_CODE_SIZE)
    m.account = load64(m.frames, at + FRAME_ACCOUNT)
    m.checkpoint = load64(m.frames, at + FRAME_CHECKPOINT)
    m.log_mark = load64(m.frames, at + FRAME_LOG_MARK)
    m.refund_mark = load64(m.frames, at + FRAME_REFUND_MARK)
    m.creates = load64(m.frames, at + FRAME_CREATES)
    m.return_to = load64(m.frames, at + FRAME_RETURN_TO)
    m.return_room = load64(m.frames, at + FRAME_RETURN_ROOM)
    m.output_size = 0


@inline
def mark_depth(m: Machine) -> None:
    """Set the bits under which the running frame leaves traces; 0 for none."""
    m.depth_bit = 0
    m.quiet_bit = 0
    if m.coverage != 0 and m.depth < TRACED_DEPTHS:
        m.depth_bit = 1 << m.depth
        if m.searching != 0 and m.following == 0 and m.trailing == 0:
            m.quiet_bit = m.depth_bit


@inline
def align_memory(end: u64) -> u64:
    """Return where the memory of a frame may begin, at or after `end`."""
    return (end + (MEMORY_ALIGNMENT - 1)) // MEMORY_ALIGNMENT * MEMORY_ALIGNMENT


@inline
def mark_frame(m: Machine) -> None:
    """Take note of what there is to go back to if the frame fails."""
    m.checkpoint = m.journal_end
    m.log_mark = m.log_end
    m.refund_mark = m.refund


def begin_code(m: Machine, program: u64) -> None:
    """Make the running frame execute a program from its beginning."""
    m.stack_base = m.stack_top
    m.memory_size = 0
    m.output_size = 0
    m.returned_size = 0
    if m.account == m.history:
        write_asked(m)
    m.program = program
    m.code_start = load64(m.programs, program + PROGRAM_CODE)
    m.code_size = load64(m.programs, program + PROGRAM_SIZE)
    if load64(m.programs, program + PROGRAM_STREAM) == 0:
        decode(m, program)
    m.resume = load64(m.programs, program + PROGRAM_STREAM)


# ----------------------------------------------------------------------------- ending


def leave(m: Machine) -> u64:
    """End the running frame as `fault`, `output_start` and `output_size` tell.

    A frame that failed is undone, and its gas is lost unless it reverted. The return
    data are set. The frame that waits gets what is left of the gas, the output, and the
    result on its stack: the new address, 1, or 0.

    Returns:
        1 if a frame that waited goes on at `resume`; 0 if it was the first frame, whose
        end `fault`, `gas` and `returned` tell.
    """
    if m.fault == FAULT_NONE and m.creates != 0:
        deposit_code(m)
    if m.fault == FAULT_CAPACITY:
        give_up(m)
        return 0
    take_output(m)
    if m.depth == 0:
        if m.hooks != 0:
            tell_message_end(m)
        if m.fault != FAULT_NONE:
            undo_frame(m)
        return 0
    if m.fault != FAULT_NONE:
        undo_frame(m)
        if m.fault == FAULT_CAPACITY:
            give_up(m)
            return 0
    if m.creates == FOR_CHEATCODE:
        hand_address(m)
    elif m.hooks != 0:
        tell_frame_end(m)
    return_to_caller(m)
    return 1


@inline
def take_output(m: Machine) -> None:
    """Make the output of the running frame the return data; if it faulted, burn gas."""
    m.returned_size = 0
    if m.fault == FAULT_NONE or m.fault == FAULT_REVERT:
        # Whoever creates a contract gets its address; only the host wants the code.
        if m.fault == FAULT_REVERT or m.creates == 0 or m.depth == 0:
            copy_output(m.returned, 0, m.memory, m.output_start, m.output_size)
            m.returned_size = m.output_size
    else:
        m.gas = 0


@cold
def hand_address(m: Machine) -> None:
    """Make the address of the contract that a cheatcode has created the output."""
    m.told_depth = m.depth
    tell_prank_end(m)
    if m.fault == FAULT_NONE:
        store256(m.returned, 0, m.address)
        m.returned_size = 32
    else:
        note_revert(m, wrap256(CHEATCODES))


def return_to_caller(m: Machine) -> None:
    """Make the caller of the ended frame the running one, and give it the result."""
    result = wrap256(0)
    if m.fault == FAULT_NONE:
        result = wrap256(1)
        if m.creates & BY_OPCODE != 0:
            result = m.address
    m.fault = FAULT_NONE
    hand_over(m, m.return_to, m.return_room)
    left = m.gas
    pop_frame(m)
    m.gas = m.gas + left
    poke256(m.stack, m.stack_top, result)
    m.stack_top = m.stack_top + SLOT


@inline
def hand_over(m: Machine, start: u64, room: u64) -> None:
    """Copy the return data, as much as there is room for, to where they are wanted."""
    size = room
    if m.returned_size < room:
        size = m.returned_size
    copy_output(m.memory, start, m.returned, 0, size)


@inline
def copy_output(target: Bytes, at: u64, source: Bytes, start: u64, size: u64) -> None:
    """Copy what a frame returns: most often a word, nothing, or else anything.

    The buffers are not the same.
    """
    if size == SLOT:
        poke256(target, at, peek256(source, start))
    elif size != 0:
        copy(target, at, source, start, size)


def deposit_code(m: Machine) -> None:
    """Make the output of the running frame the code of its account."""
    size = m.output_size
    if size == 0:
        return
    if size > m.max_code_size:
        m.fault = FAULT_GAS
    elif m.memory[m.output_start] == RESERVED_BYTE:
        m.fault = FAULT_HALT
    elif m.gas // DEPOSIT_GAS < size:
        m.fault = FAULT_GAS
    else:
        m.gas = m.gas - size * DEPOSIT_GAS
        set_program(m, m.account, intern_code(m, m.memory, m.output_start, size))


def undo_frame(m: Machine) -> None:
    """Undo what the running frame, and all frames that it called, did."""
    if m.lasting == m.number and m.depth != 0:
        undo_but_lasting(m, m.checkpoint)
    else:
        undo_to(m, m.checkpoint)
    m.refund = m.refund_mark
    drop_logs(m, m.log_mark)


def drop_logs(m: Machine, mark: u64) -> None:
    """Mark the logs from offset `mark` on as those of reverted frames."""
    at = mark
    while at < m.log_end:
        store64(m.logs, at + LOG_DROPPED, 1)
        at = at + log_row_size(load64(m.logs, at + LOG_SIZE))


@inline
def log_row_size(size: u64) -> u64:
    """Return how many bytes of `logs` a log takes that has `size` bytes of data."""
    return LOG_DATA + (size + 31) // 32 * 32


@cold
def give_up(m: Machine) -> None:
    """Undo the whole message because a buffer of the machine is full."""
    while m.depth != 0:
        pop_frame(m)
    undo_frame(m)
    m.gas = 0
    m.returned_size = 0

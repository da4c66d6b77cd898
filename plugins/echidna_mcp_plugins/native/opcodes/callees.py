"""From a call that is paid for to the frame of its callee."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import u64, u256, wrap64
from echidna_mcp_plugins.native.frames.frames import begin_code, hand_over, push_frame
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED
from echidna_mcp_plugins.native.precompiles.contracts import run_precompile
from echidna_mcp_plugins.native.state.accounts import (
    balance,
    is_precompile,
    program_of,
    transfer,
)
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    DEPTH_LIMIT,
    FAULT_CAPACITY,
    FAULT_NONE,
    Machine,
)

# Kinds of call.
CALL = 0
"""The callee runs its own code in its own account."""
CALLCODE = 1
"""It runs its code in the account of the caller."""
DELEGATECALL = 2
"""The same, with sender and value of the caller (EIP-7)."""
STATICCALL = 3
"""Like `CALL`, but nothing may change (EIP-214)."""


@inline
def make_call(
    m: Machine,
    kind: u64,
    payer: u64,
    sender: u256,
    target: u256,
    row: u64,
    source: u64,
    value: u256,
    sent: u64,
    input_start: u64,
    input_size: u64,
    return_to: u64,
    room: u64,
) -> u256:
    """Begin a call that is paid for, in the name of `sender` with the money of `payer`.

    Args:
        m: the machine.
        kind: one of `CALL` and its kin.
        payer: row of an account.
        sender: its address.
        target: the address that is called.
        row: its account.
        source: the account whose code runs.
        value: wei.
        sent: gas.
        input_start: where the calldata are.
        input_size: bytes of them.
        return_to: where the output goes.
        room: bytes that there are for it.

    Returns:
        As `start_call`.
    """
    # A transfer that is too dear and a call that is too deep cost what they would cost
    # if they succeeded, and do nothing.
    if value > balance(m, payer) or m.depth >= DEPTH_LIMIT:
        m.returned_size = 0
        m.gas = m.gas + sent
        return 0
    if source == row and is_precompile(m, target) != 0:
        before = m.journal_end
        if kind == CALL:
            transfer(m, payer, row, value)
        left = run_precompile(m, wrap64(target), input_start, input_size, sent)
        return end_precompile(m, before, left, return_to, room)
    program = program_of(m, source)
    if program == 0:
        if kind == CALL:
            transfer(m, payer, row, value)
        m.returned_size = 0
        m.gas = m.gas + sent
        return 1
    push_frame(m)
    m.gas = sent
    m.input_start = input_start
    m.input_size = input_size
    m.return_to = return_to
    m.return_room = room
    take_role(m, kind, payer, sender, target, row, value)
    begin_code(m, program)
    return ENTERED


@inline
def take_role(
    m: Machine,
    kind: u64,
    payer: u64,
    sender: u256,
    target: u256,
    row: u64,
    value: u256,
) -> None:
    """Make the account, caller and value those of the callee."""
    if kind == CALL:
        transfer(m, payer, row, value)
    if kind == STATICCALL:
        m.static = 1
    if kind != DELEGATECALL:
        m.caller = sender
        m.value = value
    if kind == CALL or kind == STATICCALL:
        m.address = target
        m.account = row


def end_precompile(
    m: Machine, before: u64, left: u64, return_to: u64, room: u64
) -> u256:
    """Give the caller what a precompile left; return 1, or 0 if it failed.

    One that failed has cost all its gas, and is undone to the mark `before`.
    """
    if m.fault == FAULT_CAPACITY:
        return 0
    if m.fault != FAULT_NONE:
        undo_to(m, before)
        m.fault = FAULT_NONE
        m.returned_size = 0
        return 0
    m.gas = m.gas + left
    hand_over(m, return_to, room)
    return 1

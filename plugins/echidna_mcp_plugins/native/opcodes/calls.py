"""Opcodes that call: CALL, CALLCODE, DELEGATECALL, STATICCALL.

They pay, check, and either make the frame of the callee the running one (`ENTERED`) or
finish at once: precompiles and accounts without code need no frame.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.frames.delegation import delegate_address, is_delegation
from echidna_mcp_plugins.native.frames.frames import begin_code, hand_over, push_frame
from echidna_mcp_plugins.native.opcodes.gas import charge, memory_range
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED, opcode
from echidna_mcp_plugins.native.precompiles.contracts import run_precompile
from echidna_mcp_plugins.native.state.accounts import (
    access_account,
    balance,
    find_account,
    is_empty_account,
    is_precompile,
    program_of,
    transfer,
)
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    DEPTH_LIMIT,
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

MASK160 = (1 << 160) - 1

# Kinds of call.
CALL = 0
"""The callee runs its own code in its own account."""
CALLCODE = 1
"""It runs its code in the account of the caller."""
DELEGATECALL = 2
"""The same, with sender and value of the caller (EIP-7)."""
STATICCALL = 3
"""Like `CALL`, but nothing may change (EIP-214)."""

VALUE_GAS = 9000
"""Gas for a transfer (Yellow Paper, G_callvalue)."""
STIPEND = 2300
"""Gas that a transfer gives to the callee (G_callstipend)."""
NEW_ACCOUNT_GAS = 25000
"""Gas for a transfer to where there is no account (EIP-161)."""


@opcode(0xF1, "CALL", flow=Flow.CALL, fallible=True)
def call(
    m: Machine,
    gas: u256,
    to: u256,
    value: u256,
    input_offset: u256,
    input_size: u256,
    output_offset: u256,
    output_size: u256,
) -> u256:
    """Call an account, with or without value."""
    if m.static != 0 and value != 0:
        m.fault = FAULT_HALT
        return 0
    return start_call(
        m, CALL, gas, to, value, input_offset, input_size, output_offset, output_size
    )


@opcode(0xF2, "CALLCODE", flow=Flow.CALL, fallible=True)
def callcode(
    m: Machine,
    gas: u256,
    to: u256,
    value: u256,
    input_offset: u256,
    input_size: u256,
    output_offset: u256,
    output_size: u256,
) -> u256:
    """Call the account itself, with the code of another."""
    return start_call(
        m,
        CALLCODE,
        gas,
        to,
        value,
        input_offset,
        input_size,
        output_offset,
        output_size,
    )


@opcode(0xF4, "DELEGATECALL", flow=Flow.CALL, fallible=True)
def delegatecall(
    m: Machine,
    gas: u256,
    to: u256,
    input_offset: u256,
    input_size: u256,
    output_offset: u256,
    output_size: u256,
) -> u256:
    """Run the code of another account in place of the running code (EIP-7)."""
    return start_call(
        m,
        DELEGATECALL,
        gas,
        to,
        0,
        input_offset,
        input_size,
        output_offset,
        output_size,
    )


@opcode(0xFA, "STATICCALL", flow=Flow.CALL, fallible=True)
def staticcall(
    m: Machine,
    gas: u256,
    to: u256,
    input_offset: u256,
    input_size: u256,
    output_offset: u256,
    output_size: u256,
) -> u256:
    """Call an account without letting it change anything (EIP-214)."""
    return start_call(
        m, STATICCALL, gas, to, 0, input_offset, input_size, output_offset, output_size
    )


def start_call(
    m: Machine,
    kind: u64,
    gas: u256,
    to: u256,
    value: u256,
    input_offset: u256,
    input_size: u256,
    output_offset: u256,
    output_size: u256,
) -> u256:
    """Pay for a call and begin it.

    `value` is what the caller sends: 0 for DELEGATECALL, which sends nothing.

    Returns:
        `ENTERED`, or 1 if the call is over and succeeded, 0 if it failed.
    """
    input_start = memory_range(m, input_offset, input_size)
    return_to = memory_range(m, output_offset, output_size)
    if m.fault != FAULT_NONE:
        return 0
    target = to & MASK160
    row = find_account(m, target)
    charge(m, access_account(m, row))
    source = row
    if is_delegation(m, program_of(m, row)) != 0:
        source = find_account(m, delegate_address(m, program_of(m, row)))
        charge(m, access_account(m, source))
    if m.fault != FAULT_NONE:
        return 0
    sent = split_gas(m, kind, gas, value, row)
    if m.fault != FAULT_NONE:
        return 0
    # A transfer that is too dear and a call that is too deep cost what they would cost
    # if they succeeded, and do nothing.
    if value > balance(m, m.account) or m.depth >= DEPTH_LIMIT:
        m.returned_size = 0
        m.gas = m.gas + sent
        return 0
    if source == row and is_precompile(m, target) != 0:
        before = m.journal_end
        if kind == CALL:
            transfer(m, m.account, row, value)
        left = run_precompile(m, wrap64(target), input_start, wrap64(input_size), sent)
        return end_precompile(m, before, left, return_to, wrap64(output_size))
    program = program_of(m, source)
    if program == 0:
        if kind == CALL:
            transfer(m, m.account, row, value)
        m.returned_size = 0
        m.gas = m.gas + sent
        return 1
    push_frame(m)
    m.gas = sent
    m.input_start = input_start
    m.input_size = wrap64(input_size)
    m.return_to = return_to
    m.return_room = wrap64(output_size)
    take_role(m, kind, target, row, value)
    begin_code(m, program)
    return ENTERED


def split_gas(m: Machine, kind: u64, gas: u256, value: u256, row: u64) -> u64:
    """Charge a call; return the gas that the callee gets.

    That is what the caller asks for, but at least a 64th of the gas stays (EIP-150);
    a transfer adds the stipend.
    """
    extra = wrap64(0)
    stipend = wrap64(0)
    if value != 0:
        extra = VALUE_GAS
        stipend = STIPEND
        if kind == CALL and is_empty_account(m, row) != 0:
            extra = VALUE_GAS + NEW_ACCOUNT_GAS
    if m.gas < extra:
        m.fault = FAULT_GAS
        return 0
    left = m.gas - extra
    sent = left - left // 64
    if gas < wrap256(sent):
        sent = wrap64(gas)
    m.gas = left - sent
    return sent + stipend


@inline
def take_role(m: Machine, kind: u64, target: u256, row: u64, value: u256) -> None:
    """Make the account, caller and value those of the callee."""
    if kind == CALL:
        transfer(m, m.account, row, value)
    if kind == STATICCALL:
        m.static = 1
    if kind != DELEGATECALL:
        m.caller = m.address
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

"""Opcodes that call: CALL, CALLCODE, DELEGATECALL, STATICCALL.

They pay, check, and either make the frame of the callee the running one (`ENTERED`) or
finish at once: precompiles and accounts without code need no frame.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.frames.delegation import delegate_address, is_delegation
from echidna_mcp_plugins.native.opcodes.callees import (
    CALL,
    CALLCODE,
    DELEGATECALL,
    STATICCALL,
    make_call,
)
from echidna_mcp_plugins.native.opcodes.gas import charge, memory_range
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.opcodes.told_calls import start_told_call
from echidna_mcp_plugins.native.state.accounts import (
    access_account,
    find_account,
    is_empty_account,
    program_of,
)
from echidna_mcp_plugins.native.state.machine import (
    CONSOLE_ROW,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

MASK160 = (1 << 160) - 1

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


@inline
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
    if m.hooks != 0 or row <= CONSOLE_ROW:
        return start_told_call(
            m,
            kind,
            target,
            row,
            source,
            value,
            sent,
            input_start,
            wrap64(input_size),
            return_to,
            wrap64(output_size),
        )
    return make_call(
        m,
        kind,
        m.account,
        m.address,
        target,
        row,
        source,
        value,
        sent,
        input_start,
        wrap64(input_size),
        return_to,
        wrap64(output_size),
    )


@inline
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

"""Opcodes that read any account (Yellow Paper, H.2: 30s).

A delegated account (EIP-7702) has a designator for code, and these opcodes see that.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import load64, u64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.code.programs import code_hash
from echidna_mcp_plugins.native.opcodes.gas import charge
from echidna_mcp_plugins.native.opcodes.memory import copy_padded, paid_range
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.accounts import (
    access_account,
    balance,
    find_account,
    is_empty_account,
    program_of,
)
from echidna_mcp_plugins.native.state.machine import (
    FAULT_NONE,
    PROGRAM_CODE,
    PROGRAM_SIZE,
    Machine,
)

ADDRESS_MASK = (1 << 160) - 1


@opcode(0x31, "BALANCE", fallible=True)
def balance_of(m: Machine, address: u256) -> u256:
    """Return the balance of an account (EIP-2929)."""
    row = paid_account(m, address)
    return balance(m, row)


@opcode(0x3B, "EXTCODESIZE", fallible=True)
def extcodesize(m: Machine, address: u256) -> u256:
    """Return the size of an account's code in bytes (EIP-2929)."""
    program = program_of(m, paid_account(m, address))
    return wrap256(size_of(m, program))


@opcode(0x3C, "EXTCODECOPY", fallible=True)
def extcodecopy(
    m: Machine, address: u256, target: u256, source: u256, size: u256
) -> None:
    """Copy an account's code, which zeros follow, to the memory (EIP-2929)."""
    start = paid_range(m, target, size)
    if m.fault != FAULT_NONE:
        return
    program = program_of(m, paid_account(m, address))
    if m.fault != FAULT_NONE:
        return
    held = size_of(m, program)
    base = load64(m.programs, program + PROGRAM_CODE)
    copy_padded(m, start, wrap64(size), m.code, base, held, source)


@opcode(0x3F, "EXTCODEHASH", fallible=True)
def extcodehash(m: Machine, address: u256) -> u256:
    """Return the hash of an account's code, 0 for no account (EIP-1052, EIP-2929)."""
    row = paid_account(m, address)
    if m.fault != FAULT_NONE:
        return 0
    if is_empty_account(m, row) != 0:
        return 0
    return code_hash(m, program_of(m, row))


def paid_account(m: Machine, address: u256) -> u64:
    """Return the row of an account and pay for its access."""
    row = find_account(m, address & ADDRESS_MASK)
    charge(m, access_account(m, row))
    return row


def size_of(m: Machine, program: u64) -> u64:
    """Return the size of a program in bytes; 0 for none."""
    if program == 0:
        return 0
    return load64(m.programs, program + PROGRAM_SIZE)

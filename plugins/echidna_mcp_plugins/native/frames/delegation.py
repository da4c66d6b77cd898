"""Accounts whose code is another account's (EIP-7702)."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    load64,
    load256,
    local_bytes,
    store256,
    u64,
    u256,
)
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.state.machine import PROGRAM_CODE, PROGRAM_SIZE, Machine
from echidna_mcp_plugins.native.state.rules import DELEGATIONS

DESIGNATION_SIZE = 23
PREFIX = 0xEF0100
PREFIX_SIZE = 3


@inline
def is_delegation(m: Machine, program: u64) -> u64:
    """Return 1 if code is the designation `0xef0100 || address`, and that a rule."""
    if m.rules & DELEGATIONS == 0:
        return 0
    if load64(m.programs, program + PROGRAM_SIZE) != DESIGNATION_SIZE:
        return 0
    start = load64(m.programs, program + PROGRAM_CODE)
    if load256(m.code, start) >> (256 - 8 * PREFIX_SIZE) == PREFIX:
        return 1
    return 0


def delegate_address(m: Machine, program: u64) -> u256:
    """Return whose code a designation stands for."""
    start = load64(m.programs, program + PROGRAM_CODE)
    return load256(m.code, start + PREFIX_SIZE) >> 96


def designation(m: Machine, address: u256) -> u64:
    """Return the program that stands for the code of `address`; 0 for address 0."""
    if address == 0:
        return 0
    code = local_bytes(32)
    store256(code, 0, (PREFIX << 160 | address) << 72)
    return intern_code(m, code, 0, DESIGNATION_SIZE)

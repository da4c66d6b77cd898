"""Opcodes of storage, permanent and transient (Yellow Paper, H.2: 50s)."""

from __future__ import annotations

from echidna_mcp.evm.states import SELECTOR, WRITTEN
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import load64, u64, u256, wrap64
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.opcodes.gas import charge, out_of_gas
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.accesses import (
    ACCESS_READ,
    ACCESS_WRITTEN,
    note_access,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_STORAGE,
    FAULT_HALT,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork
from echidna_mcp_plugins.native.state.storage import (
    access_slot,
    find_slot,
    original_value,
    set_transient,
    slot_value,
    transient_value,
    write_slot_by,
)

SENTRY_GAS = 2300
"""SSTORE needs more than this, so that a transfer's stipend never writes (EIP-2200)."""
WARM_GAS = 100
SET_GAS = 20000
RESET_GAS = 2900
CLEAR_REFUND = 4800
"""EIP-3529."""


@opcode(0x54, "SLOAD", fallible=True)
def sload(m: Machine, key: u256) -> u256:
    """Return a word of storage (EIP-2929)."""
    row = find_slot(m, storage_of(m), key)
    if row == 0:
        return 0
    cost = access_slot(m, row)
    if cost == 0:
        cost = WARM_GAS
    if charge(m, cost) == 0:
        return 0
    note_access(m, key, ACCESS_READ)
    return slot_value(m, row)


@opcode(0x55, "SSTORE", flow=Flow.SPLIT, fallible=True)
def sstore(m: Machine, key: u256, value: u256) -> None:
    """Write a word of storage (EIP-2200, EIP-2929, EIP-3529)."""
    if m.static != 0:
        m.fault = FAULT_HALT
        return
    if m.gas <= SENTRY_GAS:
        out_of_gas(m)
        return
    row = find_slot(m, storage_of(m), key)
    if row == 0:
        return
    access = access_slot(m, row)
    current = slot_value(m, row)
    if value == current:
        if charge(m, access + WARM_GAS) != 0:
            note_access(m, key, ACCESS_WRITTEN)
        return
    original = original_value(m, row)
    if charge(m, access + write_gas(original, current)) == 0:
        return
    m.refund = wrap64(m.refund + write_refund(original, current, value))
    note_access(m, key, ACCESS_WRITTEN)
    write_slot_by(m, row, value, writer(m))


@inline
def write_gas(original: u256, current: u256) -> u64:
    """Return what it costs to change a warm word."""
    if original != current:
        return WARM_GAS
    if original == 0:
        return SET_GAS
    return RESET_GAS


@inline
def write_refund(original: u256, current: u256, value: u256) -> u64:
    """Return the refund for changing a word, modulo 2^64: it may be less than 0."""
    refund = wrap64(0)
    if original != 0 and value == 0:
        refund = CLEAR_REFUND
    if original == current:
        return refund
    if original != 0 and current == 0:
        refund = wrap64(refund - CLEAR_REFUND)
    if original == value:
        refund = wrap64(refund + write_gas(original, original) - WARM_GAS)
    return refund


@opcode(0x5C, "TLOAD", gas=100, since=Fork.CANCUN)
def tload(m: Machine, key: u256) -> u256:
    """Return a word of transient storage (EIP-1153)."""
    return transient_value(m, storage_of(m), key)


@opcode(0x5D, "TSTORE", gas=100, since=Fork.CANCUN, fallible=True)
def tstore(m: Machine, key: u256, value: u256) -> None:
    """Write a word of transient storage (EIP-1153)."""
    if m.static != 0:
        m.fault = FAULT_HALT
        return
    set_transient(m, storage_of(m), key, value)


@inline
def writer(m: Machine) -> u64:
    """Return who writes, for the journal: the function of the running frame.

    That is `WRITTEN`, and the first four bytes of its calldata; less than four are 0.
    """
    if m.input_size < SELECTOR:
        return WRITTEN
    # One by one: the memory may end with them.
    selector = wrap64(0)
    for index in range(SELECTOR):
        selector = selector << 8 | m.memory[m.input_start + index]
    return WRITTEN | selector


@inline
def storage_of(m: Machine) -> u64:
    """Return the number of the running account's storage."""
    return load64(m.accounts, m.account + ACCOUNT_STORAGE)

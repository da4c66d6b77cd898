"""Opcodes that end a frame: STOP, RETURN, REVERT, INVALID, SELFDESTRUCT."""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import load64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.opcodes.gas import charge, memory_range
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.accounts import (
    WARM_GAS,
    access_account,
    balance,
    find_account,
    is_empty_account,
    set_balance,
    transfer,
)
from echidna_mcp_plugins.native.state.journal import set_account_word
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_CREATED,
    ACCOUNT_DOOMED,
    FAULT_HALT,
    FAULT_INVALID,
    FAULT_NONE,
    FAULT_REVERT,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import DELETES_ONLY_NEW

MASK160 = (1 << 160) - 1
NEW_ACCOUNT_GAS = 25000
"""Gas for a balance where there was no account (EIP-161)."""


@opcode(0x00, "STOP", flow=Flow.END)
def stop(m: Machine) -> None:
    """End the frame without output."""
    m.output_size = 0


@opcode(0xF3, "RETURN", flow=Flow.END, fallible=True)
def return_(m: Machine, offset: u256, size: u256) -> None:
    """End the frame with output."""
    m.output_start = memory_range(m, offset, size)
    m.output_size = wrap64(size)


@opcode(0xFD, "REVERT", flow=Flow.END, fallible=True)
def revert(m: Machine, offset: u256, size: u256) -> None:
    """Undo the frame, keep its gas, and end it with output (EIP-140)."""
    m.output_start = memory_range(m, offset, size)
    m.output_size = wrap64(size)
    if m.fault == FAULT_NONE:
        m.fault = FAULT_REVERT


@opcode(0xFE, "INVALID", flow=Flow.END, fallible=True)
def invalid(m: Machine) -> None:
    """Fail (EIP-141); undefined opcodes do the same."""
    m.fault = FAULT_INVALID


@opcode(0xFF, "SELFDESTRUCT", gas=5000, flow=Flow.END, fallible=True)
def selfdestruct(m: Machine, beneficiary: u256) -> None:
    """Give the whole balance away, and end the frame.

    The account is deleted at the end of the message; by the rule of EIP-6780 only if
    the message created it. What an account to be deleted gives to itself is lost.
    """
    m.output_size = 0
    if m.static != 0:
        m.fault = FAULT_HALT
        return
    heir = find_account(m, beneficiary & MASK160)
    access = access_account(m, heir)
    if access != WARM_GAS:
        charge(m, access)
    wealth = balance(m, m.account)
    if wealth != 0 and is_empty_account(m, heir) != 0:
        charge(m, NEW_ACCOUNT_GAS)
    if m.fault != FAULT_NONE:
        return
    if (
        m.rules & DELETES_ONLY_NEW == 0
        or load64(m.accounts, m.account + ACCOUNT_CREATED) == m.number
    ):
        set_balance(m, heir, wrap256(balance(m, heir) + wealth))
        set_balance(m, m.account, 0)
        set_account_word(m, m.account + ACCOUNT_DOOMED, m.number)
        m.doomed = m.doomed + 1
    elif heir != m.account:
        transfer(m, m.account, heir, wealth)

"""Overrides: which call of a message another one takes the place of.

The rules are those of `echidna_mcp.evm.backend.Override`.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import MASK64, u64, u256
from echidna_mcp_plugins.native.opcodes.callees import CALL
from echidna_mcp_plugins.native.state.accounts import balance, transfer
from echidna_mcp_plugins.native.state.machine import (
    DEPTH_LIMIT,
    HOOK_OVERRIDE,
    Machine,
)
from echidna_mcp_plugins.native.state.overriding import (
    is_override_target,
    note_replaced,
    passes_over,
)

STIPEND = 2300
"""With no more gas than that a call pays nothing (Foundry)."""


@cold
def is_replaced(m: Machine, kind: u64, target: u256, value: u256) -> u64:
    """Return 1 if a call is to be replaced; take note of one that is passed over.

    Args:
        m: the machine.
        kind: one of `CALL` and its kin.
        target: the address that is called, not that of cheatcodes.
        value: wei.
    """
    if m.hooks & HOOK_OVERRIDE == 0 or kind != CALL:
        return 0
    if m.address == m.override.spared or m.address == m.origin:
        return 0
    if is_override_target(m.override, m.address) == 0:
        if is_override_target(m.override, target) == 0:
            return 0
    if value > balance(m, m.account) or m.depth >= DEPTH_LIMIT:
        return 0
    if passes_over(m.override) != 0:
        return 0
    return 1


@cold
def pay_replaced(m: Machine, row: u64, value: u256, sent: u64) -> None:
    """Pay for a call that is replaced, and let no other call of the message be so.

    Args:
        m: the machine.
        row: the account that is called.
        value: wei.
        sent: gas.
    """
    note_replaced(m.override)
    m.hooks = m.hooks & (MASK64 ^ HOOK_OVERRIDE)
    if sent > STIPEND:
        transfer(m, m.account, row, value)

"""What cheatcodes are told of calls that end, and what that changes.

Foundry's rules: a call that a prank was for ends it, whatever it did; then those who
expect something may turn success into failure or failure into success. What the call
did to the state stays as its own end left it.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import origin_after
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import MASK64, u64, u256
from echidna_mcp_plugins.native.state.machine import (
    ANSWERED,
    ASK_ENDED,
    FAULT_NONE,
    FAULT_REVERT,
    HOOK_ENDS,
    HOOK_PRANKS,
    HOOK_REVERTS,
    NOBODY,
    Machine,
)

DUMMY_ADDRESS = 1
"""`cheatcodes.expectations.DUMMY_ADDRESS`."""


@cold
def tell_end(m: Machine) -> u64:
    """Tell of a call or creation that `told_*` and `returned` describe.

    Returns:
        1 if it ends otherwise: as these say now.
    """
    tell_prank_end(m)
    if m.hooks & HOOK_ENDS == 0:
        return 0
    if m.host(ASK_ENDED) == ANSWERED:
        return 1
    return 0


@cold
def tell_prank_end(m: Machine) -> None:
    """Let pranks hear of a call from `told_depth` that has ended."""
    m.origin = origin_after(m.pranks, m.told_depth, m.origin)
    if m.pranks.count == 0:
        m.hooks = m.hooks & (MASK64 ^ HOOK_PRANKS)


@cold
def tell_frame_end(m: Machine) -> None:
    """Tell of the running frame, which has ended and is not the first one."""
    m.told_depth = m.depth
    m.told_address = m.address
    m.told_sender = m.caller
    m.told_creates = m.creates
    m.told_static = m.static
    tell_fault(m)
    if tell_end(m) == 0:
        if m.fault == FAULT_REVERT and m.creates == 0:
            note_revert(m, m.address)
        return
    m.fault = FAULT_REVERT
    if m.told_ok != 0:
        m.fault = FAULT_NONE
        if m.creates != 0:
            m.address = DUMMY_ADDRESS


@cold
def tell_message_end(m: Machine) -> None:
    """Tell of the first frame, whose end is not yet carried out."""
    if m.hooks & HOOK_ENDS == 0:
        note_message_revert(m)
        return
    m.told_depth = 0
    m.told_address = m.address
    m.told_sender = m.caller
    m.told_creates = m.creates
    m.told_static = m.static
    tell_fault(m)
    if m.host(ASK_ENDED) != ANSWERED:
        note_message_revert(m)
        return
    if m.told_ok == 0:
        m.fault = FAULT_REVERT
    else:
        m.fault = FAULT_NONE


@cold
def tell_fault(m: Machine) -> None:
    """Describe how the running frame has ended."""
    m.told_ok = 0
    m.told_halted = 0
    if m.fault == FAULT_NONE:
        m.told_ok = 1
    elif m.fault != FAULT_REVERT:
        m.told_halted = 1


@cold
def note_message_revert(m: Machine) -> None:
    """Take note of the first frame if it reverts."""
    if m.fault == FAULT_REVERT and m.creates == 0:
        note_revert(m, m.address)


@cold
def note_revert(m: Machine, address: u256) -> None:
    """Take note of a call in the name of `address` that has reverted, if asked for."""
    if m.hooks & HOOK_REVERTS != 0 and m.reverter == NOBODY:
        m.reverter = address

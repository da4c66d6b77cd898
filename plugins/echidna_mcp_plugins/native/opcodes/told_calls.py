"""Calls of the cheatcodes, and those that they have to hear of."""

from __future__ import annotations

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.cheatcodes.pranks import (
    delegates_as,
    origin_of,
    prank_origin,
    prank_sender,
    sender_of,
    use_prank,
)
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.frames.frames import hand_over
from echidna_mcp_plugins.native.frames.telling import note_revert, tell_end
from echidna_mcp_plugins.native.opcodes.callees import (
    CALL,
    CALLCODE,
    DELEGATECALL,
    STATICCALL,
    make_call,
)
from echidna_mcp_plugins.native.opcodes.cheats import obey_at_once
from echidna_mcp_plugins.native.opcodes.creations import create_for_cheatcode
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED
from echidna_mcp_plugins.native.opcodes.overriding import is_replaced, pay_replaced
from echidna_mcp_plugins.native.state.accounts import balance, find_account, transfer
from echidna_mcp_plugins.native.state.machine import (
    ANSWERED,
    ASK_CALL,
    ASK_CHEAT,
    CONSOLE_ROW,
    CREATES,
    DEPTH_LIMIT,
    FAULT_NONE,
    HOOK_CALLS,
    HOOK_PRANKS,
    REPLACED,
    Machine,
)


@cold
def start_told_call(
    m: Machine,
    kind: u64,
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
    """Begin a call of the cheatcodes, or one that they have to hear of.

    Arguments and result are those of `make_call`.
    """
    if row <= CONSOLE_ROW and (kind == CALL or kind == STATICCALL):
        m.gas = m.gas + sent
        m.returned_size = 0
        if row == CONSOLE_ROW:
            return 1
        return obey(m, input_start, input_size, return_to, room)
    if is_replaced(m, kind, target, value) != 0:
        pay_replaced(m, row, value, sent)
        m.told_sender = target
        m.told_payer = row
        callee = find_account(m, m.override.to)
        return begin_told_call(
            m,
            CALL,
            m.override.to,
            callee,
            callee,
            wrap256(0),
            sent,
            m.override.start,
            m.override.size,
            return_to,
            room,
            0,
        )
    acted = choose_sender(m, kind)
    return begin_told_call(
        m,
        kind,
        target,
        row,
        source,
        value,
        sent,
        input_start,
        input_size,
        return_to,
        room,
        acted,
    )


@cold
def begin_told_call(
    m: Machine,
    kind: u64,
    target: u256,
    row: u64,
    source: u64,
    value: u256,
    sent: u64,
    input_start: u64,
    input_size: u64,
    return_to: u64,
    room: u64,
    acted: u64,
) -> u256:
    """Begin a call in the name and with the money that `told_*` say, and tell of it.

    Arguments and result are those of `make_call`, and what `choose_sender` gives.
    """
    describe_call(m, kind, target, value)
    if m.fault != FAULT_NONE:
        return 0
    answer = ask_about_call(m, sent, input_start, input_size)
    if answer == ANSWERED:
        m.gas = m.gas + sent
        if kind == CALL and m.told_ok != 0:
            transfer(m, m.told_payer, row, value)
        return end_told_call(m, wrap256(m.told_ok), return_to, room)
    code_from = source
    if answer == REPLACED:
        code_from = m.told_row
    result = make_call(
        m,
        kind,
        m.told_payer,
        m.told_sender,
        target,
        row,
        code_from,
        value,
        sent,
        input_start,
        input_size,
        return_to,
        room,
    )
    if result != ENTERED:
        tell_halt(m, result)
        return end_told_call(m, result, return_to, room)
    if acted != 0:
        act_as(m, acted - 1)
    elif kind == DELEGATECALL:
        m.caller = m.told_sender
    return ENTERED


@cold
def choose_sender(m: Machine, kind: u64) -> u64:
    """Find out in whose name and with whose money a call is made: `told_*`.

    Returns:
        1 plus the row of the prank for which a delegate call acts, or 0.
    """
    depth = m.depth + 1
    m.told_sender = m.address
    m.told_payer = m.account
    if kind == DELEGATECALL:
        m.told_sender = m.caller
    if m.hooks & HOOK_PRANKS == 0 or kind == CALLCODE:
        return 0
    if kind == DELEGATECALL:
        acted = delegates_as(m.pranks, depth)
        if acted != 0:
            return acted
    caller = m.told_sender
    m.origin = origin_of(m.pranks, depth, caller, m.origin)
    m.told_sender = sender_of(m.pranks, depth, caller)
    if kind != DELEGATECALL:
        m.told_payer = find_account(m, m.told_sender)
    return 0


@cold
def describe_call(m: Machine, kind: u64, target: u256, value: u256) -> None:
    """Write down what is told of a call."""
    m.told_depth = m.depth + 1
    m.told_kind = kind
    m.told_address = target
    if kind == CALLCODE or kind == DELEGATECALL:
        m.told_address = m.address
    m.told_code = target
    m.told_value = value
    m.told_static = m.static
    if kind == STATICCALL:
        m.told_static = 1
    m.told_creates = 0
    m.told_halted = 0


@cold
def can_be_made(m: Machine) -> u64:
    """Return 1 unless a call, as it is described, is too dear or too deep."""
    if m.told_value > balance(m, m.told_payer) or m.depth >= DEPTH_LIMIT:
        return 0
    return 1


@cold
def tell_halt(m: Machine, result: u256) -> None:
    """Describe a call for which no frame has run, and no answer was given."""
    if result == 0 and can_be_made(m) != 0:
        m.told_halted = 1  # A precompile has failed.


@cold
def ask_about_call(m: Machine, sent: u64, input_start: u64, input_size: u64) -> u64:
    """Tell of a call that can be made; return what `ASK_CALL` does, 0 for nothing."""
    if m.hooks & HOOK_CALLS == 0:
        return 0
    if can_be_made(m) == 0:
        return 0
    m.asked_start = input_start
    m.asked_size = input_size
    m.asked_gas = sent
    return m.host(ASK_CALL)


@cold
def act_as(m: Machine, prank: u64) -> None:
    """Let the running frame, a delegate call, act for the account of a prank."""
    use_prank(m.pranks, prank)
    m.origin = prank_origin(m.pranks, prank, m.origin)
    m.caller = prank_sender(m.pranks, prank)
    m.address = m.caller
    m.account = find_account(m, m.address)


@cold
def end_told_call(m: Machine, result: u256, return_to: u64, room: u64) -> u256:
    """Tell of a call for which no frame has run; return how it ends."""
    if m.fault != FAULT_NONE:
        return 0
    m.told_depth = m.depth + 1
    m.told_ok = wrap64(result)
    if tell_end(m) != 0:
        result = wrap256(m.told_ok)
    elif result == 0 and m.told_halted == 0:
        note_revert(m, m.told_address)
    hand_over(m, return_to, room)
    return result


@cold
def obey(
    m: Machine, input_start: u64, input_size: u64, return_to: u64, room: u64
) -> u256:
    """Do what a call of the cheatcodes says; return how it ends."""
    if obey_at_once(m, input_start, input_size) == 0:
        m.undone = 1  # What it reads is not remembered.
        m.asked_start = input_start
        m.asked_size = input_size
        m.told_depth = m.depth + 1
        answer = m.host(ASK_CHEAT)
        if m.fault != FAULT_NONE:
            return 0
        if answer == CREATES:
            return create_for_cheatcode(m, return_to, room)
    elif m.fault != FAULT_NONE:
        return 0
    hand_over(m, return_to, room)
    if m.told_ok == 0:
        note_revert(m, wrap256(CHEATCODES))
    return wrap256(m.told_ok)

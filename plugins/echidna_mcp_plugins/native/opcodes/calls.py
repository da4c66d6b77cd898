"""Opcodes that call: CALL, CALLCODE, DELEGATECALL, STATICCALL.

They pay, check, and either make the frame of the callee the running one (`ENTERED`) or
finish at once: precompiles and accounts without code need no frame.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import (
    delegates_as,
    origin_of,
    prank_origin,
    prank_sender,
    sender_of,
    use_prank,
)
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.frames.delegation import delegate_address, is_delegation
from echidna_mcp_plugins.native.frames.frames import begin_code, hand_over, push_frame
from echidna_mcp_plugins.native.frames.telling import tell_end
from echidna_mcp_plugins.native.opcodes.cheats import obey_at_once
from echidna_mcp_plugins.native.opcodes.creations import create_for_cheatcode
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
    ANSWERED,
    ASK_CALL,
    ASK_CHEAT,
    CONSOLE_ROW,
    CREATES,
    DEPTH_LIMIT,
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    HOOK_CALLS,
    HOOK_PRANKS,
    REPLACED,
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


# ------------------------------------------------------------------------- cheatcodes


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
    acted = choose_sender(m, kind)
    describe_call(m, kind, target, value)
    if m.fault != FAULT_NONE:
        return 0
    answer = ask_about_call(m, input_start, input_size)
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


@cold
def ask_about_call(m: Machine, input_start: u64, input_size: u64) -> u64:
    """Tell of a call that can be made; return what `ASK_CALL` does, 0 for nothing."""
    if m.hooks & HOOK_CALLS == 0:
        return 0
    if m.told_value > balance(m, m.told_payer) or m.depth >= DEPTH_LIMIT:
        return 0
    m.asked_start = input_start
    m.asked_size = input_size
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
    return wrap256(m.told_ok)

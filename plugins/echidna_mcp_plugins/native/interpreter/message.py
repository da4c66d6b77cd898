"""Top-level messages: how they begin and what happens when they have ended.

The host has written the calldata, or the creation code, to the start of `memory`, has
set `gas_price` and `coverage`, and has let the clock go on. Then it calls

1. `begin_call` or `begin_creation`. In place of that, for a message with access list or
   authorizations: `open_message`; `list_account`, `list_slot` (EIP-2930), `authorize`
   (EIP-7702); `enter_call` or `enter_creation`.
   Of a call with an override, the host has written the calldata of that behind its own,
   has set `override_*`, and `HOOK_OVERRIDE`, which ends with the message.
2. `execute`, if they returned 1.
3. `end_message`, always.

Then `fault`, `gas_used`, `returned`, `created`, `steps`, `logs` and `touched` tell what
happened. The value is minted, gas is never paid, and a message that fails undoes all
that it did (`echidna_mcp.evm.backend`).
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import forget_pranks
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    MASK64,
    load64,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.code.edges import begin_edges
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.frames.delegation import (
    delegate_address,
    designation,
    is_delegation,
)
from echidna_mcp_plugins.native.frames.frames import (
    BY_OPCODE,
    align_memory,
    begin_code,
    mark_depth,
    mark_frame,
    undo_frame,
)
from echidna_mcp_plugins.native.opcodes.creations import (
    CREATION_GAS,
    INIT_CODE_WORD_GAS,
    creation_address,
    is_init_code_too_large,
    is_taken,
    open_account,
)
from echidna_mcp_plugins.native.opcodes.gas import out_of_gas
from echidna_mcp_plugins.native.precompiles.contracts import run_precompile
from echidna_mcp_plugins.native.state.accesses import begin_accesses
from echidna_mcp_plugins.native.state.accounts import (
    balance,
    delete_account,
    find_account,
    is_empty_account,
    is_precompile,
    nonce,
    program_of,
    set_balance,
    set_nonce,
    set_program,
    warm_account,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_DOOMED,
    ACCOUNT_ROW,
    ACCOUNT_STORAGE,
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    HOOK_OVERRIDE,
    HOOK_PRANKS,
    HOOK_PRICE,
    OWN_HOOKS,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import DATA_FLOOR
from echidna_mcp_plugins.native.state.storage import access_slot, find_slot

MESSAGE_GAS = 21000
TOKEN_GAS = 4
"""Gas for a token of data: a zero byte is one, any other four (EIP-2028)."""
TOKEN_FLOOR_GAS = 10
"""Least gas for a token (EIP-7623)."""
DATA_TOKENS = 4
LOW_BITS = 0x7F7F7F7F7F7F7F7F
"""All bits of eight bytes but the top ones."""
BYTE_ONES = 0x0101010101010101
LISTED_ACCOUNT_GAS = 2400
LISTED_SLOT_GAS = 1900
AUTHORIZATION_GAS = 25000
"""Gas for an authorization (EIP-7702)."""
KNOWN_ACCOUNT_REFUND = 12500
"""Refund if its account is not new."""
REFUND_QUOTIENT = 5
"""At most a fifth of the gas is given back (EIP-3529)."""


# -------------------------------------------------------------------------- beginning


def begin_call(
    m: Machine, sender: u256, target: u256, value: u256, gas: u64, input_size: u64
) -> u64:
    """Begin a call with the first bytes of `memory` as calldata.

    Returns:
        1 if there is code to run, from `resume`; 0 if the call is over.
    """
    open_message(m, sender, gas)
    return enter_call(m, target, value, input_size)


def begin_creation(
    m: Machine,
    sender: u256,
    target: u256,
    chosen: u64,
    value: u256,
    gas: u64,
    input_size: u64,
) -> u64:
    """Begin a creation with the first bytes of `memory` as creation code.

    Args:
        m: the machine.
        sender: who sends it.
        target: where to create, if `chosen` is 1. If it is 0, the address is that of
            CREATE, and a nonce of the sender is used up.
        chosen: 0 or 1.
        value: wei.
        gas: intrinsic gas included.
        input_size: bytes of creation code.

    Returns:
        1 if there is code to run, from `resume`; 0 if the creation is over.
    """
    open_message(m, sender, gas)
    return enter_creation(m, target, chosen, value, input_size)


def open_message(m: Machine, sender: u256, gas: u64) -> None:
    """Make the machine that of a message that has done nothing."""
    m.number = m.number + 1
    m.epoch = m.epoch + 1
    m.origin = sender
    m.message_gas = gas
    m.surcharge = 0
    m.refund = 0
    m.floor = 0
    m.created = 0
    m.fault = FAULT_NONE
    m.full = 0
    m.steps = 0
    m.returned_size = 0
    m.log_end = 0
    m.doomed = 0
    m.assertion = 0
    m.last_block = 0
    m.touched_count = 0
    m.comparison_count = 0
    m.creation_count = 0
    m.novel = 0
    m.refused = 0
    m.states.touched = 0
    begin_edges(m)
    begin_accesses(m)
    m.gas = gas
    m.static = 0
    m.depth = 0
    mark_depth(m)
    m.stack_base = 0
    m.stack_top = 0
    m.memory_base = 0
    m.memory_size = 0
    m.input_start = 0
    m.input_size = 0
    m.creates = 0
    m.output_size = 0
    m.return_room = 0
    m.caller = sender
    if m.hooks != 0:
        begin_hooks(m)


@cold
def begin_hooks(m: Machine) -> None:
    """Let cheatcodes change how a message begins."""
    if m.hooks & HOOK_PRICE != 0:
        m.gas_price = m.forced_price
    if m.pranks.dies != 0:
        forget_pranks(m.pranks)
        m.hooks = m.hooks & (MASK64 ^ HOOK_PRANKS)


def enter_call(m: Machine, target: u256, value: u256, input_size: u64) -> u64:
    """Begin a call, like `begin_call`, of the message that is open."""
    mark_frame(m)
    row = find_account(m, target)
    warm_account(m, row)
    pay_intrinsic(m, 0, input_size)
    if m.fault != FAULT_NONE:
        return end_early(m)
    mint(m, row, value)
    if is_precompile(m, target) != 0:
        m.gas = run_precompile(m, wrap64(target), 0, input_size, m.gas)
        return end_early(m)
    program = program_of(m, row)
    if is_delegation(m, program) != 0:
        source = find_account(m, delegate_address(m, program))
        warm_account(m, source)
        program = program_of(m, source)
    m.input_size = input_size
    m.value = value
    m.address = target
    m.account = row
    return begin_program(m, program, input_size)


def enter_creation(
    m: Machine, target: u256, chosen: u64, value: u256, input_size: u64
) -> u64:
    """Begin a creation, like `begin_creation`, of the message that is open."""
    mark_frame(m)
    creator = find_account(m, m.origin)
    creator_nonce = nonce(m, creator)
    m.created = target
    if chosen == 0:
        m.created = creation_address(m.origin, creator_nonce)
    row = find_account(m, m.created)
    warm_account(m, row)
    words = (input_size + 31) // 32
    pay_intrinsic(m, CREATION_GAS + words * INIT_CODE_WORD_GAS, input_size)
    if m.fault == FAULT_NONE:
        if is_taken(m, row) != 0 or (chosen == 0 and creator_nonce == MASK64):
            m.fault = FAULT_HALT
        elif is_init_code_too_large(m, input_size) != 0:
            m.fault = FAULT_GAS
    if m.fault != FAULT_NONE:
        return end_early(m)
    if chosen == 0:
        set_nonce(m, creator, creator_nonce + 1)
    mint(m, row, value)
    open_account(m, row)
    m.creates = BY_OPCODE
    m.value = value
    m.address = m.created
    m.account = row
    return begin_program(m, intern_code(m, m.memory, 0, input_size), input_size)


def pay_intrinsic(m: Machine, extra: u64, input_size: u64) -> None:
    """Charge what a message costs before it runs: `extra`, and what all messages pay.

    It must also suffice for the floor of calldata, where that is a rule (EIP-7623).
    """
    rest = input_size % 8
    whole = input_size - rest
    filled = wrap64(0)
    for i in range(whole // 8):
        filled = filled + filled_bytes(load64(m.memory, 8 * i))
    if rest != 0:
        last = load64(m.memory, whole) & ((1 << 8 * rest) - 1)
        filled = filled + filled_bytes(last)
    tokens = input_size + (DATA_TOKENS - 1) * filled
    cost = MESSAGE_GAS + tokens * TOKEN_GAS + extra + m.surcharge
    if m.rules & DATA_FLOOR != 0:
        m.floor = MESSAGE_GAS + tokens * TOKEN_FLOOR_GAS
    if m.gas < cost or m.gas < m.floor:
        m.floor = 0
        out_of_gas(m)
    else:
        m.gas = m.gas - cost


@inline
def filled_bytes(word: u64) -> u64:
    """Return how many of the eight bytes of a word are not zero."""
    tops = (((word & LOW_BITS) + LOW_BITS) | word) >> 7 & BYTE_ONES
    return wrap64(tops * BYTE_ONES) >> 56


def mint(m: Machine, row: u64, value: u256) -> None:
    """Give the value of the message to its receiver."""
    if value != 0:
        set_balance(m, row, wrap256(balance(m, row) + value))


def begin_program(m: Machine, program: u64, input_size: u64) -> u64:
    """Begin the code of the first frame; return 1 if there is any."""
    m.memory_base = align_memory(input_size)
    if m.hooks & HOOK_OVERRIDE != 0:
        m.memory_base = align_memory(m.override.start + m.override.size)
    if m.fault == FAULT_NONE and program != 0:
        begin_code(m, program)
        if m.fault == FAULT_NONE:
            return 1
    return end_early(m)


def end_early(m: Machine) -> u64:
    """End a message that runs no code; return 0."""
    if m.fault != FAULT_NONE:
        undo_frame(m)
        m.gas = 0
        m.returned_size = 0
    return 0


# -------------------------------------------------------- access list, authorizations


def list_account(m: Machine, address: u256) -> None:
    """Make an account warm for the message, which pays for it (EIP-2930)."""
    warm_account(m, find_account(m, address))
    m.surcharge = m.surcharge + LISTED_ACCOUNT_GAS


def list_slot(m: Machine, address: u256, key: u256) -> None:
    """Make a slot warm for the message, which pays for it (EIP-2930)."""
    storage = load64(m.accounts, find_account(m, address) + ACCOUNT_STORAGE)
    access_slot(m, find_slot(m, storage, key))
    m.surcharge = m.surcharge + LISTED_SLOT_GAS


def authorize(
    m: Machine, authority: u256, address: u256, authorized_nonce: u64
) -> None:
    """Set, replace or, with address 0, end the delegation of an account (EIP-7702).

    It stays even if the message fails. Signature and chain have been checked, and that
    the message can pay: the host adds `AUTHORIZATION_GAS` to `surcharge` for each
    authorization, valid or not.
    """
    if authorized_nonce == MASK64:
        return
    row = find_account(m, authority)
    warm_account(m, row)
    program = program_of(m, row)
    if program != 0 and is_delegation(m, program) == 0:
        return
    if nonce(m, row) != authorized_nonce:
        return
    if is_empty_account(m, row) == 0:
        m.refund = m.refund + KNOWN_ACCOUNT_REFUND
    set_program(m, row, designation(m, address))
    set_nonce(m, row, authorized_nonce + 1)


# ----------------------------------------------------------------------------- ending


def end_message(m: Machine) -> None:
    """Give gas back, delete accounts, and say what the message used.

    If a buffer got full, `fault` is FAULT_CAPACITY, and it is for the caller to undo
    what there may be.
    """
    if m.fault == FAULT_NONE and m.doomed != 0:
        delete_doomed(m)
    used = m.message_gas - m.gas
    refund = m.refund
    if used // REFUND_QUOTIENT < refund:
        refund = used // REFUND_QUOTIENT
    used = used - refund
    if used < m.floor:
        used = m.floor
    m.gas_used = used
    if m.full != 0:
        m.fault = FAULT_CAPACITY
    m.hooks = m.hooks & (MASK64 ^ OWN_HOOKS)


def delete_doomed(m: Machine) -> None:
    """Delete the accounts that destroyed themselves."""
    row = wrap64(ACCOUNT_ROW)
    while row < m.account_end:
        if load64(m.accounts, row + ACCOUNT_DOOMED) == m.number:
            delete_account(m, row)
        row = row + ACCOUNT_ROW

"""Opcodes that create contracts: CREATE and CREATE2, and where they put them."""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import origin_of, sender_of
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Bytes,
    load64,
    local_bytes,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.code.flow import Flow
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.frames.frames import (
    BY_OPCODE,
    BY_SALT,
    FOR_CHEATCODE,
    begin_code,
    hand_over,
    push_frame,
)
from echidna_mcp_plugins.native.frames.telling import (
    DUMMY_ADDRESS,
    tell_end,
    tell_prank_end,
)
from echidna_mcp_plugins.native.opcodes.gas import charge, memory_range
from echidna_mcp_plugins.native.opcodes.opcode import ENTERED, opcode
from echidna_mcp_plugins.native.state.accounts import (
    balance,
    find_account,
    nonce,
    program_of,
    set_nonce,
    transfer,
    warm_account,
)
from echidna_mcp_plugins.native.state.journal import set_account_word
from echidna_mcp_plugins.native.state.keccak import keccak256
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_CREATED,
    ACCOUNT_SEEDED,
    DEPTH_LIMIT,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

MASK160 = (1 << 160) - 1

CREATION_GAS = 32000
"""Gas for a creation (Yellow Paper, G_create)."""
INIT_CODE_WORD_GAS = 2
"""Gas for a word of creation code (EIP-3860)."""
HASH_WORD_GAS = 6
"""Gas for a word that is hashed (G_keccak256word)."""
INIT_CODE_FACTOR = 2
"""Creation code may have that many times the size of runtime code (EIP-3860)."""
UNAFFORDABLE_SIZE = 1 << 58
"""Bytes for which no gas suffices."""

RLP_STRING = 0x80
RLP_LIST = 0xC0
ADDRESS_SIZE = 20
CREATE2_PREFIX = 0xFF


@opcode(0xF0, "CREATE", flow=Flow.CALL, fallible=True)
def create(m: Machine, value: u256, offset: u256, size: u256) -> u256:
    """Create a contract at an address that sender and nonce decide."""
    start = pay_creation(m, offset, size, INIT_CODE_WORD_GAS)
    if m.fault != FAULT_NONE:
        return 0
    if m.hooks != 0:
        return create_told(m, value, start, wrap64(size), 0, 0)
    if can_create(m, m.account, value) == 0:
        return 0
    target = creation_address(m.address, nonce(m, m.account))
    return start_creation(
        m, m.account, m.address, target, value, m.memory, start, wrap64(size)
    )


@opcode(0xF5, "CREATE2", flow=Flow.CALL, fallible=True)
def create2(m: Machine, value: u256, offset: u256, size: u256, salt: u256) -> u256:
    """Create a contract at an address that sender, salt and code decide (EIP-1014)."""
    start = pay_creation(m, offset, size, INIT_CODE_WORD_GAS + HASH_WORD_GAS)
    if m.fault != FAULT_NONE:
        return 0
    if m.hooks != 0:
        return create_told(m, value, start, wrap64(size), 1, salt)
    if can_create(m, m.account, value) == 0:
        return 0
    code_hash = keccak256(m.memory, start, wrap64(size))
    target = salted_address(m.address, salt, code_hash)
    return start_creation(
        m, m.account, m.address, target, value, m.memory, start, wrap64(size)
    )


def pay_creation(m: Machine, offset: u256, size: u256, word_gas: u64) -> u64:
    """Charge a creation; return where its code begins in `memory`."""
    if m.static != 0:
        m.fault = FAULT_HALT
        return 0
    if size >= UNAFFORDABLE_SIZE:
        m.fault = FAULT_GAS
        return 0
    charge(m, CREATION_GAS + (wrap64(size) + 31) // 32 * word_gas)
    if m.fault != FAULT_NONE:
        return 0
    return memory_range(m, offset, size)


def can_create(m: Machine, creator: u64, value: u256) -> u64:
    """Return 1 unless the balance is too small, or depth or nonce at their limits.

    If they are, the creation is over: it has cost no more than a creation itself.
    """
    if (
        value > balance(m, creator)
        or m.depth >= DEPTH_LIMIT
        or nonce(m, creator) == MASK64
    ):
        m.returned_size = 0
        return 0
    return 1


def start_creation(
    m: Machine,
    creator: u64,
    sender: u256,
    target: u256,
    value: u256,
    source: Bytes,
    start: u64,
    size: u64,
) -> u256:
    """Begin a creation that has been paid for.

    Args:
        m: the machine.
        creator: row of the account that creates.
        sender: its address.
        target: that of the new account.
        value: wei.
        source: what holds the creation code.
        start, size: where it is in there.

    Returns:
        `ENTERED`, or if it is over the new address, 0 if it failed.
    """
    sent = m.gas - m.gas // 64
    m.gas = m.gas - sent
    set_nonce(m, creator, nonce(m, creator) + 1)
    row = find_account(m, target)
    warm_account(m, row)
    if is_taken(m, row) != 0:
        m.returned_size = 0
        return 0
    # As in py-evm, this is the last of the checks.
    if is_init_code_too_large(m, size) != 0:
        m.fault = FAULT_GAS
        return 0
    program = intern_code(m, source, start, size)
    if program == 0:
        transfer(m, creator, row, value)
        open_account(m, row)
        m.returned_size = 0
        m.gas = m.gas + sent
        return target
    push_frame(m)
    transfer(m, creator, row, value)
    open_account(m, row)
    m.gas = sent
    m.input_start = 0
    m.input_size = 0
    m.return_to = 0
    m.return_room = 0
    m.creates = BY_OPCODE
    m.caller = sender
    m.value = value
    m.address = target
    m.account = row
    begin_code(m, program)
    return ENTERED


@cold
def create_told(
    m: Machine, value: u256, start: u64, size: u64, salted: u64, salt: u256
) -> u256:
    """Begin a creation of which cheatcodes have to hear; see `start_creation`."""
    depth = m.depth + 1
    m.origin = origin_of(m.pranks, depth, m.address, m.origin)
    sender = sender_of(m.pranks, depth, m.address)
    creator = find_account(m, sender)
    if m.fault != FAULT_NONE:
        return 0
    result = wrap256(0)
    if can_create(m, creator, value) != 0:
        target = creation_address(sender, nonce(m, creator))
        if salted != 0:
            target = salted_address(sender, salt, keccak256(m.memory, start, size))
        result = start_creation(
            m, creator, sender, target, value, m.memory, start, size
        )
    if m.fault != FAULT_NONE:
        return 0
    how = BY_OPCODE
    if salted != 0:
        how = BY_SALT
    if result == ENTERED:
        m.creates = how
        return result
    m.told_depth = depth
    m.told_address = result
    m.told_sender = sender
    m.told_creates = how
    m.told_static = 0
    m.told_halted = 0
    m.told_ok = 0
    if result != 0:
        m.told_ok = 1
    if tell_end(m) != 0:
        result = wrap256(m.told_ok * DUMMY_ADDRESS)
    return result


@cold
def create_for_cheatcode(m: Machine, return_to: u64, room: u64) -> u256:
    """Begin the creation that `host` has asked for: see `ASK_CHEAT`.

    Its code are the return data, `told_value` is its value, and `told_kind` 1 if it has
    a salt, `told_code`. The call of the cheatcode ends with it.
    """
    size = m.returned_size
    depth = m.depth + 1
    m.origin = origin_of(m.pranks, depth, m.address, m.origin)
    sender = sender_of(m.pranks, depth, m.address)
    creator = find_account(m, sender)
    result = wrap256(0)
    if can_create(m, creator, m.told_value) != 0:
        target = creation_address(sender, nonce(m, creator))
        if m.told_kind != 0:
            code_hash = keccak256(m.returned, 0, size)
            target = salted_address(sender, m.told_code, code_hash)
        result = start_creation(
            m, creator, sender, target, m.told_value, m.returned, 0, size
        )
    if m.fault != FAULT_NONE:
        return 0
    if result == ENTERED:
        m.creates = FOR_CHEATCODE
        m.return_to = return_to
        m.return_room = room
        return result
    m.told_depth = depth
    tell_prank_end(m)
    if result == 0:
        m.returned_size = 0
        return 0
    store256(m.returned, 0, result)
    m.returned_size = 32
    hand_over(m, return_to, room)
    return 1


def is_taken(m: Machine, row: u64) -> u64:
    """Return 1 if an account has code, nonce, or storage from outside (EIP-7610)."""
    if (
        program_of(m, row) != 0
        or nonce(m, row) != 0
        or load64(m.accounts, row + ACCOUNT_SEEDED) != 0
    ):
        return 1
    return 0


def is_init_code_too_large(m: Machine, size: u64) -> u64:
    """Return 1 if creation code is beyond the limit (EIP-3860)."""
    if size > INIT_CODE_FACTOR * m.max_code_size:
        return 1
    return 0


def open_account(m: Machine, row: u64) -> None:
    """Make an account one that the message creates; its nonce is 1 (EIP-161)."""
    set_nonce(m, row, 1)
    set_account_word(m, row + ACCOUNT_CREATED, m.number)
    m.creation_count = m.creation_count + 1


# -------------------------------------------------------------------------- addresses


def creation_address(sender: u256, sender_nonce: u64) -> u256:
    """Return where CREATE puts a contract: keccak of the RLP of sender and nonce."""
    rlp = local_bytes(64)
    store256(rlp, 2, sender << 96)
    rlp[1] = RLP_STRING + ADDRESS_SIZE
    end = wrap64(2 + ADDRESS_SIZE)
    if sender_nonce == 0:
        rlp[end] = RLP_STRING
        end = end + 1
    elif sender_nonce < RLP_STRING:
        rlp[end] = sender_nonce
        end = end + 1
    else:
        size = wrap64(1)
        while size < 8 and sender_nonce >> (8 * size) != 0:
            size = size + 1
        rlp[end] = RLP_STRING + size
        for i in range(size):
            rlp[end + 1 + i] = sender_nonce >> (8 * (size - 1 - i)) & 0xFF
        end = end + 1 + size
    rlp[0] = RLP_LIST + (end - 1)
    return keccak256(rlp, 0, end) & MASK160


def salted_address(sender: u256, salt: u256, code_hash: u256) -> u256:
    """Return where CREATE2 puts a contract (EIP-1014)."""
    parts = local_bytes(85)
    store256(parts, 1, sender << 96)
    parts[0] = CREATE2_PREFIX
    store256(parts, 21, salt)
    store256(parts, 53, code_hash)
    return keccak256(parts, 0, 85) & MASK160

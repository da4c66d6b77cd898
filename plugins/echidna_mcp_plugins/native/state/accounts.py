"""Accounts: rows by address, what is in them, and what touching them costs.

All changes are journaled. Row 0 is no account: it is what `find_account` returns when
there is no room left (FAULT_CAPACITY), so that the caller can go on until it looks at
`fault`.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    clear,
    load32,
    load64,
    peek256,
    poke256,
    store64,
    u64,
    u256,
    wrap256,
)
from echidna_mcp_plugins.native.state.index import (
    INDEX_ENTRY,
    clear_index,
    hash_word,
    insert_entry,
    is_crowded,
)
from echidna_mcp_plugins.native.state.journal import (
    account_hash,
    append_undo,
    set_account_wide,
    set_account_word,
    stamp_account,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_BALANCE,
    ACCOUNT_NONCE,
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    ACCOUNT_SEEDED,
    ACCOUNT_STORAGE,
    ACCOUNT_WARM,
    FAULT_CAPACITY,
    FULL_ACCOUNTS,
    UNDO_NEW_ACCOUNT,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import P256_ADDRESS, P256_VERIFIES

WARM_GAS = 100
"""Gas for an account that the message has accessed before (EIP-2929)."""
COLD_GAS = 2600

# ------------------------------------------------------------------------------- rows


@inline
def peek_account(m: Machine, address: u256) -> u64:
    """Return the row of an account; 0 if there is none."""
    at = hash_word(address, 0) & m.account_index_mask
    row = load32(m.account_index, INDEX_ENTRY * at) * ACCOUNT_ROW
    while row != 0:
        if peek256(m.accounts, row + ACCOUNT_ADDRESS) == address:
            return row
        at = (at + 1) & m.account_index_mask
        row = load32(m.account_index, INDEX_ENTRY * at) * ACCOUNT_ROW
    return 0


@inline
def find_account(m: Machine, address: u256) -> u64:
    """Return the row of an account, an empty one if need be."""
    row = peek_account(m, address)
    if row != 0:
        return row
    return add_account(m, address)


@cold
def add_account(m: Machine, address: u256) -> u64:
    """Add an empty account; return its row, or 0 with FAULT_CAPACITY."""
    row = m.account_end
    if row + ACCOUNT_ROW > m.account_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_ACCOUNTS
        return 0
    if append_undo(m, UNDO_NEW_ACCOUNT, row, 0) == 0:
        return 0
    number = row // ACCOUNT_ROW
    if is_crowded(m.account_index_mask, number) != 0:
        grow_account_index(m)
    m.account_end = row + ACCOUNT_ROW
    m.storages = m.storages + 1
    clear(m.accounts, row, ACCOUNT_ROW)
    poke256(m.accounts, row + ACCOUNT_ADDRESS, address)
    store64(m.accounts, row + ACCOUNT_STORAGE, m.storages)
    code = account_hash(m, row)
    insert_entry(m.account_index, m.account_index_mask, code, number)
    return row


@cold
def grow_account_index(m: Machine) -> None:
    """Double the index and enter all accounts anew, oldest first."""
    mask = 2 * m.account_index_mask + 1
    m.account_index_mask = mask
    clear_index(m.account_index, mask)
    for number in range(1, m.account_end // ACCOUNT_ROW):
        code = account_hash(m, number * ACCOUNT_ROW)
        insert_entry(m.account_index, mask, code, number)


def delete_account(m: Machine, row: u64) -> None:
    """Make an account empty, its storage too (EIP-6780)."""
    set_balance(m, row, 0)
    set_nonce(m, row, 0)
    set_program(m, row, 0)
    replace_storage(m, row)


def replace_storage(m: Machine, row: u64) -> None:
    """Give an account new, empty storage."""
    m.storages = m.storages + 1
    set_account_word(m, row + ACCOUNT_STORAGE, m.storages)
    set_account_word(m, row + ACCOUNT_SEEDED, 0)
    stamp_account(m)


# ------------------------------------------------------------------------------ fields


@inline
def balance(m: Machine, row: u64) -> u256:
    """Return the balance of an account in wei."""
    return peek256(m.accounts, row + ACCOUNT_BALANCE)


@inline
def set_balance(m: Machine, row: u64, value: u256) -> None:
    """Set the balance of an account in wei."""
    set_account_wide(m, row + ACCOUNT_BALANCE, value)
    stamp_account(m)


@inline
def nonce(m: Machine, row: u64) -> u64:
    """Return the nonce of an account."""
    return load64(m.accounts, row + ACCOUNT_NONCE)


@inline
def set_nonce(m: Machine, row: u64, value: u64) -> None:
    """Set the nonce of an account."""
    set_account_word(m, row + ACCOUNT_NONCE, value)
    stamp_account(m)


@inline
def program_of(m: Machine, row: u64) -> u64:
    """Return the row of an account's code in `programs`; 0 if it has none."""
    return load64(m.accounts, row + ACCOUNT_PROGRAM)


@inline
def set_program(m: Machine, row: u64, program: u64) -> None:
    """Make a row of `programs` the code of an account."""
    set_account_word(m, row + ACCOUNT_PROGRAM, program)
    stamp_account(m)


def is_empty_account(m: Machine, row: u64) -> u64:
    """Return 1 if an account has no code, nonce or balance (EIP-161)."""
    if program_of(m, row) == 0 and nonce(m, row) == 0 and balance(m, row) == 0:
        return 1
    return 0


def transfer(m: Machine, source: u64, target: u64, value: u256) -> None:
    """Move wei, which `source` has, from one account to another."""
    if value != 0:
        set_balance(m, source, balance(m, source) - value)
        set_balance(m, target, wrap256(balance(m, target) + value))


# ------------------------------------------------------------------------------ access


@inline
def access_account(m: Machine, row: u64) -> u64:
    """Return the gas for access to an account, and make it warm (EIP-2929)."""
    if load64(m.accounts, row + ACCOUNT_WARM) == m.number:
        return WARM_GAS
    if is_always_warm(m, peek256(m.accounts, row + ACCOUNT_ADDRESS)) != 0:
        return WARM_GAS
    set_account_word(m, row + ACCOUNT_WARM, m.number)
    return COLD_GAS


def is_always_warm(m: Machine, address: u256) -> u64:
    """Return 1 for sender, coinbase (EIP-3651) and precompiles."""
    if address == m.origin or address == m.coinbase:
        return 1
    return is_precompile(m, address)


@inline
def warm_account(m: Machine, row: u64) -> None:
    """Make an account warm."""
    set_account_word(m, row + ACCOUNT_WARM, m.number)


@inline
def is_precompile(m: Machine, address: u256) -> u64:
    """Return 1 if the fork has a precompile at `address`."""
    if address > P256_ADDRESS:
        return 0
    if address != 0 and address <= wrap256(m.last_precompile):
        return 1
    if address == P256_ADDRESS and m.rules & P256_VERIFIES != 0:
        return 1
    return 0

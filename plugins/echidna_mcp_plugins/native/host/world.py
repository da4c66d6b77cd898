"""The host's side of a machine: making one, and looking at or changing its accounts.

Nothing here runs inside of a message.
"""

from __future__ import annotations

from collections.abc import Mapping

from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE, STUB, STUB_HASH
from echidna_mcp.cheatcodes.pranks import new_pranks
from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import AccountState, BackendConfig
from echidna_mcp.kernel.language.memory import (
    load64,
    peek256,
    poke256,
    store64,
    words,
)
from echidna_mcp.kernel.language.record import blank
from echidna_mcp_plugins.native.code.programs import (
    add_program,
    fingerprint,
    intern_code,
    keep_programs,
)
from echidna_mcp_plugins.native.host.capacity import Capacity, capacity_error, reserve
from echidna_mcp_plugins.native.state.accounts import (
    balance,
    find_account,
    nonce,
    peek_account,
    program_of,
    replace_storage,
    set_balance,
    set_nonce,
    set_program,
)
from echidna_mcp_plugins.native.state.history import HISTORY_ADDRESS
from echidna_mcp_plugins.native.state.journal import set_account_word, undo_to
from echidna_mcp_plugins.native.state.known_states import (
    OWNERS,
    STATE_TABLE,
    KnownStates,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_ROW,
    ACCOUNT_SEEDED,
    ACCOUNT_STORAGE,
    CHEATS_ROW,
    CONSOLE_ROW,
    FAULT_NONE,
    PROGRAM_CODE,
    PROGRAM_HASH,
    PROGRAM_HASHED,
    PROGRAM_SIZE,
    SLOT_KEY,
    SLOT_ROW,
    SLOT_STORAGE,
    SLOT_VALUE,
    Machine,
)
from echidna_mcp_plugins.native.state.overriding import Overriding
from echidna_mcp_plugins.native.state.rules import (
    LAST_PRECOMPILES,
    SERVES_HASHES,
    Fork,
    rules_of,
)
from echidna_mcp_plugins.native.state.storage import (
    find_slot,
    peek_slot,
    slot_value,
    write_slot,
)


def new_machine(config: BackendConfig, capacity: Capacity | None = None) -> Machine:
    """Return a machine with an empty world at the beginning of the block of `config`.

    Handlers, decoder tables and `host` are for the caller to set.

    Raises:
        CapacityError: there is not so much address space.
    """
    m: Machine = blank(Machine)
    try:
        reserve(m, capacity or Capacity())
    except (OSError, ValueError, MemoryError) as error:
        raise CapacityError(
            "There is too little address space for an EVM; raise the limit of virtual "
            "memory (ulimit -v) or run fewer workers."
        ) from error
    fork = Fork[config.fork.upper()]
    m.fork = fork
    m.rules = rules_of(fork)
    m.last_precompile = LAST_PRECOMPILES[fork]
    m.max_code_size = config.max_code_size
    block = config.block
    m.timestamp = block.timestamp
    m.block_number = block.number
    m.gas_limit = block.gas_limit
    m.chain_id = block.chain_id
    m.coinbase = block.coinbase
    m.base_fee = block.base_fee
    m.prev_randao = block.prev_randao
    m.blob_base_fee = block.blob_base_fee
    # Rows that have never been touched say 0.
    m.number = 1
    m.epoch = 1
    m.pranks = new_pranks()
    m.override = blank(Overriding)
    m.states = blank(KnownStates)
    m.states.table = words([0] * STATE_TABLE)
    m.states.owners = words([0] * (2 * OWNERS))
    _add_cheat_accounts(m, given=config.cheats is not None)
    keep_programs(m)
    return m


def _add_cheat_accounts(m: Machine, *, given: bool) -> None:
    """Add the accounts of the first two rows; none that can be called if not given."""
    for address, row in ((CHEATCODES, CHEATS_ROW), (CONSOLE, CONSOLE_ROW)):
        found = find_account(m, address if given else address | 1 << 255)
        assert found == row, "they are the first ones"
    if given:
        # Its hash is not that of its code, so a contract with such code has another
        # program: no code has this tag.
        code = bytearray(STUB)
        tag = fingerprint(code, 0, len(code)) ^ 1
        program = add_program(m, code, 0, len(code), tag)
        set_program(m, CHEATS_ROW, program)
        store64(m.programs, program + PROGRAM_HASHED, 1)
        poke256(m.programs, program + PROGRAM_HASH, STUB_HASH)
    settle(m)


# ---------------------------------------------------------------------------- changing


def seed_account(
    m: Machine,
    address: int,
    *,
    balance: int | None = None,
    nonce: int | None = None,
    code: bytes | None = None,
    storage: Mapping[int, int] | None = None,
) -> None:
    """Change an account from outside of any message; None keeps what there is.

    `storage` replaces all words that the account has. The change is journaled, so it
    goes with the snapshot in which it was made.

    Raises:
        CapacityError: there is no room; nothing was changed.
    """
    mark = m.journal_end
    m.fault = FAULT_NONE
    m.full = 0
    row = find_account(m, address)
    if address == HISTORY_ADDRESS and m.rules & SERVES_HASHES:
        m.history = row
    if balance is not None:
        set_balance(m, row, balance)
    if nonce is not None:
        set_nonce(m, row, nonce)
    if code is not None:
        set_program(m, row, intern_code(m, bytearray(code), 0, len(code)))
    if storage is not None:
        _seed_storage(m, row, storage)
    check_capacity(m, mark)


def _seed_storage(m: Machine, row: int, storage: Mapping[int, int]) -> None:
    replace_storage(m, row)
    words = {key: value for key, value in storage.items() if value}
    number = load64(m.accounts, row + ACCOUNT_STORAGE)
    for key, value in words.items():
        write_slot(m, find_slot(m, number, key), value)
    set_account_word(m, row + ACCOUNT_SEEDED, int(bool(words)))


def check_capacity(m: Machine, mark: int) -> None:
    """Undo what came after `mark` if a buffer of the machine got full.

    Raises:
        CapacityError: one did.
    """
    if m.full:
        undo_to(m, mark)
        m.fault = FAULT_NONE
        raise capacity_error(m)


def settle(m: Machine) -> None:
    """Forget how to go back: for worlds without a snapshot."""
    m.journal_end = 0


# ----------------------------------------------------------------------------- looking


def all_accounts(m: Machine) -> dict[int, AccountState]:
    """Return all accounts that are not empty (EIP-161), by ascending address."""
    storages = _storages(m)
    found = {}
    for row in range(CONSOLE_ROW + ACCOUNT_ROW, m.account_end, ACCOUNT_ROW):
        number = load64(m.accounts, row + ACCOUNT_STORAGE)
        state = _state(m, row, storages.get(number, {}))
        if state.balance or state.nonce or state.code:
            found[peek256(m.accounts, row + ACCOUNT_ADDRESS)] = state
    return dict(sorted(found.items()))


def storage_word(m: Machine, address: int, key: int) -> int:
    """Return a word of an account's storage."""
    row = peek_account(m, address)
    if row == 0:
        return 0
    slot = peek_slot(m, load64(m.accounts, row + ACCOUNT_STORAGE), key)
    return slot_value(m, slot) if slot else 0


def code_bytes(m: Machine, program: int) -> bytes:
    """Return the code of a row of `programs`."""
    start = load64(m.programs, program + PROGRAM_CODE)
    return bytes(m.code[start : start + load64(m.programs, program + PROGRAM_SIZE)])


def _state(m: Machine, row: int, storage: Mapping[int, int]) -> AccountState:
    return AccountState(
        balance=balance(m, row),
        nonce=nonce(m, row),
        code=code_bytes(m, program_of(m, row)),
        storage=dict(sorted(storage.items())),
    )


def _storages(m: Machine) -> dict[int, dict[int, int]]:
    """Return the words that are not zero, by storage number."""
    found: dict[int, dict[int, int]] = {}
    for row in range(SLOT_ROW, m.slot_end, SLOT_ROW):
        number = load64(m.slots, row + SLOT_STORAGE)
        if value := peek256(m.slots, row + SLOT_VALUE):
            found.setdefault(number, {})[peek256(m.slots, row + SLOT_KEY)] = value
    return found

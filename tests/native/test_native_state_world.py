"""The host's side: seeding, looking, full tables, forks."""

from __future__ import annotations

import pytest
from native_world import SMALL, State, entries, live_rows, small_machine

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import AccountState, BackendConfig, BlockContext
from echidna_mcp.evm.fork import FORKS
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.host.world import (
    all_accounts,
    new_machine,
    seed_account,
    settle,
    storage_word,
)
from echidna_mcp_plugins.native.state import accounts
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ROW,
    ACCOUNT_SEEDED,
    FAULT_CAPACITY,
    JOURNAL_ROW,
    SLOT_ROW,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def run(request):
    return State(request.param)


def seeded(m: Machine, address: int) -> int:
    row = accounts.peek_account(m, address)
    return load64(m.accounts, row + ACCOUNT_SEEDED)


def test_seeded_accounts_are_seen_again_in_order_of_address() -> None:
    m = small_machine()
    seed_account(m, 20, balance=5)
    seed_account(m, 7, nonce=1, code=b"\x60\x00", storage={9: 2, 3: 4, 5: 0})
    seed_account(m, 30, storage={})
    seed_account(m, 31, balance=0, nonce=0, code=b"")
    seven = AccountState(balance=0, nonce=1, code=b"\x60\x00", storage={3: 4, 9: 2})
    twenty = AccountState(balance=5, nonce=0, code=b"", storage={})
    found = all_accounts(m)
    assert list(found.items()) == [(7, seven), (20, twenty)]
    assert list(found[7].storage) == [3, 9]
    assert storage_word(m, 7, 9) == 2
    assert storage_word(m, 7, 10) == 0
    assert storage_word(m, 8, 9) == 0


def test_seeding_changes_only_what_is_given() -> None:
    m = small_machine()
    seed_account(m, 7, balance=5, nonce=1, code=b"\x01", storage={1: 1})
    seed_account(m, 7, nonce=2)
    expected = AccountState(balance=5, nonce=2, code=b"\x01", storage={1: 1})
    assert all_accounts(m) == {7: expected}
    seed_account(m, 7, code=b"", storage={2: 2})
    expected = AccountState(balance=5, nonce=2, code=b"", storage={2: 2})
    assert all_accounts(m) == {7: expected}


def test_only_storage_that_is_there_makes_an_account_seeded() -> None:
    m = small_machine()
    seed_account(m, 7, balance=1)
    assert seeded(m, 7) == 0
    seed_account(m, 7, storage={1: 0})
    assert seeded(m, 7) == 0
    seed_account(m, 7, storage={1: 1})
    assert seeded(m, 7) == 1
    accounts.delete_account(m, accounts.peek_account(m, 7))
    assert seeded(m, 7) == 0


def test_seeding_goes_with_the_snapshot() -> None:
    m = small_machine()
    seed_account(m, 7, balance=5, storage={1: 1})
    mark, rows = m.journal_end, live_rows(m)
    seed_account(m, 7, balance=6, nonce=3, code=b"\x01", storage={2: 2})
    seed_account(m, 8, balance=6)
    undo_to(m, mark)
    assert live_rows(m) == rows
    expected = AccountState(balance=5, nonce=0, code=b"", storage={1: 1})
    assert all_accounts(m) == {7: expected}


def test_a_settled_world_stays_and_goes_on() -> None:
    m = small_machine()
    seed_account(m, 7, balance=5)
    settle(m)
    mark = m.journal_end
    seed_account(m, 8, balance=6)
    undo_to(m, mark)
    assert list(all_accounts(m)) == [7]


@pytest.mark.parametrize(
    ("table", "size"),
    [("account", ACCOUNT_ROW), ("slot", SLOT_ROW), ("journal", JOURNAL_ROW)],
)
def test_a_full_table_is_a_fault_that_can_be_undone(
    run: State, table: str, size: int
) -> None:
    m = small_machine()
    for n in range(40):
        row = run.find_account(m, n + 1)
        run.set_balance(m, row, n + 1)
        run.write_slot(m, run.find_slot(m, 1, n), 7)
    mark, rows = m.journal_end, live_rows(m)
    setattr(m, f"{table}_limit", getattr(m, f"{table}_end") + 3 * size + size // 2)
    for n in range(40, 60):
        row = run.find_account(m, n + 1)
        run.set_balance(m, row, n + 1)
        run.set_nonce(m, row, n + 1)
        run.access_account(m, row)
        slot = run.find_slot(m, 1, n)
        run.access_slot(m, slot)
        run.write_slot(m, slot, 7)
        run.set_transient(m, 1, n, 7)
    assert m.fault == FAULT_CAPACITY
    assert getattr(m, f"{table}_end") <= getattr(m, f"{table}_limit")
    run.undo_to(m, mark)
    assert live_rows(m) == rows
    numbers = entries(m.slot_index, m.slot_index_mask)
    assert numbers == list(range(1, m.slot_end // SLOT_ROW))
    numbers = entries(m.account_index, m.account_index_mask)
    assert numbers == list(range(1, m.account_end // ACCOUNT_ROW))


def test_seeding_too_much_is_an_error_and_leaves_nothing() -> None:
    m = small_machine()
    seed_account(m, 7, balance=5)
    before = all_accounts(m)
    with pytest.raises(CapacityError, match="more storage words"):
        seed_account(m, 8, balance=1, storage=dict.fromkeys(range(10_000), 1))
    assert all_accounts(m) == before
    seed_account(m, 8, balance=1)
    assert m.fault == 0


def test_address_space_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(CapacityError, match="ulimit"):
        new_machine(BackendConfig(), Capacity(memory=1 << 60))


def test_a_new_machine_is_at_the_beginning_of_its_block() -> None:
    block = BlockContext(timestamp=11, number=12, coinbase=13, blob_base_fee=14)
    m = new_machine(BackendConfig(block=block, max_code_size=15, fork="osaka"), SMALL)
    assert (m.timestamp, m.block_number, m.coinbase) == (11, 12, 13)
    assert (m.blob_base_fee, m.max_code_size, m.fork) == (14, 15, Fork.OSAKA)
    assert all_accounts(m) == {}


def test_the_default_capacity_can_be_reserved_many_times() -> None:
    machines = [new_machine(BackendConfig()) for _ in range(8)]
    for n, m in enumerate(machines):
        seed_account(m, 1, balance=n + 1)
    assert [all_accounts(m)[1].balance for m in machines] == list(range(1, 9))


@pytest.mark.parametrize("fork", FORKS)
def test_precompiles_are_those_of_the_fork(run: State, fork: str) -> None:
    m = small_machine(fork=fork)
    expected = {
        "shanghai": {*range(1, 0xA)},
        "cancun": {*range(1, 0xB)},
        "prague": {*range(1, 0x12)},
        "osaka": {*range(1, 0x12), 0x100},
    }
    assert {n for n in range(300) if run.is_precompile(m, n)} == expected[fork]
    for address in (1 << 64, 1 << 128, (1 << 160) - 1, (1 << 160) + 1):
        assert not run.is_precompile(m, address)


def test_access_costs_once_a_message_and_precompiles_are_warm(run: State) -> None:
    m = small_machine()
    one, other = run.find_account(m, 1), run.find_account(m, 0xAA)
    assert run.access_account(m, one) == 100
    assert [run.access_account(m, other) for _ in range(2)] == [2600, 100]
    mark = m.journal_end
    third = run.find_account(m, 0xBB)
    run.warm_account(m, third)
    assert run.access_account(m, third) == 100
    run.undo_to(m, mark)
    third = run.find_account(m, 0xBB)
    assert run.access_account(m, third) == 2600
    m.number += 1
    assert run.access_account(m, other) == 2600

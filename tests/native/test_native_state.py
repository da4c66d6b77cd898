"""Accounts, storage and journal beside a model made of dictionaries."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_world import State, entries, live_rows, small_machine

from echidna_mcp.kernel.language.memory import load64
from echidna_mcp_plugins.native.host.world import all_accounts, storage_word
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ROW,
    ACCOUNT_STORAGE,
    SLOT_ROW,
    Machine,
)

ADDRESSES = [1, 11, 0xBEEF << 64, (1 << 160) - 1]
KEYS = [0, 1 << 192, (1 << 256) - 1]
PRECOMPILES = range(1, 11)
TOP = (1 << 256) - 1


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def run(request):
    return State(request.param)


@dataclass
class Account:
    balance: int = 0
    nonce: int = 0
    program: int = 0
    storage: dict[int, int] = field(default_factory=dict)


@dataclass
class Model:
    """The same world as dictionaries; a mark is a copy."""

    accounts: dict[int, Account] = field(default_factory=dict)
    warm: set[Any] = field(default_factory=set)
    transient: dict[tuple[int, int], int] = field(default_factory=dict)
    before: dict[int, dict[int, int]] = field(default_factory=dict)
    """Storage when the message began."""
    message: int = 0

    def account(self, address: int) -> Account:
        return self.accounts.setdefault(address, Account())

    def begin_message(self) -> None:
        self.message += 1
        self.warm = set()
        self.transient = {}
        self.before = {a: dict(each.storage) for a, each in self.accounts.items()}


class Worlds:
    """A machine and its model."""

    def __init__(self, run: State) -> None:
        self.run = run
        self.m: Machine = small_machine()
        self.model = Model()
        self.marks: list[tuple[int, Model, Any]] = []
        self.messages = 0
        self.begin_message()

    def begin_message(self) -> None:
        self.m.number += 1
        self.messages += 1
        self.model.begin_message()
        self.model.message = self.messages

    def row(self, address: int) -> int:
        found = self.run.find_account(self.m, address)
        assert found
        assert self.run.peek_account(self.m, address) == found
        self.model.account(address)
        return int(found)

    def slot(self, address: int, key: int) -> int:
        storage = load64(self.m.accounts, self.row(address) + ACCOUNT_STORAGE)
        return int(self.run.find_slot(self.m, storage, key))

    def apply(self, name: str, address: int, key: int, value: int) -> None:
        getattr(self, name)(address, key, value)
        assert self.m.fault == 0

    # ------------------------------------------------------------ operations

    def set_fields(self, address: int, _key: int, value: int) -> None:
        row = self.row(address)
        self.run.set_balance(self.m, row, value)
        self.run.set_nonce(self.m, row, value % (1 << 64))
        found = self.model.account(address)
        found.balance, found.nonce = value, value % (1 << 64)

    def set_code(self, address: int, key: int, _value: int) -> None:
        code = bytearray(b"\x60" * (key % 70))
        program = self.run.intern_code(self.m, code, 0, len(code))
        self.run.set_program(self.m, self.row(address), program)
        self.model.account(address).program = program

    def transfer(self, address: int, key: int, value: int) -> None:
        target = ADDRESSES[key % len(ADDRESSES)]
        source_row, target_row = self.row(address), self.row(target)
        amount = min(value, self.model.account(address).balance)
        self.run.transfer(self.m, source_row, target_row, amount)
        self.model.account(address).balance -= amount
        receiver = self.model.account(target)
        receiver.balance = (receiver.balance + amount) & TOP

    def access(self, address: int, key: int, _value: int) -> None:
        warm = self.model.warm
        gas = self.run.access_account(self.m, self.row(address))
        assert gas == (100 if address in warm or address in PRECOMPILES else 2600)
        warm.add(address)
        gas = self.run.access_slot(self.m, self.slot(address, key))
        assert gas == (0 if (address, key) in warm else 2100)
        warm.add((address, key))

    def write(self, address: int, key: int, value: int) -> None:
        slot = self.slot(address, key)
        before = self.model.before.get(address, {}).get(key, 0)
        assert self.run.original_value(self.m, slot) == before
        self.run.write_slot(self.m, slot, value)
        assert self.run.slot_value(self.m, slot) == value
        self.model.account(address).storage[key] = value

    def write_transient(self, address: int, key: int, value: int) -> None:
        storage = load64(self.m.accounts, self.row(address) + ACCOUNT_STORAGE)
        before = self.run.transient_value(self.m, storage, key)
        assert before == self.model.transient.get((address, key), 0)
        self.run.set_transient(self.m, storage, key, value)
        assert self.run.transient_value(self.m, storage, key) == value
        self.model.transient[address, key] = value

    def delete(self, address: int, _key: int, _value: int) -> None:
        self.run.delete_account(self.m, self.row(address))
        self.model.accounts[address] = Account()
        self.begin_message()

    def next_message(self, _address: int, _key: int, _value: int) -> None:
        self.begin_message()

    def mark(self, _address: int, _key: int, _value: int) -> None:
        state = self.whole_state()
        self.marks.append((self.m.journal_end, copy.deepcopy(self.model), state))

    def undo(self, _address: int, key: int, _value: int) -> None:
        if self.marks:
            at = key % len(self.marks)
            end, model, state = self.marks[at]
            del self.marks[at:]
            self.run.undo_to(self.m, end)
            self.model = model
            assert self.whole_state() == state
            if model.message != self.messages:
                self.begin_message()

    # ------------------------------------------------------------- comparing

    def whole_state(self) -> Any:
        m = self.m
        return (
            live_rows(m),
            entries(m.account_index, m.account_index_mask),
            entries(m.slot_index, m.slot_index_mask),
            m.account_end,
            m.slot_end,
            m.journal_end,
        )

    def check(self) -> None:
        m = self.m
        expected = {
            address: (each.balance, each.nonce, each.program)
            for address, each in sorted(self.model.accounts.items())
            if each.balance or each.nonce or each.program
        }
        found = all_accounts(m)
        assert list(found) == list(expected)
        for address, account in self.model.accounts.items():
            row = self.run.peek_account(m, address)
            fields = self.run.balance(m, row), self.run.nonce(m, row)
            assert fields == (account.balance, account.nonce)
            assert self.run.program_of(m, row) == account.program
            empty = not (account.balance or account.nonce or account.program)
            assert self.run.is_empty_account(m, row) == empty
            for key in KEYS:
                assert storage_word(m, address, key) == account.storage.get(key, 0)
            if address in found:
                words = {k: v for k, v in sorted(account.storage.items()) if v}
                assert found[address].storage == words


OPERATIONS = st.tuples(
    st.sampled_from(
        [
            "set_fields",
            "set_code",
            "transfer",
            "access",
            "access",
            "write",
            "write",
            "write_transient",
            "delete",
            "next_message",
            "mark",
            "mark",
            "undo",
        ]
    ),
    st.sampled_from(ADDRESSES),
    st.sampled_from(KEYS),
    st.sampled_from([0, 1, 2, 1 << 63, 1 << 128, TOP]) | st.integers(0, TOP),
)


@settings(max_examples=150, deadline=None)
@given(operations=st.lists(OPERATIONS, max_size=60))
def test_random_operations_and_undos_equal_the_model(
    run: State, operations: list[tuple[str, int, int, int]]
) -> None:
    worlds = Worlds(run)
    worlds.mark(0, 0, 0)
    for operation in operations:
        worlds.apply(*operation)
    worlds.check()
    worlds.undo(0, 0, 0)
    worlds.check()


def test_undo_across_a_growing_index_leaves_what_was_there(run: State) -> None:
    m = small_machine()
    first = [run.find_account(m, 7 * n) for n in range(1, 100)]
    slots = [run.find_slot(m, 1, 7 * n) for n in range(1, 100)]
    mark, ends = m.journal_end, (m.account_end, m.slot_end)
    many = 3000
    for n in range(many):
        run.find_account(m, (n << 96) + 1)
        run.find_slot(m, 1, (n << 96) + 1)
    assert m.account_index_mask > many
    assert m.slot_index_mask > many
    assert entries(m.account_index, m.account_index_mask) == list(
        range(1, m.account_end // ACCOUNT_ROW)
    )
    assert [run.peek_account(m, 7 * n) for n in range(1, 100)] == first
    for n in range(many):
        assert run.peek_account(m, (n << 96) + 1)
        assert run.peek_slot(m, 1, (n << 96) + 1)
    run.undo_to(m, mark)
    assert (m.account_end, m.slot_end) == ends
    for n in range(many):
        assert not run.peek_account(m, (n << 96) + 1)
        assert not run.peek_slot(m, 1, (n << 96) + 1)
    assert [run.peek_account(m, 7 * n) for n in range(1, 100)] == first
    assert [run.peek_slot(m, 1, 7 * n) for n in range(1, 100)] == slots
    assert entries(m.slot_index, m.slot_index_mask) == list(
        range(1, m.slot_end // SLOT_ROW)
    )


def test_slots_of_two_storages_are_apart(run: State) -> None:
    m = small_machine()
    one, two = run.find_slot(m, 1, 5), run.find_slot(m, 2, 5)
    run.write_slot(m, one, 11)
    assert run.slot_value(m, two) == 0
    run.set_transient(m, 1, 5, 12)
    assert run.slot_value(m, one) == 11
    assert run.transient_value(m, 2, 5) == 0


def test_going_back_makes_a_slot_cold_again(run: State) -> None:
    m = small_machine()
    slot = run.find_slot(m, 1, 5)
    mark = m.journal_end
    assert [run.access_slot(m, slot) for _ in range(2)] == [2100, 0]
    run.undo_to(m, mark)
    assert [run.access_slot(m, slot) for _ in range(2)] == [2100, 0]
    m.number += 1
    assert run.access_slot(m, slot) == 2100


def test_the_original_is_the_value_before_the_message_whatever_is_undone(
    run: State,
) -> None:
    m = small_machine()
    slot = run.find_slot(m, 1, 5)
    run.write_slot(m, slot, 7)
    m.number += 1
    mark = m.journal_end
    assert run.original_value(m, slot) == 7
    run.write_slot(m, slot, 8)
    run.undo_to(m, mark)
    assert run.original_value(m, slot) == 7
    run.write_slot(m, slot, 9)
    assert run.original_value(m, slot) == 7
    m.number += 1
    assert run.original_value(m, slot) == 9


def test_transient_words_are_gone_with_the_message_or_the_frame(run: State) -> None:
    m = small_machine()
    run.set_transient(m, 1, 5, 7)
    m.number += 1
    assert run.transient_value(m, 1, 5) == 0
    mark = m.journal_end
    run.set_transient(m, 1, 5, 7)
    assert run.transient_value(m, 1, 5) == 7
    run.undo_to(m, mark)
    assert run.transient_value(m, 1, 5) == 0
    run.set_transient(m, 1, 5, 8)
    mark = m.journal_end
    run.set_transient(m, 1, 5, 9)
    run.undo_to(m, mark)
    assert run.transient_value(m, 1, 5) == 8


def test_a_deleted_account_never_gets_its_old_storage_back(run: State) -> None:
    m = small_machine()
    row = run.find_account(m, 99)
    old = load64(m.accounts, row + ACCOUNT_STORAGE)
    run.write_slot(m, run.find_slot(m, old, 1), 5)
    mark = m.journal_end
    run.delete_account(m, row)
    second = load64(m.accounts, row + ACCOUNT_STORAGE)
    run.undo_to(m, mark)
    assert storage_word(m, 99, 1) == 5
    run.delete_account(m, row)
    third = load64(m.accounts, row + ACCOUNT_STORAGE)
    assert len({old, second, third}) == 3
    assert storage_word(m, 99, 1) == 0


def test_every_change_of_a_word_moves_its_stamp(run: State) -> None:
    m = small_machine()
    row = run.find_slot(m, 1, 5)
    stamps = [m.stamp]

    def moved() -> bool:
        stamps.append(load64(m.slots, row + 120))
        return stamps[-1] > stamps[-2]

    assert not moved()
    run.slot_value(m, row)
    run.access_slot(m, row)
    run.write_slot(m, row, 0)
    assert not moved()
    mark = m.journal_end
    run.write_slot(m, row, 3)
    assert moved()
    run.write_slot(m, row, 3)
    assert not moved()
    run.undo_to(m, mark)
    assert moved()
    assert stamps[-1] == m.stamp
    run.undo_to(m, 0)
    assert run.find_slot(m, 1, 6) == row
    assert moved()


def test_nothing_is_journaled_that_does_not_change(run: State) -> None:
    m = small_machine()
    row, slot = run.find_account(m, 99), run.find_slot(m, 1, 1)
    run.set_balance(m, row, 5)
    run.write_slot(m, slot, 5)
    mark = m.journal_end
    run.set_balance(m, row, 5)
    run.set_nonce(m, row, 0)
    run.write_slot(m, slot, 5)
    run.transfer(m, row, run.find_account(m, 99), 0)
    assert m.journal_end == mark

"""What cheatcodes set and frames leave behind, beside a journal such as revm's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from native_world import State, small_machine

from echidna_mcp.evm.backend import BlockContext
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_CREATED,
    FAULT_CAPACITY,
    FULL_JOURNAL,
    Machine,
)
from echidna_mcp_plugins.py_evm.message import address_of
from echidna_mcp_plugins.py_evm.world import World

ADDRESSES = [1, 2, (1 << 160) - 1]
WORDS = st.sampled_from([0, 1, 3, 100, 1 << 64, (1 << 256) - 1])
NONCES = st.sampled_from([0, 1, 2, 50, (1 << 64) - 1])
PLACES = st.sampled_from(ADDRESSES)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), PLACES, PLACES, st.integers(0, 9)),
        st.tuples(st.just("bump"), PLACES),
        st.tuples(st.just("create"), PLACES),
        st.tuples(st.just("deal"), PLACES, WORDS),
        st.tuples(st.just("set_nonce"), PLACES, NONCES),
        st.tuples(st.just("enter")),
        st.tuples(st.just("leave"), st.booleans()),
    ),
    max_size=40,
)


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def run(request: pytest.FixtureRequest) -> State:
    return State(request.param)


class Worlds:
    """A machine, a world of py-evm, and one whose deals and nonces are not journaled.

    Attributes:
        journal: how the last one goes back.
    """

    def __init__(self, run: State) -> None:
        self.run, self.m, self.world = run, small_machine(), World(BlockContext())
        self.balances, self.nonces = (
            dict.fromkeys(ADDRESSES, 0),
            dict.fromkeys(ADDRESSES, 0),
        )
        self.journal: list[Callable[[], None]] = []
        self.created: list[int] = []
        self.frames: list[tuple[int, int, int, int]] = []
        self.m.number, self.m.depth = 1, 1

    def row(self, address: int) -> int:
        return int(self.run.find_account(self.m, address))

    def pay(self, source: int, target: int, value: int) -> None:
        if value > self.balances[source]:
            return

        def undo() -> None:
            self.balances[source] = (self.balances[source] + value) % (1 << 256)
            self.balances[target] = (self.balances[target] - value) % (1 << 256)

        self.run.transfer(self.m, self.row(source), self.row(target), value)
        for address, change in ((source, -value), (target, value)):
            known = self.world.balances.get(address_of(address), 0)
            self.world.set_balance(address_of(address), known + change)
            self.balances[address] = (self.balances[address] + change) % (1 << 256)
        self.journal.append(undo)

    def bump(self, address: int) -> None:
        if self.nonces[address] == (1 << 64) - 1:
            return

        def undo() -> None:
            self.nonces[address] = max(self.nonces[address] - 1, 0)

        self.put_nonce(address, self.nonces[address] + 1)
        self.journal.append(undo)

    def create(self, address: int) -> None:
        if self.nonces[address] or address in self.created:
            return

        def undo() -> None:
            self.nonces[address] = 0

        self.put_nonce(address, 1)
        at = self.row(address) + ACCOUNT_CREATED
        self.run.set_account_word(self.m, at, self.m.number)
        self.created.append(address)
        self.journal.append(undo)

    def put_nonce(self, address: int, nonce: int) -> None:
        self.nonces[address] = nonce
        self.run.set_nonce(self.m, self.row(address), nonce)
        self.world.put(self.world.nonces, address_of(address), nonce)

    def deal(self, address: int, value: int) -> None:
        self.balances[address] = value
        self.run.set_lasting_balance(self.m, self.row(address), value)
        self.world.set_lasting_balance(address_of(address), value)

    def set_nonce(self, address: int, nonce: int) -> None:
        self.nonces[address] = nonce
        self.run.set_lasting_nonce(self.m, self.row(address), nonce)
        self.world.set_lasting_nonce(address_of(address), nonce)

    def enter(self) -> None:
        marks = len(self.world.undo), len(self.journal), len(self.created)
        self.frames.append((self.m.journal_end, *marks))

    def leave(self, ok: bool) -> None:
        if not self.frames:
            return
        journal_end, undo, journal, created = self.frames.pop()
        if ok:
            return
        made = [address_of(each) for each in self.created[created:]]
        self.run.undo_but_lasting(self.m, journal_end)
        self.world.rollback_frame(undo, made)
        while len(self.journal) > journal:
            self.journal.pop()()
        del self.created[created:]

    def compare(self) -> None:
        assert self.m.fault == 0
        for address in ADDRESSES:
            row, where = self.row(address), address_of(address)
            pairs = (
                (self.run.balance(self.m, row), self.world.balances.get(where, 0)),
                (self.run.nonce(self.m, row), self.world.nonces.get(where, 0)),
            )
            known = self.balances[address], self.nonces[address]
            assert pairs == tuple((each, each) for each in known)
            made = load64(self.m.accounts, row + ACCOUNT_CREATED) == self.m.number
            assert made == (address in self.created)


def play(worlds: Worlds, steps: Sequence[tuple[object, ...]]) -> None:
    for name, *arguments in steps:
        getattr(worlds, str(name))(*arguments)
        worlds.compare()


def test_frames_leave_behind_what_revm_would(run: State):
    @given(STEPS)
    def check(steps: list[tuple[object, ...]]) -> None:
        worlds = Worlds(run)
        play(worlds, steps)
        run.undo_to(worlds.m, 0)
        worlds.world.rollback(0)
        assert worlds.world.balances == worlds.world.nonces == {}
        assert not worlds.world.lasting
        assert worlds.m.journal_end == 0
        assert all(run.peek_account(worlds.m, each) == 0 for each in ADDRESSES)

    check()


def test_the_first_frame_writes_nothing_more(run: State):
    m: Machine = small_machine()
    row, before = run.find_account(m, 5), m.lasting
    end = m.journal_end
    run.set_lasting_balance(m, row, 7)
    assert m.journal_end == end + 48
    assert m.lasting == before


def test_a_journal_without_room_is_told(run: State):
    worlds = Worlds(run)
    worlds.enter()
    worlds.deal(1, 5)
    mark, *_ = worlds.frames[-1]
    worlds.m.journal_limit = worlds.m.journal_end
    run.undo_but_lasting(worlds.m, mark)
    assert (worlds.m.fault, worlds.m.full) == (FAULT_CAPACITY, FULL_JOURNAL)

"""The parts of the backend on their own."""

from __future__ import annotations

from typing import Any

import pytest
from block_rules import stretches
from eth.vm import opcode_values as op
from eth.vm.code_stream import CodeStream
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.prague.opcodes import PRAGUE_OPCODES
from eth.vm.forks.shanghai.opcodes import SHANGHAI_OPCODES
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from echidna_mcp.evm.backend import BlockContext
from echidna_mcp.evm.fork import FORKS, ForkName
from echidna_mcp_plugins.py_evm.fork import rules_of
from echidna_mcp_plugins.py_evm.program import Program
from echidna_mcp_plugins.py_evm.table import CLZ
from echidna_mcp_plugins.py_evm.world import World

ADDRESSES = [bytes([number]) * 20 for number in range(3)]
TABLE = rules_of("cancun").table
addresses = st.sampled_from(ADDRESSES)
small = st.integers(0, 3)


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([0x5B, 0x60, 0x7F, 0])).map(bytes)
)
def test_jump_destinations_are_those_of_py_evm(code: bytes) -> None:
    stream = CodeStream(code)
    expected = {
        at
        for at, byte in enumerate(code)
        if byte == 0x5B and stream.is_valid_opcode(at)
    }
    assert Program(code, TABLE).jumpdests == expected


@given(st.binary(min_size=1, max_size=120))
def test_blocks_are_those_of_the_rules(code: bytes) -> None:
    program = Program(code, TABLE)
    for start, stretch in stretches(code).items():
        gas, need, room, count, *_, block = program.decode(start)
        assert tuple(block.pcs) == stretch.pcs
        assert (gas, need, room) == (stretch.gas, stretch.need, stretch.room)
        assert count == len(stretch.pcs)


@pytest.mark.parametrize("fork", FORKS)
def test_every_opcode_of_py_evm_has_its_place(fork: ForkName) -> None:
    table = rules_of(fork).table
    placed = {*table.within, *table.ending}
    apart = {op.PC, op.JUMPDEST, *range(op.PUSH0, op.PUSH32 + 1)}
    known = {
        "shanghai": {*SHANGHAI_OPCODES},
        "cancun": {*CANCUN_OPCODES},
        "prague": {*PRAGUE_OPCODES},
        "osaka": {*PRAGUE_OPCODES, CLZ},
    }[fork]
    assert placed | apart == known == set(table.effects)
    assert not placed & apart


class WorldMachine(RuleBasedStateMachine):
    """A world with its journal beside one that is copied."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(BlockContext(timestamp=0, number=0))
        self.snapshots: list[tuple[int, Any]] = []

    def copy(self) -> Any:
        world = self.world
        storages = {
            address: dict(slots) for address, slots in world.storages.items() if slots
        }
        accounts = (dict(world.balances), dict(world.nonces), dict(world.codes))
        return accounts, storages, (world.timestamp, world.number)

    @rule(address=addresses, balance=small)
    def set_balance(self, address: bytes, balance: int) -> None:
        self.world.set_balance(address, balance)

    @rule(address=addresses, nonce=small)
    def set_nonce(self, address: bytes, nonce: int) -> None:
        self.world.put(self.world.nonces, address, nonce)

    @rule(address=addresses, slot=small, word=st.integers(1, 3))
    def write(self, address: bytes, slot: int, word: int) -> None:
        self.world.put(self.world.slots(address), slot, word)

    @rule(address=addresses)
    def clear(self, address: bytes) -> None:
        self.world.clear_storage(address)
        assert not self.world.storages.get(address)

    @rule(address=addresses)
    def delete(self, address: bytes) -> None:
        self.world.delete(address)
        assert self.world.is_empty(address)
        assert not self.world.storages.get(address)

    @rule(seconds=small, blocks=small)
    def wait(self, seconds: int, blocks: int) -> None:
        self.world.advance(seconds, blocks)

    @rule()
    def snapshot(self) -> None:
        handle = self.world.snapshot()
        self.snapshots = [entry for entry in self.snapshots if entry[0] != handle]
        self.snapshots.append((handle, self.copy()))

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        if self.snapshots:
            index = data.draw(st.integers(0, len(self.snapshots) - 1))
            handle, expected = self.snapshots[index]
            self.world.restore(handle)
            assert self.copy() == expected
            del self.snapshots[index + 1 :]

    @rule()
    def settle(self) -> None:
        self.world.settle()

    @invariant()
    def no_journal_without_need(self) -> None:
        assert self.snapshots or not self.world._snapshots


TestWorld = WorldMachine.TestCase

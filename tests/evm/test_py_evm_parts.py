"""The parts of the backend on their own."""

from __future__ import annotations

from typing import Any

from eth.vm.code_stream import CodeStream
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from echidna_mcp_plugins.evm.program import Program
from echidna_mcp_plugins.evm.world import World

ADDRESSES = [bytes([number]) * 20 for number in range(3)]
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
    assert Program(code).jumpdests == expected


@given(st.binary(min_size=1, max_size=120))
def test_blocks_cover_each_instruction_once(code: bytes) -> None:
    stream, program = CodeStream(code), Program(code)
    pcs: list[int] = []
    while (at := pcs[-1] if pcs else -1) < len(code):
        start = at + 1
        while start < len(code) and not stream.is_valid_opcode(start):
            start += 1
        if start >= len(code):
            break
        block = program.decode(start)[-1]
        singles = [program.decode_single(pc)[-1].pcs for pc in block.pcs]
        assert singles == [[pc] for pc in block.pcs]
        pcs += block.pcs
    assert pcs == [at for at in range(len(code)) if stream.is_valid_opcode(at)]


class WorldMachine(RuleBasedStateMachine):
    """A world with its journal beside one that is copied."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(0, 0)
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

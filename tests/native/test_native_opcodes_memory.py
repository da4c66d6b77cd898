"""Memory, calldata, code and return data, instruction by instruction beside py-evm."""

from __future__ import annotations

from typing import Any

import pytest
from eth.exceptions import OutOfBoundsRead, OutOfGas, WriteProtection
from eth.vm.computation import memory_gas_cost
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.istanbul.computation import IstanbulComputation
from eth.vm.message import Message
from eth.vm.transaction_context import BaseTransactionContext
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.kernel.language.memory import peek256
from echidna_mcp.kernel.language.record import blank
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp_plugins.native.opcodes import environment, gas, logs, memory
from echidna_mcp_plugins.native.opcodes.opcode import declared
from echidna_mcp_plugins.native.state.keccak import MEMO_BYTES
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    LOG_ADDRESS,
    LOG_DATA,
    LOG_SIZE,
    LOG_TOPIC,
    LOG_TOPICS,
    Machine,
)

ADDRESS = 0xC0FFEE
CALLDATA = bytes(range(1, 71))
CODE = bytes(range(101, 201))
RETURNED = bytes(range(201, 241))
INPUT_START = 3
MEMORY_BASE = 128
GAS = 100_000
ROOM = 1 << 18
TOP = (1 << 256) - 1
OPCODES = {entry.name: entry for entry in declared(memory, environment, logs)}
NAMES = ["MLOAD", "MSTORE", "MSTORE8", "MCOPY", "KECCAK256", "CALLDATALOAD", "MSIZE"]
NAMES += ["CALLDATACOPY", "CODECOPY", "RETURNDATACOPY", "GAS", "CALLDATASIZE"]
NAMES += ["CODESIZE", "RETURNDATASIZE", "LOG0", "LOG1", "LOG2", "LOG3", "LOG4"]
FAULTS = {
    OutOfGas: FAULT_GAS,
    OutOfBoundsRead: FAULT_HALT,
    WriteProtection: FAULT_HALT,
}
OFFSETS = st.one_of(
    st.integers(0, 130),
    st.sampled_from([31, 32, 33, 38, 39, 40, 69, 70, 71, 99, 100, 101]),
    st.sampled_from([1000, 40_000, (1 << 32) - 1, 1 << 32, 1 << 64, 1 << 255, TOP]),
)
SIZES = st.one_of(st.integers(0, 70), OFFSETS)
OPERANDS = st.lists(st.one_of(OFFSETS, SIZES), min_size=6, max_size=6)


def machine(*, static: bool = False, left: int = GAS) -> Machine:
    m = blank(Machine)
    # What earlier frames have left behind must not show.
    m.memory = bytearray(b"\xee" * ROOM)
    m.memory_limit = ROOM
    m.logs = bytearray(b"\xee" * ROOM)
    m.log_limit = ROOM
    m.code = bytearray(ROOM)
    m.returned = bytearray(ROOM)
    m.keccak_memo = bytearray(MEMO_BYTES)
    m.memory[INPUT_START : INPUT_START + len(CALLDATA)] = CALLDATA
    m.input_start, m.input_size = INPUT_START, len(CALLDATA)
    m.memory_base, m.memory_size = MEMORY_BASE, 0
    m.code[64 : 64 + len(CODE)] = CODE
    m.code_start, m.code_size = 64, len(CODE)
    m.returned[: len(RETURNED)] = RETURNED
    m.returned_size = len(RETURNED)
    m.address = ADDRESS
    m.static = int(static)
    m.gas = left
    return m


def computation(*, static: bool = False, left: int = GAS) -> Any:
    message = Message(
        gas=left,
        to=ADDRESS.to_bytes(20, "big"),
        sender=bytes(20),
        value=0,
        data=CALLDATA,
        code=CODE,
        is_static=static,
    )
    context = BaseTransactionContext(gas_price=0, origin=bytes(20))
    made: Any = IstanbulComputation(None, message, context)
    made.return_data = RETURNED
    return made


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def library(request):
    functions = [entry.function for entry in OPCODES.values()]
    functions += [gas.memory_range, gas.charge]
    return Library.load(Plan(functions=tuple(functions)), mode=request.param)


class Pair:
    """The same frame twice."""

    def __init__(
        self, library: Library, *, static: bool = False, left: int = GAS
    ) -> None:
        self.library = library
        self.native = machine(static=static, left=left)
        self.reference = computation(static=static, left=left)

    def step(self, name: str, operands: list[int]) -> bool:
        """Run one instruction on both; return whether the frames go on."""
        entry = OPCODES[name]
        m, reference = self.native, self.reference
        used = operands[: entry.pops]
        for operand in reversed(used):
            reference.stack_push_int(operand)
        fault = FAULT_NONE
        try:
            CANCUN_OPCODES[entry.number](computation=reference)
        except tuple(FAULTS) as error:
            fault = FAULTS[type(error)]
        # Static gas has been charged when a function runs.
        result = None
        if m.gas < entry.gas:
            m.fault = FAULT_GAS
        else:
            m.gas -= entry.gas
            assert entry.function is not None
            result = self.library.function(entry.function)(m, *used)
        assert m.fault == fault, (name, used)
        if fault != FAULT_NONE:
            assert entry.fallible or m.gas < entry.gas
            return False
        if entry.pushes:
            assert result == reference.stack_pop1_int(), (name, used)
        self.compare()
        return True

    def compare(self) -> None:
        m, reference = self.native, self.reference
        assert m.gas == reference.get_gas_remaining()
        held = bytes(m.memory[MEMORY_BASE : MEMORY_BASE + m.memory_size])
        assert held == reference.memory_read_bytes(0, len(reference._memory))
        assert logs_of(m) == [
            (int.from_bytes(address, "big"), tuple(topics), data)
            for address, topics, data in reference.get_log_entries()
        ]


def logs_of(m: Machine) -> list[tuple[int, tuple[int, ...], bytes]]:
    logs = []
    at = 0
    while at < m.log_end:
        count = int.from_bytes(m.logs[at + LOG_TOPICS : at + LOG_TOPICS + 8], "little")
        size = int.from_bytes(m.logs[at + LOG_SIZE : at + LOG_SIZE + 8], "little")
        topics = [peek256(m.logs, at + LOG_TOPIC + 32 * i) for i in range(count)]
        data = bytes(m.logs[at + LOG_DATA : at + LOG_DATA + size])
        logs.append((peek256(m.logs, at + LOG_ADDRESS), tuple(topics), data))
        at += LOG_DATA + (size + 31) // 32 * 32
    return logs


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), OPERANDS), max_size=12),
    st.integers(0, 6000),
)
def test_any_instructions(library, steps, left):
    pair = Pair(library, left=left)
    for name, operands in steps:
        if not pair.step(name, operands):
            break


@settings(deadline=None)
@given(st.sampled_from(NAMES), OPERANDS)
def test_instructions_in_fresh_memory(library, name, operands):
    Pair(library).step(name, operands)


@given(st.integers(0, 200), st.integers(0, 200))
@settings(deadline=None)
def test_overlapping_copies(library, target, source):
    pair = Pair(library)
    for at in range(0, 256, 32):
        assert pair.step("MSTORE", [at, (at + 7) * 0x0102030405060708090A << 128 | at])
    assert pair.step("MCOPY", [target, source, 90])


@pytest.mark.parametrize("name", ["LOG0", "LOG1", "LOG2", "LOG3", "LOG4"])
def test_static_frames_do_not_log(library, name):
    assert not Pair(library, static=True).step(name, [0, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("size", [1, 32, 33, 1 << 10, 22_000, 724 * 32, 1 << 20])
def test_memory_costs_what_py_evm_says(library, size):
    m = machine(left=1 << 40)
    m.memory = bytearray(1 << 21)
    m.memory_limit = 1 << 21
    assert library.function(gas.memory_range)(m, 0, size) == MEMORY_BASE
    assert (1 << 40) - m.gas == memory_gas_cost(size)
    assert m.memory_size == (size + 31) // 32 * 32


def test_memory_costs_only_what_is_new(library):
    m = machine()
    memory_range = library.function(gas.memory_range)
    memory_range(m, 100, 1)
    assert memory_range(m, 0, 128) == MEMORY_BASE
    assert GAS - m.gas == memory_gas_cost(101)
    memory_range(m, 128, 1)
    assert GAS - m.gas == memory_gas_cost(129)


@pytest.mark.parametrize("offset", [0, 1 << 32, 1 << 64, TOP])
def test_an_empty_range_is_free_everywhere(library, offset):
    m = machine(left=0)
    library.function(gas.memory_range)(m, offset, 0)
    assert (m.fault, m.memory_size) == (FAULT_NONE, 0)


@pytest.mark.parametrize(("offset", "size"), [(1 << 32, 1), (0, 1 << 32), (TOP, TOP)])
def test_memory_beyond_4_gigabytes_is_never_affordable(library, offset, size):
    m = machine(left=(1 << 64) - 1)
    library.function(gas.memory_range)(m, offset, size)
    assert m.fault == FAULT_GAS


def test_a_full_memory_is_no_fault_of_the_contract(library):
    m = machine(left=1 << 60)
    library.function(gas.memory_range)(m, m.memory_limit, 1)
    assert m.fault == FAULT_CAPACITY


def test_full_logs_are_no_fault_of_the_contract(library):
    m = machine()
    m.log_end = m.log_limit - LOG_DATA
    library.function(logs.log0)(m, 0, 0)
    assert m.fault == FAULT_NONE
    library.function(logs.log0)(m, 0, 0)
    assert m.fault == FAULT_CAPACITY


def test_a_fault_is_not_forgotten_for_want_of_gas(library):
    m = machine(left=0)
    m.fault = FAULT_CAPACITY
    assert library.function(gas.charge)(m, 1) == 0
    assert m.fault == FAULT_CAPACITY


def test_logs_with_an_assertion_topic_are_noted(library):
    m = machine()
    topics = [5, TOP]
    m.assertion_topics = bytearray(b"".join(t.to_bytes(32, "little") for t in topics))
    m.assertion_topic_count = 2
    library.function(logs.log0)(m, 0, 0)
    library.function(logs.log2)(m, 0, 0, 6, 5)
    assert m.assertion == 0
    library.function(logs.log1)(m, 0, 0, TOP)
    assert m.assertion == 1


def test_the_bytes_after_a_log_are_zeros(library):
    m = machine()
    library.function(logs.log1)(m, 0, 33, 1)
    assert bytes(m.logs[LOG_DATA : LOG_DATA + 64]) == bytes(64)
    assert m.log_end == LOG_DATA + 64


@pytest.mark.parametrize("size", [1, 31, 32, 33, 64])
@pytest.mark.parametrize("start", [0, 1, 40])
def test_calldata_may_fill_the_memory_to_its_end(library, start, size):
    m = machine()
    m.memory = bytearray(max(start + size, 64))
    data = bytes(range(1, size + 1))
    m.memory[start : start + size] = data
    m.input_start, m.input_size = start, size
    load = library.function(environment.calldataload)
    for at in range(size + 1):
        wanted = data[at : at + 32].ljust(32, b"\0")
        assert load(m, at) == int.from_bytes(wanted, "big")

"""The largest of everything: what a machine does at its limits, and on the way back."""

from __future__ import annotations

from array import array
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from evm_assembler import assemble, creation_code, push
from native_world import entries, live_rows
from random_worlds import RandomWorld
from twins import Alone, Twins

from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    Message,
    Status,
    Watch,
)
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.code.programs import (
    MANY_CODE,
    MANY_PROGRAMS,
    PROGRAM_ROW,
)
from echidna_mcp_plugins.native.state.machine import SLOT_ROW, SLOT_STAMP, Machine
from echidna_mcp_plugins.py_evm.backend import PyEvmBackend

SENDER, TARGET = 0x10000, 0xC0DE
MOST_CODE = 24_576
"""EIP-170."""
MOST_GAS = 0xFFFFFFFF
MANY = 10_000
FIXED = BackendConfig(max_code_size=MOST_CODE)
MODES: tuple[Mode, ...] = ("compiled", "checked")


def message(to: int | None = TARGET, **parts: Any) -> Message:
    return Message(**{"sender": SENDER, "to": to, "data": b"", **parts})


def twins(mode: Mode, config: BackendConfig = FIXED) -> Twins:
    return Twins(config, lambda given: NativeBackend(given, mode=mode), PyEvmBackend)


# --------------------------------------------------------------------- many contracts

NUMBERED = bytes.fromhex("5f52600460 1cf3".replace(" ", ""))
"""Returns the last four bytes of the word on the stack: MSTORE, RETURN(28, 4)."""


def breeder(count: int) -> bytes:
    """Return code that makes contracts; the code of each is a number, none twice."""
    # The number of contracts made so far is in slot 0. Init code: PUSH4 number, ...
    shift = 8 * (32 - 5 - len(NUMBERED))
    init = int.from_bytes(b"\x63" + bytes(4) + NUMBERED, "big") << shift
    return assemble(
        *(count, 0, "SLOAD again: 0x1 ADD DUP1", shift + 8 * len(NUMBERED), "SHL"),
        *(init, "OR 0x0 MSTORE", 5 + len(NUMBERED), 0, 0, "CREATE @made JUMPI"),
        *("INVALID made: SWAP1 0x1 SWAP1 SUB SWAP1 DUP2 @again JUMPI 0x0 SSTORE",),
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_call_makes_ten_thousand_contracts(mode: Mode) -> None:
    both = twins(mode)
    both.set_account(TARGET, code=breeder(MANY))
    made = both.call(message(gas=MOST_GAS))
    assert made.status is Status.STOP
    world = dict(both.first.accounts())
    codes = {int.from_bytes(a.code, "big") for a in world.values() if len(a.code) == 4}
    assert codes == set(range(1, MANY + 1))
    assert world[TARGET].nonce == MANY


def test_without_the_gas_for_it_all_ten_thousand_are_gone() -> None:
    both = twins("compiled")
    both.set_account(TARGET, code=breeder(MANY))
    needed = both.first.call(message(gas=MOST_GAS)).gas_used
    both = twins("compiled")
    both.set_account(TARGET, code=breeder(MANY))
    assert both.call(message(gas=needed - 1)).status is Status.OUT_OF_GAS
    assert [address for address, _ in both.first.accounts()] == [TARGET]
    assert both.call(message(gas=needed)).status is Status.STOP


def test_programs_of_a_factory_do_not_pile_up() -> None:
    backend = NativeBackend(FIXED)
    backend.set_account(TARGET, code=breeder(MANY // 2))
    start, m = backend.snapshot(), backend.machine
    ends = []
    for salt in range(12):
        # None of these contracts was ever there before.
        words = {0: salt * MANY}
        backend.restore(start)
        backend.set_account(TARGET, storage=words)
        assert backend.call(message(gas=MOST_GAS)).status is Status.STOP
        ends.append((m.program_end, m.code_end, m.account_end, m.journal_end))
    # Each makes a creation code and a runtime code; one run may come on top.
    assert max(end[0] for end in ends) < (MANY_PROGRAMS + 2 * MANY) * PROGRAM_ROW
    assert max(end[1] for end in ends) < MANY_CODE
    assert m.forgotten >= 4
    assert len({end[2:] for end in ends[1:]}) == 1


# ------------------------------------------------------------------------ sizes of code


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("size", "status"),
    [
        (MOST_CODE - 1, Status.STOP),
        (MOST_CODE, Status.STOP),
        (MOST_CODE + 1, Status.OUT_OF_GAS),
    ],
)
def test_code_may_be_as_long_as_the_limit(
    mode: Mode, size: int, status: Status
) -> None:
    # The last instruction is reached by a jump over everything else.
    jump = assemble(push(size - 5)[1:].rjust(3, b"\x00"))
    head = b"\x62" + jump + b"\x56"
    tail = assemble("end:", 7, 0, "SSTORE")[:5]
    runtime = head + b"\x5b" * (size - len(head) - 5) + tail.rjust(5, b"\x5b")
    both = twins(mode)
    made = both.deploy(message(None, data=creation_code(runtime), gas=MOST_GAS))
    assert made.status is status
    if status is Status.STOP:
        assert len(made.output) == size
        ran = both.call(message(made.created, gas=100_000))
        assert ran.status is Status.STOP
        assert both.first.storage(made.created or 0, 0) == 7


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_creation_code_may_be_twice_as_long(mode: Mode, excess: int) -> None:
    both = twins(mode)
    fits = Status.OUT_OF_GAS if excess > 0 else Status.STOP
    size = 2 * MOST_CODE + excess
    data = creation_code(b"\x00").ljust(size, b"\x5b")
    assert both.deploy(message(None, data=data, gas=MOST_GAS)).status is fits
    # The same inside of a message, by CREATE.
    maker = assemble("CALLDATASIZE 0x0 0x0 CALLDATACOPY CALLDATASIZE 0x0 0x0 CREATE")
    both.set_account(TARGET, code=maker + assemble("0x0 MSTORE 0x20 0x0 RETURN"))
    assert both.call(message(data=data, gas=10_000_000)).status is fits


# ----------------------------------------------------------------------------- depth

RECURSION = assemble(
    "0x0 SLOAD 0x1 ADD 0x0 SSTORE",
    "0x0 0x0 0x0 0x0 0x0 ADDRESS GAS CALL",
    "0x1 SLOAD ADD 0x1 SSTORE",
)
"""Counts frames in slot 0, and those whose call succeeded in slot 1."""


def test_calls_go_1024_deep_on_any_thread() -> None:
    def deep(_: int) -> tuple[CallResult, int, int]:
        backend = NativeBackend(FIXED)
        backend.set_account(TARGET, code=RECURSION)
        # EIP-150 keeps a 64th at each of 1024 calls: a ten-millionth is left.
        result = backend.call(message(gas=1 << 45), Watch(coverage=True))
        return result, backend.storage(TARGET, 0), backend.storage(TARGET, 1)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(deep, range(8)))
    assert results[0][0].status is Status.STOP
    assert results[0][1:] == (1025, 1024)
    assert all(result == results[0] for result in results)
    reference = PyEvmBackend(FIXED)
    reference.set_account(TARGET, code=RECURSION)
    expected = reference.call(message(gas=1 << 45), Watch(coverage=True))
    assert results[0][0].gas_used == expected.gas_used
    assert list(results[0][0].visits) == list(expected.visits)


# ---------------------------------------------------------------------------- memory


def memory_cost(words: int) -> int:
    """Return C_mem of the Yellow Paper."""
    return 3 * words + words * words // 512


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("gas", [100_000, 12_500_000, MOST_GAS])
def test_memory_grows_as_far_as_gas_goes_and_not_a_word_further(
    mode: Mode, gas: int
) -> None:
    # Intrinsic gas, then PUSH1, PUSH4, MSTORE.
    left = gas - 21_000 - 9
    words = 1
    while memory_cost(2 * words) <= left:
        words *= 2
    step = words
    while step:
        if memory_cost(words + step) <= left:
            words += step
        step //= 2
    both = twins(mode)
    for count, status in ((words, Status.STOP), (words + 1, Status.OUT_OF_GAS)):
        offset = 32 * (count - 1)
        code = b"\x60\x01\x63" + offset.to_bytes(4, "big") + b"\x52"
        both.set_account(TARGET, code=code)
        assert both.call(message(gas=gas)).status is status
    both.set_account(TARGET, code=assemble("MSIZE 0x0 MSTORE 0x20 0x0 RETURN"))
    assert not any(both.call(message()).output)


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_that_fills_memory_ends_with_its_gas(mode: Mode) -> None:
    both = twins(mode)
    both.set_account(TARGET, code=assemble("again: MSIZE MSIZE MSTORE @again JUMP"))
    assert both.call(message(gas=3_000_000)).status is Status.OUT_OF_GAS


# -------------------------------------------------------------------------- going back


def whole_state(m: Machine) -> Any:
    """Return every bit that a later message can see, and how far tables are in use."""
    return (
        live_rows(m),
        entries(m.account_index, m.account_index_mask),
        entries(m.slot_index, m.slot_index_mask),
        (m.account_end, m.slot_end, m.journal_end),
        (m.timestamp, m.block_number),
    )


def slot_rows(m: Machine) -> list[bytes]:
    """Return the rows of all slots, without their stamps."""
    rows = range(SLOT_ROW, m.slot_end, SLOT_ROW)
    return [bytes(m.slots[row : row + SLOT_STAMP]) for row in rows]


def stamps(m: Machine) -> array[int]:
    """Return the stamps of all slots."""
    rows = range(SLOT_ROW, m.slot_end, SLOT_ROW)
    return array("Q", (load64(m.slots, row + SLOT_STAMP) for row in rows))


class GoingBack(Alone):
    """Does everything twice, going back in between, and compares."""

    def __init__(self, backend: NativeBackend) -> None:
        super().__init__(backend)
        self.machine = backend.machine
        self.changed = 0

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        backend, m = self.backend, self.machine
        handle = backend.snapshot()
        state, before, last = whole_state(m), stamps(m), m.stamp
        accounts_stamp, world = m.account_stamp, list(backend.accounts())
        words = [row[32:64] for row in slot_rows(m)]
        first = super().call(message, watch)
        written = [row[32:64] for row in slot_rows(m)[: len(words)]]
        otherwise = list(backend.accounts())
        backend.restore(handle)
        assert whole_state(m) == state
        assert list(backend.accounts()) == world
        # Who remembers stamps must notice each word that was another one meanwhile.
        for old, stamp, was, became in zip(
            before, stamps(m), words, written, strict=True
        ):
            assert stamp == old or stamp > last
            if was != became:
                assert stamp > last
                self.changed += 1
        if [(a, s.balance, s.nonce, s.code) for a, s in otherwise] != [
            (a, s.balance, s.nonce, s.code) for a, s in world
        ]:
            assert m.account_stamp > accounts_stamp
        again = super().call(message, watch)
        assert again == first
        assert list(backend.accounts()) == otherwise
        return again


@pytest.mark.parametrize(("mode", "worlds"), [("compiled", 60), ("checked", 30)])
@pytest.mark.parametrize("fork", ["cancun", "prague"])
def test_going_back_restores_every_bit(mode: Mode, worlds: int, fork: Any) -> None:
    ends: Counter[Status] = Counter()
    changed = 0
    for seed in range(worlds):
        world = RandomWorld(10_000 + seed, fork)
        backend = GoingBack(NativeBackend(world.config(), mode=mode))
        backend.backend.snapshot()
        world.play(backend, ends)
        changed += backend.changed
    assert changed > worlds // 3
    assert set(ends) >= {Status.STOP, Status.REVERT, Status.OUT_OF_GAS}

"""What is compiled: blocks that are entered often enough to pay for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import pytest
from evm_assembler import assemble

from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.user_cache import ObjectCache
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.code.programs import forget_programs
from echidna_mcp_plugins.native.host.library import native_code
from echidna_mcp_plugins.native.hot import code as hot
from echidna_mcp_plugins.native.hot.blocks import read_blocks
from echidna_mcp_plugins.native.hot.build import build_hot
from echidna_mcp_plugins.native.hot.code import (
    HotBlocks,
    HotCode,
    ProgramKey,
    Wanted,
    entered_blocks,
    key_of,
)
from echidna_mcp_plugins.native.hot.traces import MOST_TOKENS, write_roots
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

SENDER: Final = 0x10000
TARGET: Final = 0xC0DE
LOOP: Final = assemble(
    0,
    "CALLDATALOAD",
    "again: DUP1 ISZERO @done JUMPI",
    1,
    "SWAP1 SUB @again JUMP",
    "done: POP STOP",
)
"""Turns as often as its argument says."""
AGAIN: Final = 2
TURN: Final = 9
"""Where the blocks of each turn begin: the question, and what follows if it goes on."""


@dataclass
class Asked:
    """What `HotBlocks` has asked for, in turn."""

    programs: list[Wanted]
    pays: bool


@pytest.fixture
def backend() -> NativeBackend:
    made = NativeBackend(BackendConfig())
    made.set_account(TARGET, code=LOOP)
    return made


@pytest.fixture
def code() -> HotCode:
    library = native_code("compiled").library
    assert library is not None
    return HotCode(library)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, code: HotCode) -> list[Asked]:
    """Return what will be asked for; a block pays from 100 entries on."""
    found: list[Asked] = []
    monkeypatch.setattr(
        code,
        "build_later",
        lambda programs, *, pays: found.append(Asked(programs, pays)),
    )
    monkeypatch.setattr(hot, "FIRST_WORK", 0)
    monkeypatch.setattr(hot, "BLOCK_ENTRIES", 100)
    monkeypatch.setattr(hot, "BUILD_ENTRIES", 90)
    return found


def turn(backend: NativeBackend, times: int) -> tuple[int, int]:
    """Return the gas and the instructions that so many turns take."""
    data = times.to_bytes(32, "big")
    message = Message(sender=SENDER, to=TARGET, data=data, gas=1_000_000)
    result = backend.call(message)
    assert result.status.succeeded
    return result.gas_used, result.steps


def wait_for(code: HotCode, key: ProgramKey, starts: frozenset[int]) -> None:
    """Wait until these blocks are compiled, and no others."""
    end = time.monotonic() + 60
    while not code.may_build(key) or getattr(code.find(key), "starts", ()) != starts:
        assert time.monotonic() < end
        time.sleep(0.01)


def programs(m: Machine) -> Iterator[int]:
    for account in range(ACCOUNT_ROW, m.account_end, ACCOUNT_ROW):
        if row := load64(m.accounts, account + ACCOUNT_PROGRAM):
            yield row


def kept(backend: NativeBackend, code: HotCode) -> HotBlocks:
    """Return what decides for the programs that are there now."""
    backend.keep_programs(backend.snapshot())
    made = HotBlocks(backend.machine, code, "background")
    made.begin(work=0, left=0, machines=1)
    return made


def test_the_interpreter_counts_how_often_it_enters_each_block(backend):
    for times in (0, 1, 40):
        turn(backend, times)
    (row,) = programs(backend.machine)
    (done,) = read_blocks(LOOP, Fork.CANCUN).by_start.keys() - {0, AGAIN, TURN}
    # Each block is left at its end, so the first one ends where the loop begins.
    assert entered_blocks(backend.machine, row) == {0: 3, AGAIN: 44, TURN: 41, done: 3}


def test_what_will_be_entered_often_enough_is_compiled_and_nothing_else(
    backend, code, asked
):
    blocks = kept(backend, code)
    turn(backend, 149)
    # As much again is to come: 150 entries of one block, 149 of the other.
    blocks.begin(work=1000, left=1000, machines=1)
    (only,) = asked
    assert only.programs == [(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))]
    assert only.pays


def test_what_ran_before_anything_was_searched_does_not_count(backend, code, asked):
    turn(backend, 10_000)
    blocks = kept(backend, code)
    turn(backend, 10)
    blocks.begin(work=1000, left=1000, machines=1)
    # Whether others have compiled it is asked all the same.
    assert asked == [Asked([(LOOP, Fork.CANCUN, frozenset())], pays=False)]


def test_what_ends_soon_or_does_not_pay_for_the_compiler_is_not_compiled(
    monkeypatch, backend, code, asked
):
    blocks = kept(backend, code)
    turn(backend, 149)
    blocks.begin(work=1000, left=500, machines=1)
    monkeypatch.setattr(hot, "BUILD_ENTRIES", 100)
    blocks.begin(work=1250, left=1250, machines=1)
    nothing, too_little = asked
    assert nothing == Asked([(LOOP, Fork.CANCUN, frozenset())], pays=False)
    assert not too_little.pays


def test_what_other_machines_do_counts(backend, code, asked):
    blocks = kept(backend, code)
    turn(backend, 60)
    blocks.begin(work=1000, left=1000, machines=1)
    blocks.begin(work=1250, left=5000, machines=4)
    alone, together = (each.programs[0][2] for each in asked)
    assert alone == frozenset()
    assert together == {AGAIN, TURN}


def test_a_program_is_compiled_again_if_that_pays_for_all_of_its_blocks(
    backend, code, asked
):
    code.build(LOOP, Fork.CANCUN, frozenset({AGAIN}))
    blocks = kept(backend, code)
    turn(backend, 149)
    blocks.begin(work=1000, left=1000, machines=1)
    # 149 entries of one block don't pay for two.
    assert not asked
    turn(backend, 1000)
    blocks.begin(work=1250, left=1250, machines=1)
    (only,) = asked
    assert only.programs == [(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))]


def test_programs_that_were_forgotten_are_counted_anew(backend, code, asked):
    # Its code is decoded when it runs for the first time, and that may be forgotten.
    blocks = kept(backend, code)
    start = backend.snapshot()
    turn(backend, 50)
    blocks.begin(work=1_000_000, left=10, machines=1)
    backend.restore(start)
    forget_programs(backend.machine)
    assert not load64(backend.machine.programs, next(programs(backend.machine)) + 24)
    turn(backend, 100)
    blocks.begin(work=1_250_000, left=500_000, machines=1)
    # Two hundred in twice the time of the last task, whatever was before.
    assert asked[-1].programs == [(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))]


def test_what_is_kept_is_taken_first_and_the_rest_compiled_if_it_pays(
    monkeypatch, tmp_path, backend, code
):
    monkeypatch.setattr(hot, "user_cache", partial(ObjectCache, tmp_path))
    monkeypatch.setattr(hot, "build_elsewhere", lambda each: [*map(build_hot, each)])
    wanted = frozenset({AGAIN, TURN}), frozenset({AGAIN, TURN, 0})
    key = key_of(LOOP, Fork.CANCUN)
    code.build_later([(LOOP, Fork.CANCUN, wanted[0])], pays=True)
    wait_for(code, key, wanted[0])
    # One more is less than half of what there is, and pays all the same.
    code.build_later([(LOOP, Fork.CANCUN, wanted[1])], pays=True)
    wait_for(code, key, wanted[1])
    other = HotCode(code._library)
    other.build_later([(LOOP, Fork.CANCUN, frozenset())], pays=False)
    wait_for(other, key, wanted[1])


def test_programs_that_are_refused_pay_for_nothing(monkeypatch, backend, code, asked):
    blocks = kept(backend, code)
    turn(backend, 1000)
    code._refused.add(key_of(LOOP, Fork.CANCUN))
    blocks.begin(work=1000, left=1000, machines=1)
    assert not asked


def test_compiled_blocks_are_not_counted_and_give_the_same(backend, code, asked):
    before = turn(backend, 500)
    code.build(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))
    kept(backend, code).begin(work=1, left=1, machines=1)
    (row,) = programs(backend.machine)
    counted = entered_blocks(backend.machine, row)
    assert turn(backend, 500) == before
    after = entered_blocks(backend.machine, row)
    assert (after[AGAIN], after[TURN]) == (counted[AGAIN], counted[TURN])
    assert after[0] == counted[0] + 1


LOOKED_UP: Final = assemble(0, "CALLDATALOAD JUMP", "left: STOP")
LEFT: Final = 3
FORK: Final = assemble(
    0,
    "CALLDATALOAD @left JUMPI",
    "cold: @both JUMP",
    "left:",
    "both: STOP",
)


@pytest.mark.parametrize(
    ("program", "hot_ones", "expected"),
    [
        # A cold block goes on there.
        (LOOP, {TURN}, {TURN}),
        # Nobody knows what leads to it.
        (LOOKED_UP, {LEFT}, {LEFT}),
        # A root has it already, and a cold block leads to it as well.
        (FORK, {"start", "left", "both"}, {"start", "both"}),
        (FORK, {"start", "cold", "left", "both"}, {"start"}),
    ],
)
def test_where_cold_blocks_lead_a_root_begins(program, hot_ones, expected):
    library = native_code("compiled").library
    assert library is not None
    unit = Unit(beside=library.shared)
    blocks = read_blocks(program, Fork.CANCUN)
    names = dict(zip(("start", "cold", "left", "both"), blocks.by_start, strict=False))
    hot_starts = frozenset(names.get(each, each) for each in hot_ones)
    roots = write_roots(unit, blocks, hot_starts, MOST_TOKENS)
    assert {root.start for root in roots} == {names.get(e, e) for e in expected}

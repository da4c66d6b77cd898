"""What is compiled: blocks that are entered often enough to pay for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from evm_assembler import assemble

from echidna_mcp.evm.backend import BackendConfig, Message
from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.memory import load64
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.library import native_code
from echidna_mcp_plugins.native.hot import code as hot
from echidna_mcp_plugins.native.hot.blocks import read_blocks
from echidna_mcp_plugins.native.hot.code import (
    HotBlocks,
    HotCode,
    Wanted,
    entered_blocks,
)
from echidna_mcp_plugins.native.hot.traces import MOST_TOKENS, write_roots
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

SENDER, TARGET = 0x10000, 0xC0DE
LOOP = assemble(
    0,
    "CALLDATALOAD",
    "again: DUP1 ISZERO @done JUMPI",
    1,
    "SWAP1 SUB @again JUMP",
    "done: POP STOP",
)
"""Turns as often as its argument says."""
AGAIN, TURN = 2, 9
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


def turn(backend: NativeBackend, times: int) -> bytes:
    data = times.to_bytes(32, "big")
    message = Message(sender=SENDER, to=TARGET, data=data, gas=1_000_000)
    result = backend.call(message)
    assert result.status.succeeded
    return result.output


def programs(m: Machine) -> Iterator[int]:
    for account in range(ACCOUNT_ROW, m.account_end, ACCOUNT_ROW):
        if row := load64(m.accounts, account + ACCOUNT_PROGRAM):
            yield row


def kept(backend: NativeBackend, code: HotCode) -> HotBlocks:
    """Return what decides for the programs that are there now."""
    backend.keep_programs(backend.snapshot())
    return HotBlocks(backend.machine, code, "background")


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
    turn(backend, 149)
    # As much again is to come: 150 entries of one block, 149 of the other.
    kept(backend, code).begin(work=1000, left=1000, machines=1)
    (only,) = asked
    assert only.programs == [(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))]
    assert only.pays


def test_what_ends_soon_or_does_not_pay_for_the_compiler_is_not_compiled(
    monkeypatch, backend, code, asked
):
    turn(backend, 149)
    kept(backend, code).begin(work=1000, left=500, machines=1)
    monkeypatch.setattr(hot, "BUILD_ENTRIES", 100)
    kept(backend, code).begin(work=1000, left=1000, machines=1)
    nothing, too_little = asked
    # Whether others have compiled it is asked all the same.
    assert nothing.programs == [(LOOP, Fork.CANCUN, frozenset())]
    assert not nothing.pays
    assert not too_little.pays


def test_what_other_machines_do_counts(backend, code, asked):
    turn(backend, 60)
    kept(backend, code).begin(work=1000, left=1000, machines=1)
    kept(backend, code).begin(work=1000, left=4000, machines=4)
    alone, together = (each.programs[0][2] for each in asked)
    assert alone == frozenset()
    assert together == {AGAIN, TURN}


def test_a_program_is_compiled_again_if_that_pays_for_all_of_its_blocks(
    monkeypatch, backend, code, asked
):
    code.build(LOOP, Fork.CANCUN, frozenset({AGAIN}))
    turn(backend, 149)
    kept(backend, code).begin(work=1000, left=1000, machines=1)
    # 149 entries of one block don't pay for two.
    assert not asked
    turn(backend, 60)
    kept(backend, code).begin(work=1000, left=1000, machines=1)
    (only,) = asked
    assert only.programs == [(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))]


def test_compiled_blocks_are_not_counted_and_give_the_same(backend, code, asked):
    before = turn(backend, 7)
    code.build(LOOP, Fork.CANCUN, frozenset({AGAIN, TURN}))
    kept(backend, code).begin(work=1, left=1, machines=1)
    (row,) = programs(backend.machine)
    counted = entered_blocks(backend.machine, row)
    assert turn(backend, 500) == before
    after = entered_blocks(backend.machine, row)
    assert (after[AGAIN], after[TURN]) == (counted[AGAIN], counted[TURN])
    assert after[0] == counted[0] + 1


def test_a_hot_block_to_which_no_hot_one_leads_begins_a_root():
    library = native_code("compiled").library
    assert library is not None
    unit = Unit(beside=library.shared)
    blocks = read_blocks(LOOP, Fork.CANCUN)
    roots = write_roots(unit, blocks, frozenset({TURN}), MOST_TOKENS)
    assert [root.start for root in roots] == [TURN]

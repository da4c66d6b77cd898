"""Properties that are not evaluated while what they read is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from campaigns import small_config
from native_backends import named
from solc import compile_solidity

from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp_plugins.native.host.world import new_machine
from echidna_mcp_plugins.native.search.readset import (
    ReadSets,
    clear_changes,
    forget_reads,
    is_calm,
    make_read_sets,
    pass_over,
    reads_the_same,
    remember_reads,
)
from echidna_mcp_plugins.native.state.journal import undo_to
from echidna_mcp_plugins.native.state.machine import Machine
from echidna_mcp_plugins.native.state.storage import access_slot, find_slot, write_slot

SOURCE = """
contract Child {
    function end() external { selfdestruct(payable(address(0x77))); }
}
contract Readers {
    mapping(uint256 => uint256) private table;
    mapping(uint256 => uint256) private others;
    Child private child;
    uint256 private immutable start = block.number;

    function set(uint8 key, uint8 value) external { table[key % 4] = value % 3; }
    function touch(uint256 value) external { others[value] = 1; }
    function fail(uint8 key) external { table[key % 4] = 9; require(false); }
    function pay() external payable {}
    function give(uint8 wei_) external { payable(address(0x77)).transfer(wei_ % 4); }
    function make(bytes32 salt) external { child = new Child{salt: salt}(); }
    function wait() external {}

    function deep(uint256 key) external view returns (uint256) {
        uint256 value = table[key];
        require(value != 1);
        return value;
    }

    // Each holds always, but how long it takes depends on what it reads.
    function echidna_slots() external view returns (bool) {
        return spin(table[0] + 3 * table[1] + 9 * table[2]);
    }
    function echidna_one_slot() external view returns (bool) {
        return spin(table[3]);
    }
    function echidna_time() external view returns (bool) {
        return spin(block.timestamp % 7);
    }
    function echidna_number() external view returns (bool) {
        return spin(block.number % 7);
    }
    function echidna_hash() external view returns (bool) {
        return spin(uint256(blockhash(start)) % 7);
    }
    function echidna_balance() external view returns (bool) {
        return spin(address(this).balance % 5 + address(0x77).balance % 5);
    }
    function echidna_code() external view returns (bool) {
        return spin(address(child).code.length % 7);
    }
    function echidna_reverted_frame() external view returns (bool) {
        try this.deep(3) returns (uint256 value) { return spin(value); }
        catch { return spin(5); }
    }
    function echidna_writes() external returns (bool) {
        table[5] = table[0] + 1;
        table[0] = table[5];
        return spin(table[0]);
    }
    function spin(uint256 turns) private pure returns (bool) {
        for (uint256 i = 0; i < turns; i++) {}
        return true;
    }
}
"""


@pytest.mark.parametrize("delays", [True, False])
def test_results_are_the_same_whether_properties_are_skipped(delays: bool) -> None:
    config = small_config(round_budget=3_000_000)
    if not delays:
        config = replace(config, max_time_delay=0, max_block_delay=0)
    target = build_target(compile_solidity(SOURCE, "Readers"), config)
    results, evaluated = [], []
    for skipping in (1, 0):
        replica = Replica(WorkerSetup(target, named("compiled")))
        searcher = cast("Any", replica.searcher)
        searcher._state.skipping = skipping
        before = searcher._machine.number
        task = RoundTask(round=2, worker=0, budget=3_000_000, climbing=False)
        results.append(run_round(replica, task))
        evaluated.append(searcher._machine.number - before)
    assert results[0] == results[1]
    assert evaluated[0] < 0.8 * evaluated[1]


def test_a_word_whose_row_is_gone_may_be_in_another_one() -> None:
    m, reads = new_machine(BackendConfig()), make_read_sets(1)
    for key in range(5):
        find_slot(m, 1, key)
    row = find_slot(m, 1, 99)
    mark = m.journal_end
    m.number += 1
    access_slot(m, row)
    remember_reads(m, reads, 0, mark, m.journal_end, 5)
    assert reads_the_same(m, reads, 0)
    undo_to(m, 0)
    write_slot(m, find_slot(m, 1, 99), 7)
    assert not reads_the_same(m, reads, 0)


@pytest.mark.parametrize("has_row", [True, False])
def test_what_changes_stops_those_that_read_it_and_no_others(has_row: bool) -> None:
    m, reads = new_machine(BackendConfig()), make_read_sets(4)
    for index in range(4):
        start = m.journal_end
        read(m, reads, index, key=1000 * index)
        if not has_row:
            undo_to(m, start)
    clear_changes(m, reads)
    mark = m.journal_end
    assert pass_over(m, reads, 0, 4) == 4
    assert reads.passed_steps == 4 * 5
    write_slot(m, find_slot(m, 1, 2000), 7)
    assert pass_over(m, reads, 0, 4) == 2
    assert reads.passed_steps == 2 * 5
    assert not reads_the_same(m, reads, 2)
    assert pass_over(m, reads, 3, 4) == 4
    # What goes back has changed as well, for those who looked in between.
    read(m, reads, 2, key=2000)
    clear_changes(m, reads)
    undo_to(m, mark)
    assert pass_over(m, reads, 0, 4) == 2
    assert not reads_the_same(m, reads, 2)


def test_no_glance_is_enough_for_what_is_not_known_or_depends_on_the_clock() -> None:
    m, reads = new_machine(BackendConfig()), make_read_sets(2)
    read(m, reads, 0, key=1)
    m.clock_read = 1
    read(m, reads, 1, key=2)
    clear_changes(m, reads)
    assert pass_over(m, reads, 0, 2) == 1
    forget_reads(reads, 0)
    assert pass_over(m, reads, 0, 2) == 0


@pytest.mark.parametrize("field", ["account_stamp", "env_stamp", "hooks"])
def test_a_glance_is_at_storage_alone(field: str) -> None:
    m, reads = new_machine(BackendConfig()), make_read_sets(1)
    clear_changes(m, reads)
    assert is_calm(m, reads)
    setattr(m, field, getattr(m, field) + 1)
    assert not is_calm(m, reads)


def read(m: Machine, reads: ReadSets, index: int, key: int) -> None:
    """Let a property read a word of storage, in five steps."""
    mark = m.journal_end
    m.number += 1
    access_slot(m, find_slot(m, 1, key))
    end = m.journal_end
    remember_reads(m, reads, index, mark, end, 5)

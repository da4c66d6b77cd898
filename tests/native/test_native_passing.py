"""Calls that have nothing to show: a searcher makes them as Python does, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from campaigns import small_config
from corpus_contracts import compile_corpus
from native_backends import named
from solc import compile_solidity

from echidna_mcp.fuzz.rng import PURPOSE_FUZZ, RNG_WORDS, derive
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import MadeCalls, Passed
from echidna_mcp.rounds.call_codec import outcome
from echidna_mcp.rounds.execution import calls_of
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.tasks import CALL_WORK, RoundResult, RoundTask

SOURCE = """
contract Child { uint256 public value; constructor(uint256 v) { value = v; } }

contract Kinds {
    uint256 public count;
    mapping(uint256 => uint256) public marks;
    Child public child;

    function add(uint8 n) external { count += n; }
    function same() external { count = count; }
    function undo() external { count = 7; revert("undone"); }
    function make(uint8 n) external { child = new Child(n); }
    function makeInVain(uint8 n) external { try this.fails(n) {} catch {} }
    function fails(uint8 n) external { new Child(n); revert("no child"); }
    function pay() external payable {}
    function late() external view returns (uint256) {
        return block.timestamp / (block.number % 7 + 1);
    }
    function mark(uint8 n) external { require(n % 3 == 0, "odd"); marks[n] += 1; }
    function halt() external pure { assembly { invalid() } }
    function phase() external returns (uint256) {
        require(count > 20, "not yet");
        if (count > 300 && marks[9] > 0) count = 1;
        if (count > 600) count = 2;
        return count;
    }
    function echidna_count() external view returns (bool) { return count != 777; }
}
"""


def kinds() -> Any:
    return build_target(compile_solidity(SOURCE, "Kinds"), small_config(seq_len=40))


def sequences(replica: Replica, count: int) -> list[list[bytes]]:
    """Return sequences of calls as a task builds them, settled."""
    tables, found = replica.tables(TASK), []
    for number in range(count):
        rng = words([0] * RNG_WORDS)
        derive(rng, 1, number, 0, PURPOSE_FUZZ)
        end = replica.kernels.build_sequence(
            tables, rng, replica.corpus, replica.entries, 0, replica.out
        )
        runner, calls = Runner(replica), []
        runner.begin()
        for call in calls_of(replica.out[:end]):
            record = bytearray(call)
            message = runner.aim(record, 0)
            assert message is not None
            runner.call(message)
            calls.append(bytes(record))
        found.append(calls)
    return found


TASK = RoundTask(round=2, worker=0, budget=400_000)


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_they_end_as_single_calls_do(mode: str) -> None:
    replica = Replica(WorkerSetup(kinds(), named(mode)))
    tables = replica.tables(TASK)
    runner, idle, ended = Runner(replica), set(), set()
    watch = replace(runner.watch, storage=True, known=True)
    for calls in sequences(replica, 12):
        runner.begin()
        single, work = [], 0
        for call in calls:
            message = runner.aim(bytearray(call), 0)
            assert message is not None
            result = runner.call(message, watch, harvests=False).result
            work += CALL_WORK + result.steps
            is_idle = not (result.writes or message.value or result.creations)
            single.append((outcome(result), is_idle))
        state = dict(replica.backend.accounts())
        runner.begin()
        passed = runner.pass_over(tables, calls, [False] * len(calls), idle=True)
        assert passed is not None
        assert list(zip(passed.endings, passed.idle, strict=True)) == single
        assert (passed.work, passed.broken) == (work, False)
        assert dict(replica.backend.accounts()) == state
        idle |= {each for _, each in single}
        ended |= {status for (_, status), _ in single}
    assert idle == {False, True}
    assert ended >= {"STOP", "REVERT", "INVALID_OPCODE"}


def test_they_stop_behind_the_first_that_fails_and_must_not() -> None:
    replica = Replica(WorkerSetup(kinds(), named("compiled")))
    tables, runner = replica.tables(TASK), Runner(replica)
    stopped = 0
    for calls in sequences(replica, 6):
        runner.begin()
        all_made = runner.pass_over(tables, calls, [False] * len(calls), idle=False)
        assert all_made is not None
        statuses = [status for _, status in all_made.endings]
        failed = [n for n, status in enumerate(statuses) if status == "REVERT"]
        for number in failed[:3]:
            runner.begin()
            demanded = [each == number for each in range(len(calls))]
            passed = runner.pass_over(tables, calls, demanded, idle=False)
            assert passed is not None
            assert passed.broken
            assert [*passed.endings] == [*all_made.endings][: number + 1]
            stopped += 1
    assert stopped > 6


class Doubting:
    """A searcher that can't tell at every few stretches what calls do."""

    def __init__(self, searcher: Any, every: int) -> None:
        self._searcher, self._every = searcher, every
        self.asked = self.made = self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._searcher, name)

    def pass_over(
        self, tables: Any, calls: Sequence[bytes], *rest: Any, **how: Any
    ) -> Passed | None:
        self.asked += 1
        passed = cast(
            "Passed | None", self._searcher.pass_over(tables, calls, *rest, **how)
        )
        return None if self.asked % self._every == 0 else passed

    def make_calls(
        self, tables: Any, calls: Sequence[bytes], *rest: Any
    ) -> MadeCalls | None:
        self.made += 1
        made = cast("MadeCalls | None", self._searcher.make_calls(tables, calls, *rest))
        if made is None or self.made % self._every == 0:
            return None
        self.calls += len(made.calls)
        return made


def stamps() -> Any:
    """Return a contract whose entries lose many calls, and fail without others."""
    return build_target(compile_corpus(("Stamps",)), small_config(seq_len=30))


def results_of(
    target: Any, every: int | None, backend: str = "compiled"
) -> tuple[list[RoundResult], Any]:
    """Return what tasks find whose searcher doubts; and the searcher."""
    replica = Replica(WorkerSetup(target, named(backend)))
    if every is not None:
        replica.searcher = cast("Any", Doubting(replica.searcher, every))
    tasks = (
        RoundTask(
            round=number,
            worker=0,
            budget=200_000,
            climbing=True,
            states=True,
            goals=True,
        )
        for number in range(2, 8)
    )
    found = [run_round(replica, task) for task in tasks]
    return found, replica.searcher


@pytest.mark.parametrize("target", [kinds, stamps])
def test_who_makes_them_changes_neither_entries_nor_work(target: Any) -> None:
    expected, _ = results_of(target(), None, "py-evm")
    assert sum(len(each.findings) for each in expected) > 6
    for every, mode in ((10**9, "checked"), (1, "compiled"), (3, "compiled")):
        found, searcher = results_of(target(), every, mode)
        assert found == expected
        assert searcher.asked > 20
        assert searcher.made > 20
        assert searcher.calls > 300 or every == 1

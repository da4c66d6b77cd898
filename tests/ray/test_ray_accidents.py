"""What happens to tasks, actors and machines is borne, or told in a sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from campaigns import py_evm, small_config
from faulty_backend import DYING, UNLUCKY_SENDER
from live_server import until
from machine_faults import broken_once, standing_still

from echidna_mcp.campaign.crash import CrashError
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import UsageError
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.commands import parse_injection
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp_plugins.executors.ray.executor import RayExecutor, is_compared

TARGET = build_target(load_demo(), small_config())


@contextmanager
def prepared(executor: RayExecutor, backend: BackendPlugin) -> Iterator[RayExecutor]:
    try:
        executor.prepare(WorkerSetup(TARGET, backend))
        yield executor
    finally:
        executor.close()


def tasks_of(number: int, workers: int = 4) -> list[RoundTask]:
    return [
        RoundTask(round=number, worker=worker, budget=1_000)
        for worker in range(workers)
    ]


def all_arrived(executor: RayExecutor) -> None:
    """Run rounds until each actor is there."""

    def arrived() -> bool:
        list(executor.run((), tasks_of(2)))
        return len(executor._crew.idle) == executor.physical_workers

    until(arrived, "all actors")


def digests(executor: RayExecutor, tasks: list[RoundTask]) -> list[str]:
    results = list(executor.run((), tasks))
    assert all(isinstance(result, RoundResult) for result in results)
    return [result.digest for result in sorted(results, key=lambda r: r.worker)]


def compared_task() -> RoundTask:
    tasks = (RoundTask(round=n, worker=0, budget=1_000) for n in range(2, 1_000))
    return next(task for task in tasks if is_compared(task))


def test_one_task_in_a_hundred_is_compared():
    tasks = [RoundTask(round=n, worker=w, budget=1) for n in range(999) for w in (0, 7)]
    assert 10 < sum(map(is_compared, tasks)) < 40


def test_a_machine_that_computes_something_else_is_named(tmp_path, address):
    backend = broken_once(tmp_path / "taken")

    def compare(executor: RayExecutor) -> None:
        all_arrived(executor)  # A task that is late for other reasons is compared, too.
        list(executor.run((), [compared_task()]))

    with (
        prepared(RayExecutor(2), backend) as executor,
        pytest.raises(CrashError) as caught,
    ):
        compare(executor)
    crash = caught.value.crash
    assert crash.job.worker == crash.worker
    assert crash.failures[0].count("(node ") == 2
    assert "gave different results for the same task. One of " in caught.value.message


def test_a_compared_task_has_one_answer(address):
    task = compared_task()
    with prepared(RayExecutor(2), py_evm()) as executor:
        all_arrived(executor)
        before = executor.statistics.compared
        assert len(digests(executor, [task])) == 1
        assert executor.statistics.compared == before + 1


def test_what_each_machine_has_done_is_known(address):
    with prepared(RayExecutor(5), py_evm()) as executor:
        all_arrived(executor)
        before = executor.statistics.nodes
        results = list(executor.run((), tasks_of(3)))
        nodes = executor.statistics.nodes
    assert sorted(node.workers for node in nodes.values()) == [2, 3]
    done = sum(nodes[name].calls - before[name].calls for name in nodes)
    # A late task may have been run twice.
    assert done >= sum(result.counters.calls for result in results) > 0


def test_a_task_that_kills_two_actors_is_a_failure(address):
    args = {"sequence": ["deposit()"], "sender": f"0x{UNLUCKY_SENDER:040x}"}
    deadly = replace(tasks_of(2)[3], injections=(parse_injection(1, args, TARGET),))
    with prepared(RayExecutor(2), DYING) as executor:
        reliable = ReliableExecutor(executor)
        reliable._setup = WorkerSetup(TARGET, DYING)
        with pytest.raises(CrashError) as caught:
            list(reliable.run((), [*tasks_of(2)[:3], deadly]))
        assert 2 <= executor.statistics.lost <= 5
    crash = caught.value.crash
    assert crash.worker == 3
    assert crash.failures[0].startswith("the worker was lost (ActorDiedError: ")
    assert crash.failures[1] == "the process ended with code -9"


def test_actors_that_die_idle_cost_no_task_a_try(address):
    with prepared(RayExecutor(2), py_evm()) as executor:
        all_arrived(executor)
        before = digests(executor, tasks_of(2))
        for member in executor._crew.idle:
            os.kill(member.arrival.pid, signal.SIGKILL)
        assert digests(executor, tasks_of(2)) == before
        assert executor.statistics.lost == 2


def test_a_task_of_an_actor_that_stands_still_is_run_elsewhere(tmp_path, address):
    place = tmp_path / "process"
    backend = standing_still(place)
    with prepared(RayExecutor(2), backend) as executor:
        all_arrived(executor)
        before = digests(executor, tasks_of(2))
        place.write_text(str(executor._crew.idle[0].arrival.pid))
        assert digests(executor, tasks_of(2)) == before
        # It still stands, and the other one does all the work.
        assert digests(executor, tasks_of(2)) == before


def test_a_cluster_without_room_is_told(address):
    with prepared(RayExecutor(5), py_evm()) as first:
        all_arrived(first)
        # Ray has one connection a process, so the second shares that of the first.
        second = RayExecutor(1, room_seconds=2)
        second._cluster = first._cluster
        second.prepare(WorkerSetup(TARGET, py_evm()))
        with pytest.raises(UsageError) as caught:
            list(second.run((), tasks_of(2)))
    assert caught.value.message == (
        "The Ray cluster has had no room for a worker for 2 seconds: each takes a CPU, "
        "and of 5 there, 0 are free. Add nodes, or end what else runs there."
    )

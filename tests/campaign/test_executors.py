"""Executors survive what happens to tasks and to processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from campaigns import py_evm, small_config
from faulty_backend import DYING, RAISING, UNLUCKY_SENDER

from echidna_mcp.campaign.commands import parse_injection
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.tasks import RoundResult, RoundTask, WorkerSetup
from echidna_mcp.demo import load_demo
from echidna_mcp.evm.plugin import BackendPlugin
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.select import make_executor
from echidna_mcp.program.target import build_target

TARGET = build_target(load_demo(), small_config())
WORKERS = 4


@contextmanager
def prepared(name: str, backend: BackendPlugin) -> Iterator[Executor]:
    executor = make_executor(PluginManager.load(), name)
    try:
        executor.prepare(WorkerSetup(TARGET, backend))
        yield executor
    finally:
        executor.close()


def tasks_of(number: int, unlucky: int | None = None) -> list[RoundTask]:
    """Return small tasks, of which one calls from the unlucky sender."""
    args = {"sequence": ["deposit()"], "sender": f"0x{UNLUCKY_SENDER:040x}"}
    injection = parse_injection(1, args, TARGET)
    return [
        RoundTask(
            round=number,
            worker=worker,
            budget=1_000,
            injections=(injection,) if worker == unlucky else (),
        )
        for worker in range(WORKERS)
    ]


def results_of(executor: Executor, tasks: list[RoundTask]) -> list[RoundResult]:
    return sorted(executor.run((), tasks), key=lambda result: result.worker)


def test_a_task_that_fails_is_abandoned_alike_by_every_executor():
    seen = []
    for name in ("inline", "processes:1", "processes:2"):
        with prepared(name, RAISING) as executor:
            first = results_of(executor, tasks_of(2, unlucky=1))
            second = results_of(executor, tasks_of(3))
        seen.append([result.digest for result in (*first, *second)])
        assert [r.worker for r in first if r.abandoned] == [1]
        assert not any(result.abandoned for result in second)
        reason = first[1].abandoned or ""
        assert reason.startswith("RuntimeError: no luck (at ")
        assert reason.endswith(")")
        assert os.sep not in reason
    assert seen[0] == seen[1] == seen[2]


def test_a_task_that_kills_two_processes_is_abandoned_and_no_other():
    with prepared("processes:2", DYING) as executor:
        results = results_of(executor, tasks_of(2, unlucky=3))
    assert [r.worker for r in results if r.abandoned] == [3]
    assert results[3].abandoned == "the worker process ended with code -9"


def test_processes_that_die_idle_cost_no_task_a_try():
    with prepared("processes:2", py_evm()) as executor:
        before = results_of(executor, tasks_of(2))[:1]
        for worker in executor._workers:
            os.kill(worker._process.pid, signal.SIGKILL)
            worker._process.join()
        # One task meets both, and two tries are all that it has.
        after = results_of(executor, tasks_of(2)[:1])
    assert [result.digest for result in before] == [result.digest for result in after]


@pytest.mark.parametrize("name", ["inline", "processes:1"])
def test_an_executor_that_is_closed_twice_does_not_complain(name):
    with prepared(name, py_evm()) as executor:
        executor.close()

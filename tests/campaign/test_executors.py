"""Executors survive what happens to tasks and to processes, without a trace of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from campaigns import py_evm, small_config
from faulty_backend import DYING, RAISING, STUMBLING, UNLUCKY_SENDER

from echidna_mcp.campaign.crash import CrashError
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.demo import load_demo
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.commands import parse_injection
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult, RoundTask

pytestmark = pytest.mark.digests

TARGET = build_target(load_demo(), small_config())
WORKERS = 4


@contextmanager
def prepared(name: str, backend: BackendPlugin) -> Iterator[ReliableExecutor]:
    executor = make_executor(PluginManager.load().executors, name)
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


def results_of(executor: ReliableExecutor, tasks: list[RoundTask]) -> list[RoundResult]:
    return sorted(executor.run((), tasks), key=lambda result: result.worker)


EXECUTORS = ["inline", "threads:2", "processes:1", "processes:2"]
if os.environ.get("ECHIDNA_MCP_RAY") == "1":  # Ray is in `nox -s ray` only.
    EXECUTORS += ["ray:1", "ray:2"]


@pytest.fixture(scope="module")
def undisturbed() -> list[str]:
    """Digests of two rounds in which nothing went wrong."""
    with prepared("inline", py_evm()) as executor:
        rounds = (tasks_of(2, unlucky=1), tasks_of(3))
        return [r.digest for tasks in rounds for r in results_of(executor, tasks)]


@pytest.mark.parametrize("name", EXECUTORS)
def test_an_accident_leaves_no_trace_in_any_result(name, undisturbed):
    with prepared(name, STUMBLING) as executor:
        rounds = (tasks_of(2, unlucky=1), tasks_of(3))
        seen = [r.digest for tasks in rounds for r in results_of(executor, tasks)]
    assert seen == undisturbed


@pytest.mark.parametrize("name", EXECUTORS)
def test_a_task_that_fails_in_a_fresh_process_too_is_a_defect(name):
    with prepared(name, RAISING) as executor:
        with pytest.raises(CrashError) as caught:
            results_of(executor, tasks_of(2, unlucky=1))
        crash = caught.value.crash
        assert (crash.round, crash.worker) == (2, 1)
        assert crash.job == tasks_of(2, unlucky=1)[1]
        assert [text.splitlines()[-1] for text in crash.failures] == [
            "RuntimeError: no luck",
            "RuntimeError: no luck",
        ]
        assert all(text.startswith("Traceback ") for text in crash.failures)
    assert caught.value.message.startswith(
        "Round 2, worker 1, failed, in a fresh process as well: RuntimeError: no luck."
    )


def test_a_task_that_kills_its_process_twice_is_a_defect():
    with (
        prepared("processes:2", DYING) as executor,
        pytest.raises(CrashError) as caught,
    ):
        results_of(executor, tasks_of(2, unlucky=3))
    assert caught.value.crash.worker == 3
    assert caught.value.crash.failures == (
        "the worker process ended with code -9",
        "the process ended with code -9",
    )


def test_processes_that_die_idle_cost_no_task_a_try():
    with prepared("processes:2", py_evm()) as executor:
        before = results_of(executor, tasks_of(2))[:1]
        for worker in executor.executor._workers:
            os.kill(worker._process.pid, signal.SIGKILL)
            worker._process.join()
        executor._elsewhere = None  # Nothing else may be needed.
        after = results_of(executor, tasks_of(2)[:1])
    assert [result.digest for result in before] == [result.digest for result in after]


@pytest.mark.parametrize("name", ["inline", "processes:1"])
def test_an_executor_that_is_closed_twice_does_not_complain(name):
    with prepared(name, py_evm()) as executor:
        executor.close()  # The context closes it again; either raises if it complains.

"""Measures what messages of Ray take, for the model of a round."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import linear_regression, median
from typing import Any
from unittest.mock import patch

from scale_model import Linear
from scale_record import ACTOR, actor_of_kind

from echidna_mcp.events.event import NewEvent, as_event
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp_plugins.executors.ray.actor import Answer, ReplicaActor
from echidna_mcp_plugins.executors.ray.executor import RayExecutor


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """What Ray takes for each; as in `Costs`.

    Attributes:
        handling: processor time for each task of a coordinator that never sleeps.
    """

    pack: Linear
    submit: Linear
    handling: float
    wait: Linear
    answer: Linear
    way: float
    fetch: Linear


REPEATS = 200
_SIZES = (1_000, 16_000, 30_000)
_LARGE = (40_000, 200_000, 1_000_000)
_AWAITED = (2, 64, 512, 2048)
_ENOUGH_SECONDS = 4.0
_TASKS = 1000
_BATCHES = 5
_TASK_SECONDS = 0.001


class Echo:
    """An actor that does nothing, or waits."""

    def echo(self, size: int, *_: Any) -> bytes:
        """Return so many bytes."""
        return b"x" * size

    def sleep(self, seconds: float) -> None:
        """Keep what comes after this waiting."""
        time.sleep(seconds)

    def fetch(self, references: list[Any]) -> float:
        """Return how long it takes to have an object here."""
        import ray  # noqa: PLC0415 (an extra)

        begin = time.perf_counter()
        ray.get(references[0])
        return time.perf_counter() - begin


class IdleActor(ReplicaActor):
    """Answers tasks without running them."""

    def fold(self, *_: bytes) -> int:
        return 0

    def answer(self, task: RoundTask) -> Answer:
        return Answer(RoundResult(worker=task.worker), _TASK_SECONDS)


def handling_without_work(setup: WorkerSetup) -> float:
    """Return what a task costs the coordinator if actors need no time for it.

    The cluster of `RAY_ADDRESS` is used.
    """
    executor = RayExecutor(2)
    tasks = [RoundTask(round=1, worker=number, budget=1) for number in range(_TASKS)]
    try:
        with patch(ACTOR, actor_of_kind(IdleActor)):
            executor.prepare(setup)
            # Something is to be folded, once: an actor without a past is asked again.
            news = NewEvent(type="DictionaryExtended", round=1, payload={"words": []})
            list(executor.run([as_event(news)], tasks))
            seconds = []
            for _ in range(_BATCHES):
                begin = time.thread_time()
                assert sum(1 for _ in executor.run((), tasks)) == _TASKS
                seconds.append((time.thread_time() - begin) / _TASKS)
    finally:
        executor.close()
    return min(seconds)


def measure_messages(ray: Any, handling: float) -> Messages:
    """Measure on a cluster of two nodes that have a CPU each; Ray is connected."""
    kind = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Echo)
    near, far = kind.remote(), kind.remote()
    ray.get([each.echo.remote(1) for each in (near, far)])
    submit = _line(lambda n: _quick(lambda: near.echo.remote(1, b"x" * n)), _SIZES)
    wait = _line(lambda n: _waiting(ray, near, far, n), _AWAITED)
    answer = _line(lambda n: _taking(ray, near, n), _SIZES)
    way = max(0.0, (_round_trip(ray, near) - submit(0) - wait(1)) / 2)
    pack = _line(lambda n: _quick(lambda: ray.put(b"x" * n), 20), _LARGE)
    # One of them is on the node of this process, and has it at once.
    both = (near, far)
    fetch = _line(lambda n: max(_fetching(ray, each, n) for each in both), _LARGE)
    for actor in (near, far):
        ray.kill(actor)
    return Messages(
        pack=pack,
        submit=submit,
        handling=handling,
        wait=wait,
        answer=answer,
        way=way,
        fetch=fetch,
    )


def _line(cost: Any, sizes: Sequence[int]) -> Linear:
    each, base = linear_regression(sizes, [cost(size) for size in sizes])
    return Linear(max(0.0, base), max(0.0, each))


def _quick(action: Any, repeats: int = REPEATS) -> float:
    """Return the median time of an action, in seconds."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begin)
    return median(seconds)


def _waiting(ray: Any, busy: Any, quick: Any, count: int) -> float:
    """Return how long it takes to see the only answer among so many references."""
    done = busy.sleep.remote(_ENOUGH_SECONDS)
    waiting = [busy.echo.remote(1) for _ in range(count - 1)]
    there = quick.echo.remote(1)
    ray.wait([there])
    awaited = [*waiting, there]

    def once() -> None:
        # As `crew` does it: who is waited for is put together each time.
        told = {reference: (reference, 0) for reference in awaited}
        ray.wait([*told], num_returns=1, timeout=1)

    seconds = _quick(once, 20)
    ray.get([done, *waiting])
    return seconds


def _taking(ray: Any, actor: Any, size: int) -> float:
    references = [actor.echo.remote(size) for _ in range(REPEATS)]
    ray.wait(references, num_returns=REPEATS)
    left = iter(references)
    return _quick(lambda: pickle.loads(pickle.dumps(ray.get(next(left)))))


def _round_trip(ray: Any, actor: Any) -> float:
    return _quick(lambda: ray.wait([actor.echo.remote(1)], timeout=1))


def _fetching(ray: Any, actor: Any, size: int) -> float:
    def once() -> float:
        seconds: float = ray.get(actor.fetch.remote([ray.put(os.urandom(size))]))
        return seconds

    return median(once() for _ in range(20))

"""What the model of a round (`scale_model`) needs to know, measured.

A campaign is recorded on the executor `ray` or inline: how much processor time each of
its tasks took, what each step of a round costs the coordinator, and how large is what
goes from process to process. What a message of Ray takes is measured by itself.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression, median
from typing import Any
from unittest.mock import patch

from scale_model import ERRANDS, Costs, Linear
from serving import seconds_of_tree

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.start import Provenance, new_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp_plugins.executors.ray.actor import Answer, ReplicaActor, Stretch

Times = dict[tuple[int, int], float]
"""Processor seconds of tasks, by round and worker."""


class TimedActor(ReplicaActor):
    """Keeps the processor time of what it does."""

    def __init__(self, *setup: Any) -> None:
        super().__init__(*setup)
        self._tasks: Times = {}
        self._waits: Times = {}
        self._folds: list[tuple[int, float]] = []

    def fold(self, *pickled: bytes) -> int:
        begin = time.thread_time()
        count = super().fold(*pickled)
        spent = time.thread_time() - begin
        self._folds.append((sum(map(len, pickled)), spent))
        return count

    def run(self, task: RoundTask) -> Answer:
        begin, waited = time.thread_time(), _waited()
        answer = super().run(task)
        key = task.round, task.worker
        self._tasks[key] = time.thread_time() - begin
        self._waits[key] = _waited() - waited
        return answer

    def times(self) -> tuple[Times, Times, list[tuple[int, float]]]:
        """Return what tasks took and waited, then bytes and seconds of folds."""
        return self._tasks, self._waits, self._folds


def _waited() -> float:
    """Return for how many seconds this thread could have run, and had no core."""
    words = Path("/proc/thread-self/schedstat").read_text().split()
    return int(words[1]) / 1e9


def _timed_actor(ray: Any) -> Any:
    options = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
    return ray.remote(**options)(TimedActor)


@dataclass(slots=True, kw_only=True)
class Recorded:
    """A round of a campaign.

    Attributes:
        number: of the round.
        seconds: wall time.
        others: cores that other programs had meanwhile, on average.
        plan, merge, commit: processor time of the coordinator.
        handling: the same, of handing out tasks and taking answers.
        delta: bytes of what replicas fold before it.
        brought: bytes of what it has brought for the next.
        result: mean bytes of an answer.
        calls: how many were made.
    """

    number: int
    seconds: float = 0.0
    others: float = 0.0
    plan: float = 0.0
    merge: float = 0.0
    commit: float = 0.0
    handling: float = 0.0
    delta: int = 0
    brought: int = 0
    result: float = 0.0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Recording:
    """A campaign.

    Attributes:
        rounds: those that were recorded.
        tasks: of them.
        waits: how long each of these had to wait for a core.
        folds: bytes of deltas, and processor seconds of folding them.
        services: processor time of all that is neither a task nor the coordinator.
        seconds: wall time in which that was spent.
        digest: of its last round.
    """

    rounds: list[Recorded]
    tasks: Times
    waits: Times
    folds: list[tuple[int, float]]
    services: float
    seconds: float
    digest: str


def sized(events: Sequence[Event]) -> int:
    """Return the bytes of a delta; 0 if it has nothing."""
    found = relevant(events)
    return len(pickle.dumps(Stretch(0, tuple(found)))) if found else 0


@dataclass(slots=True)
class _Watched:
    """An executor whose news and results are kept until the round is over."""

    inner: ReliableExecutor
    news: Sequence[Event] = ()
    results: list[RoundResult] = field(default_factory=list)
    handling: float = 0.0
    """Processor time of the last round here."""

    @property
    def physical_workers(self) -> int:
        return self.inner.physical_workers

    def prepare(self, setup: WorkerSetup) -> None:
        self.inner.prepare(setup)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        self.news, self.results, self.handling = news, [], 0.0
        running = iter(self.inner.run(news, tasks))
        while True:
            begin = time.thread_time()
            result = next(running, None)
            self.handling += time.thread_time() - begin
            if result is None:
                return
            self.results.append(result)
            yield result

    def close(self) -> None:
        self.inner.close()


@dataclass(slots=True)
class Campaign:
    """A campaign to record.

    Attributes:
        name: for people.
        rounds: how many.
        skipped: the first of them, which are not used.
    """

    name: str
    program: Program
    config: CampaignConfig
    rounds: int
    skipped: int = 0


def record(campaign: Campaign, executor_name: str) -> Recording:
    """Run a campaign with a store; return what each round took."""
    manager = PluginManager.load()
    executor = _Watched(make_executor(manager.executors, executor_name))
    crew = "echidna_mcp_plugins.executors.ray.crew.remote_actor"
    rounds: list[Recorded] = []
    with tempfile.TemporaryDirectory() as place, patch(crew, _timed_actor):
        opened = new_campaign(
            store_path(Path(place)),
            campaign.program,
            campaign.config,
            backend=manager.backends["native"],
            executor=executor,
            provenance=Provenance(
                backend="native", executor=executor_name, plugins=manager.loaded
            ),
        )
        spent = dict.fromkeys(("plan", "merge", "append"), 0.0)

        def timed(name: str, function: Any, *args: Any, **options: Any) -> Any:
            begin = time.thread_time()
            try:
                return function(*args, **options)
            finally:
                spent[name] += time.thread_time() - begin

        # Instances, not classes: nothing else in this process has a watch.
        for part, name in (
            (opened.engine, "plan"),
            (opened.engine, "merge"),
            (opened.store, "append"),
        ):
            vars(part)[name] = partial(timed, name, getattr(part, name))
        director = Director(
            opened.engine, opened.store, executor, news=opened.events, keep_going=True
        )
        progress = opened.engine.views.progress
        try:
            with opened.store:
                services = _Services()
                for number in range(1, campaign.rounds + 1):
                    spent.update(dict.fromkeys(spent, 0.0))
                    neighbours, calls = Neighbours(), progress.calls
                    begin = time.perf_counter()
                    director.run_round()
                    seconds = time.perf_counter() - begin
                    one = Recorded(number=number, seconds=seconds)
                    one.others = neighbours.cores()
                    one.plan, one.merge = spent["plan"], spent["merge"]
                    one.commit, one.calls = spent["append"], progress.calls - calls
                    one.handling = executor.handling
                    one.delta = sized(executor.news)
                    sizes = [len(pickle.dumps(each)) for each in executor.results]
                    one.result = sum(sizes) / len(sizes)
                    rounds.append(one)
                    if number == campaign.skipped:
                        services = _Services()
                busy, seconds = services.so_far()
            tasks, waits, folds = _times(executor.inner)
        finally:
            executor.close()
    for one, following in pairwise(rounds):
        one.brought = following.delta
    used = rounds[campaign.skipped :]
    known = sum(
        tasks.get((each.number, w), 0.0)
        for each in used
        for w in range(campaign.config.workers)
    )
    return Recording(
        used[:-1],
        tasks,
        waits,
        folds,
        max(0.0, busy - known),
        seconds,
        progress.state_digest,
    )


def _times(
    executor: ReliableExecutor,
) -> tuple[Times, Times, list[tuple[int, float]]]:
    """Return what the actors have kept; of one that is lost it is missing."""
    crew: Any = getattr(executor.executor, "_crew", None)
    if crew is None:
        return {}, {}, []
    tasks: Times = {}
    waits: Times = {}
    folds: list[tuple[int, float]] = []
    for member in (*crew.idle, *crew.working):
        mine, waited, folded = crew._ray.get(member.handle.times.remote())
        tasks.update(mine)
        waits.update(waited)
        folds += folded
    return tasks, waits, folds


class _Services:
    """Processor time of all processes below this one, and of other threads in it."""

    def __init__(self) -> None:
        self._begin = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        tree = seconds_of_tree(os.getpid())
        return tree - time.thread_time(), time.perf_counter()

    def so_far(self) -> tuple[float, float]:
        """Return processor seconds and wall seconds since the beginning."""
        (busy, now), (before, begin) = self._now(), self._begin
        return busy - before, now - begin


class Neighbours:
    """How many cores programs have that are not ours, since this was made."""

    def __init__(self) -> None:
        self._begin = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        user, nice, system, _idle, _wait, hard, soft, stolen = map(int, words)
        busy = user + nice + system + hard + soft + stolen
        own = seconds_of_tree(os.getpid())
        return busy / os.sysconf("SC_CLK_TCK"), own, time.perf_counter()

    def cores(self) -> float:
        """Return the mean since then; clocks tick each hundredth of a second."""
        now = self._now()
        busy, own, seconds = (a - b for a, b in zip(now, self._begin, strict=True))
        return max(0.0, busy - own) / seconds


# ---------------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """What Ray takes for each; as in `Costs`."""

    pack: Linear
    call: Linear
    wait: Linear
    answer: Linear
    way: float
    fetch: Linear
    errand: float


REPEATS = 200
_SIZES = (1_000, 16_000, 30_000)
_LARGE = (40_000, 200_000, 1_000_000)
_AWAITED = (2, 64, 512, 2048)
_ENOUGH_SECONDS = 4.0


class Echo:
    """An actor that does nothing, or waits."""

    def echo(self, size: int, *_: Any) -> bytes:
        """Return so many bytes."""
        return b"x" * size

    def now(self, *_: Any) -> float:
        """Return the time of a clock here."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Keep what comes after this waiting."""
        time.sleep(seconds)

    def fetch(self, references: list[Any]) -> float:
        """Return how long it takes to have an object here."""
        import ray  # noqa: PLC0415 (an extra)

        begin = time.perf_counter()
        ray.get(references[0])
        return time.perf_counter() - begin


def measure_messages(ray: Any) -> Messages:
    """Measure on a cluster of two nodes that have a CPU each; Ray is connected."""
    kind = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Echo)
    near, far = kind.remote(), kind.remote()
    ray.get([each.echo.remote(1) for each in (near, far)])
    call = _line(lambda n: _quick(lambda: near.echo.remote(1, b"x" * n)), _SIZES)
    wait = _line(lambda n: _waiting(ray, near, far, n), _AWAITED)
    answer = _line(lambda n: _taking(ray, near, n), _SIZES)
    way = max(0.0, (_round_trip(ray, near) - call(0) - wait(1)) / 2)
    pack = _line(lambda n: _quick(lambda: ray.put(b"x" * n), 20), _LARGE)
    # One of them is on the node of this process, and has it at once.
    both = (near, far)
    fetch = _line(lambda n: max(_fetching(ray, each, n) for each in both), _LARGE)
    errand = _between(ray, far)
    for actor in (near, far):
        ray.kill(actor)
    return Messages(
        pack=pack,
        call=call,
        wait=wait,
        answer=answer,
        way=way,
        fetch=fetch,
        errand=errand,
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


def _between(ray: Any, actor: Any) -> float:
    """Return what an actor takes from the end of a call to the next that is there."""
    task = RoundTask(round=1, worker=1, budget=1)
    actor.sleep.remote(1.0)
    times = ray.get([actor.now.remote(task) for _ in range(REPEATS)])
    return median(b - a for a, b in pairwise(times))


def _round_trip(ray: Any, actor: Any) -> float:
    return _quick(lambda: ray.wait([actor.echo.remote(1)], timeout=1))


def _fetching(ray: Any, actor: Any, size: int) -> float:
    def once() -> float:
        seconds: float = ray.get(actor.fetch.remote([ray.put(os.urandom(size))]))
        return seconds

    return median(once() for _ in range(20))


# ------------------------------------------------------------------------- costs


def fitted(messages: Messages, recordings: Sequence[tuple[int, Recording]]) -> Costs:
    """Return what steps take.

    Args:
        messages: what Ray takes.
        recordings: with how many logical workers each; at least two numbers of them.
    """
    folds = [pair for _, each in recordings for pair in each.folds if pair[0]]
    fold_each, fold_base = linear_regression(*zip(*folds, strict=True))
    merge, found = _by_workers(recordings, "merge")
    commit, stored = _by_workers(recordings, "commit")
    plan, _ = _by_workers(recordings, "plan")
    # A call for each task and one for each answer, as the executor makes them.
    handling, _ = _by_workers(recordings, "handling")
    few = median(each.result for _, one in recordings for each in one.rounds)
    call = handling.each - messages.wait(2 * ERRANDS) - messages.answer(few)
    services, around = _services(recordings)
    return Costs(
        plan=plan,
        merge=merge,
        found=found,
        commit=commit,
        stored=stored,
        pack=messages.pack,
        call=Linear(max(messages.call.base, call), messages.call.each),
        wait=messages.wait,
        answer=messages.answer,
        way=messages.way,
        fold=Linear(max(0.0, fold_base), max(0.0, fold_each)),
        fetch=messages.fetch,
        errand=messages.errand,
        around=max(0.0, around - messages.errand),
        services=services,
    )


def _services(recordings: Sequence[tuple[int, Recording]]) -> tuple[float, float]:
    """Return what Ray takes of a core on one node, and for each task beside it."""
    rates = [
        (workers * (len(each.rounds) + 1) / each.seconds, each.services / each.seconds)
        for workers, each in recordings
    ]
    around, services = linear_regression(*zip(*rates, strict=True))
    return max(0.0, services), max(0.0, around)


def _by_workers(
    recordings: Sequence[tuple[int, Recording]], step: str
) -> tuple[Linear, float]:
    """Return what a step takes by workers, and by bytes of what a round has brought.

    It is least squares in two variables, both of which are never negative.
    """
    rows = []
    for workers in {workers for workers, _ in recordings}:
        those = [one for w, each in recordings if w == workers for one in each.rounds]
        # What others do makes everything longer, caches being shared.
        those.sort(key=lambda one: one.others)
        rows += [
            (float(workers), float(one.brought), float(getattr(one, step)))
            for one in those[: (len(those) + 1) // 2]
        ]
    # By turns: each of both explains what the other leaves. That ends at the optimum.
    line, rate = Linear(0.0), 0.0
    for _ in range(50):
        each, base = linear_regression(
            [workers for workers, _, _ in rows],
            [spent - rate * brought for _, brought, spent in rows],
        )
        line = Linear(max(0.0, base), max(0.0, each))
        squares = sum(brought**2 for _, brought, _ in rows)
        product = sum(b * (spent - line(w)) for w, b, spent in rows)
        rate = max(0.0, product / squares) if squares else 0.0
    return line, rate

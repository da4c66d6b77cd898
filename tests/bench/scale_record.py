"""Records campaigns for the model of a round: what its tasks and its steps took."""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

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
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp_plugins.executors.ray.actor import Answer, ReplicaActor, Stretch

Times = dict[tuple[int, int], float]
"""Processor seconds of tasks, by round and worker."""


@dataclass(slots=True)
class Kept:
    """What actors keep of what they do.

    Attributes:
        tasks: their processor time.
        waits: how long each of these had to wait for a core.
        folds: bytes of deltas, and processor seconds of folding them.
        between: processor time from the end of a task to the next.
    """

    tasks: Times = field(default_factory=dict)
    waits: Times = field(default_factory=dict)
    folds: list[tuple[int, float]] = field(default_factory=list)
    between: list[float] = field(default_factory=list)


class TimedActor(ReplicaActor):
    """Keeps the processor time of what it does."""

    def __init__(self, *setup: Any) -> None:
        super().__init__(*setup)
        self._tasks: Times = {}
        self._waits: Times = {}
        self._folds: list[tuple[int, float]] = []
        self._between: list[float] = []
        self._ended = 0.0

    def fold(self, *pickled: bytes) -> int:
        begin = time.thread_time()
        count = super().fold(*pickled)
        spent = time.thread_time() - begin
        self._ended = 0.0  # What is between this and a task is between calls.
        self._folds.append((sum(map(len, pickled)), spent))
        return count

    def answer(self, task: RoundTask) -> Answer:
        begin, waited = time.thread_time(), _waited()
        if self._ended:
            self._between.append(begin - self._ended)
        answer = super().answer(task)
        key = task.round, task.worker
        self._ended = time.thread_time()
        self._tasks[key] = self._ended - begin
        self._waits[key] = _waited() - waited
        return answer

    def times(self) -> Kept:
        """Return what was kept."""
        return Kept(self._tasks, self._waits, self._folds, self._between)


def _waited() -> float:
    """Return for how many seconds this thread could have run, and had no core."""
    words = Path("/proc/thread-self/schedstat").read_text().split()
    return int(words[1]) / 1e9


ACTOR = "echidna_mcp_plugins.executors.ray.crew.remote_actor"


def actor_of_kind(kind: type) -> Callable[[Any], Any]:
    """Return what makes an actor of another kind for `crew`."""
    options = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
    return lambda ray: ray.remote(**options)(kind)


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
        kept: by its actors.
        services: processor time of all that is neither a task nor the coordinator.
        seconds: wall time in which that was spent.
        digest: of its last round.
    """

    rounds: list[Recorded]
    kept: Kept
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


def setup_of(campaign: Campaign) -> WorkerSetup:
    """Return what its replicas need."""
    target = build_target(campaign.program, campaign.config)
    return WorkerSetup(target, PluginManager.load().backends["native"])


def record(campaign: Campaign, executor_name: str) -> Recording:
    """Run a campaign with a store; return what each round took."""
    manager = PluginManager.load()
    # A director asks nothing else of a `ReliableExecutor`.
    executor: Any = _Watched(make_executor(manager.executors, executor_name))
    rounds: list[Recorded] = []
    with (
        tempfile.TemporaryDirectory() as place,
        patch(ACTOR, actor_of_kind(TimedActor)),
    ):
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
            kept = _kept(executor.inner)
        finally:
            executor.close()
    for one, following in pairwise(rounds):
        one.brought = following.delta
    used = rounds[campaign.skipped :]
    known = sum(
        kept.tasks.get((each.number, w), 0.0)
        for each in used
        for w in range(campaign.config.workers)
    )
    return Recording(
        used[:-1],
        kept,
        max(0.0, busy - known),
        seconds,
        progress.state_digest,
    )


def _kept(executor: ReliableExecutor) -> Kept:
    """Return what the actors have kept; of one that is lost it is missing."""
    found = Kept()
    crew: Any = getattr(executor.executor, "_crew", None)
    if crew is None:
        return found
    for member in (*crew.idle, *crew.working):
        mine: Kept = crew._ray.get(member.handle.times.remote())
        found.tasks.update(mine.tasks)
        found.waits.update(mine.waits)
        found.folds += mine.folds
        found.between += mine.between
    return found


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

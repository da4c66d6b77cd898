"""Campaigns whose parts have a watch, with a server that follows them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from watch import Watch

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.start import (
    OpenCampaign,
    Provenance,
    new_campaign,
    resume_campaign,
)
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp.tools.tool import ToolContext
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.event_log import EventLog
from echidna_mcp.views.history import HistoryView

EXECUTOR: Final = "inline"


class WatchedExecutor(ReliableExecutor):
    """Tells tasks, and in them the search itself, from all else."""

    def __init__(self, watch: Watch) -> None:
        made = make_executor(PluginManager.load().executors, EXECUTOR)
        super().__init__(made.executor)
        self._watch = watch

    def prepare(self, setup: WorkerSetup) -> None:
        """Build the replica."""
        super().prepare(setup)
        # There is no other way to the one replica of the inline executor.
        searcher = cast("Any", self.executor)._replica._replica.searcher
        for method in ("search", "attempt"):
            timed = self._watch.timed("search", getattr(searcher, method))
            vars(searcher)[method] = timed

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        """Pass results on."""
        results = super().run(news, tasks)
        ran = self._watch.timed("tasks", lambda: next(results, None))
        while (result := ran()) is not None:
            yield result


class Server:
    """What a server knows, and what it does when it hears of a commit."""

    def __init__(self, path: Path) -> None:
        self._store = EventStore.read_only(path)
        self.views = CampaignViews.from_started(next(self._store.read(limit=1)))
        self._logs, self._history = EventLog(), HistoryView()
        self._seq = 1
        self._path = path

    def catch_up(self, _: Sequence[Event] = ()) -> None:
        """Fold what is new."""
        for event in self._store.read(after=self._seq):
            self.views.apply(event)
            self._logs.apply(event)
            self._history.apply(event)
            self._seq = event.seq

    def context(self) -> ToolContext:
        """Return what tools and resources see."""
        return ToolContext.create(
            self.views,
            cast("Any", None),
            self._logs,
            self._path.parent,
            history=self._history,
        )


@dataclass(slots=True)
class Measured:
    """What some rounds took.

    Attributes:
        rounds, calls: how many there were.
        seconds: by part.
    """

    rounds: int
    calls: int
    seconds: Mapping[str, float]

    @property
    def rate(self) -> float:
        """Calls per second of all there is."""
        return self.calls / sum(self.seconds.values())

    @property
    def beside(self) -> float:
        """Milliseconds of a round beside its tasks."""
        inside = ("tasks", "search")
        outside = (t for part, t in self.seconds.items() if part not in inside)
        return sum(outside) / self.rounds * 1000

    @property
    def around(self) -> float:
        """Milliseconds of the tasks of a round beside their search."""
        return self.seconds["tasks"] / self.rounds * 1000


class Running:
    """A campaign whose parts have a watch, with a server that follows it."""

    def __init__(
        self, campaign: OpenCampaign, executor: WatchedExecutor, watch: Watch
    ) -> None:
        self.views, self._watch = campaign.engine.views, watch
        self.server = Server(campaign.store.path)
        director = Director(
            campaign.engine,
            campaign.store,
            executor,
            news=campaign.events,
            keep_going=True,
            observers=[watch.timed("server", self.server.catch_up)],
        )
        vars(self.views)["apply"] = watch.timed("fold", self.views.apply)
        store = campaign.store
        vars(store)["append"] = watch.timed("append", store.append)
        for method in ("plan", "merge"):
            timed = watch.timed(method, getattr(campaign.engine, method))
            vars(campaign.engine)[method] = timed
        self._run_round = watch.timed("director", director.run_round)

    def rounds(self, count: int) -> Measured:
        """Run rounds."""
        self._watch.seconds.clear()
        calls = self.views.progress.calls
        for _ in range(count):
            self._run_round()
        calls = self.views.progress.calls - calls
        return Measured(count, calls, Counter(self._watch.seconds))


_PROVENANCE: Final = Provenance(backend="native", executor=EXECUTOR, plugins=())


@contextmanager
def begun(
    directory: Path, program: Program, config: CampaignConfig
) -> Iterator[Running]:
    """Start a campaign in a directory."""
    watch = Watch(time.process_time)
    executor = WatchedExecutor(watch)
    campaign = new_campaign(
        store_path(directory),
        program,
        config,
        backend=PluginManager.load().backends["native"],
        executor=executor,
        provenance=_PROVENANCE,
    )
    with campaign.store:
        yield Running(campaign, executor, watch)
    executor.close()


@contextmanager
def taken_up(directory: Path) -> Iterator[Running]:
    """Take up the campaign of a directory."""
    watch = Watch(time.process_time)
    executor = WatchedExecutor(watch)
    native = PluginManager.load().backends["native"]
    campaign = resume_campaign(store_path(directory), native, executor, _PROVENANCE)
    with campaign.store:
        yield Running(campaign, executor, watch)
    executor.close()

"""Start a campaign, or take it up where its store stops."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from echidna_mcp import __version__
from echidna_mcp.campaign.director import StopReason
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.inheritance import inherit
from echidna_mcp.campaign.interrupts import interruptibly
from echidna_mcp.campaign.reliable import reliable_confirmation
from echidna_mcp.campaign.solver import SolverPool, SolverSetup
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import SolverUnavailableError, StoreTamperedError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore
from echidna_mcp.evm.backend import Watch
from echidna_mcp.evm.outside import Source, nothing_outside
from echidna_mcp.fuzz.climbing.state import WINDOW
from echidna_mcp.fuzz.rng import PURPOSE_FUZZ, RNG_WORDS, derive
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.outside.machine import Machine
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.program.world import World
from echidna_mcp.rounds.backend import BackendPlugin, Searcher
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.digest import initial_digest
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.execution import calls_of
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup, relevant
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.tasks import UNLIMITED, Counters, RoundTask
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp.views.campaign import CampaignViews

ROUND_SECONDS = 0.35
"""Wall time that a round should take: an injection must be visible within seconds."""
_PROBE_BUDGET = 40_000
_PROBE_SECONDS = 0.01
"""Of search, for each part of the probe."""
_PROBE_PARTS = 5
_SEARCH_BUDGET = 2_000_000
_SMALLEST_BUDGET = 20_000


NO_SOLVERS: Final[Mapping[str, SolverPlugin]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who ran a campaign; stored, never part of a result."""

    backend: str
    executor: str
    plugins: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class OpenCampaign:
    """A campaign that is ready to run.

    Attributes:
        store: open for writing.
        engine: its views have folded the store.
        events: what replicas have to fold of what is in the store, and the commands.
        opened: what was committed by taking the campaign up.
        source: answers what cheatcodes ask the outside for.
        solver: runs the solver's jobs; None if there are none.
    """

    store: EventStore
    engine: Engine
    events: tuple[Event, ...]
    opened: tuple[Event, ...] = ()
    source: Source = nothing_outside
    solver: SolverPool | None = None


def new_campaign(
    store_path: Path,
    program: Program,
    config: CampaignConfig,
    *,
    backend: BackendPlugin,
    executor: Executor,
    provenance: Provenance,
    nice: int = 0,
    ancestors: Sequence[Path] = (),
    corpus: Path | None = None,
    root: Path | None = None,
    world: World | None = None,
    solvers: Mapping[str, SolverPlugin] = NO_SOLVERS,
) -> OpenCampaign:
    """Deploy, calibrate, create the store and prepare the executor.

    Nothing is written before the target has been deployed once, so a target that can't
    be fuzzed leaves no store behind.

    Args:
        ancestors: stores of older campaigns; the corpus of the first one of which a
            call fits is taken over.
        corpus: directory in which the corpus of another fuzzer may lie; what fits of it
            is taken over as well.
        root: directory of the project, whose files cheatcodes may read; None if they
            may see nothing outside of the campaign.
        world: what is called, if it is known already.
        solvers: plugins by name, among them the one that the config names.

    Raises:
        SolverUnavailableError: that one is not there.
        TargetError, DeploymentError: the target can't be fuzzed.
        StoreError: the store can't be created.
    """
    solver = _solver(config, solvers)
    source = _source(root, config)
    if world is None:
        target = explored_target(program, config, backend, source)
    else:
        target = build_target(program, config, world)
    replica = interruptibly(lambda: Replica(WorkerSetup(target, backend), source))
    answers = tuple(replica.views.outside.answers)
    if config.round_budget == 0:
        budget = interruptibly(lambda: calibrate(replica, executor.physical_workers))
        config = replace(config, round_budget=budget, longer_rounds=True)
    target = build_target(program, config, replace(target.world, answers=answers))
    before = initial_digest(target)
    started = NewEvent(
        type="CampaignStarted",
        round=0,
        payload={
            "engine": __version__,
            "program": program.to_json(),
            "programDigest": program.digest,
            "config": config.to_json(),
            "plan": target.to_json(),
            "plugins": [dict(record) for record in provenance.plugins],
            "backend": provenance.backend,
            "executor": provenance.executor,
            **_told(solver),
            "stateDigest": before,
        },
    )
    inherited = inherit(ancestors, corpus, replica.codec, before)
    views = CampaignViews(target)
    # What it loads is there before anything can be interrupted that is stored.
    confirmation = reliable_confirmation(views, backend)
    store = EventStore.create(store_path)
    opening = [started, *inherited, *_workers(0, config, "started")]
    events = store.append(opening, durable=True)
    executor.prepare(WorkerSetup(target, backend, nice))
    for event in events:
        views.apply(event)
    engine = Engine(views, replica.codec, confirmation)
    pool = _pool(solver, views, backend, nice)
    return OpenCampaign(store, engine, events, events, source, pool)


def _solver(
    config: CampaignConfig, solvers: Mapping[str, SolverPlugin]
) -> SolverPlugin | None:
    """Return the solver of a campaign, if it has one.

    Raises:
        SolverUnavailableError: it is not there.
    """
    if not config.solver:
        return None
    solver = solvers.get(config.solver)
    if solver is None or not solver.is_installed:
        raise SolverUnavailableError(config.solver)
    return solver


def _told(solver: SolverPlugin | None) -> dict[str, Any]:
    """Return what `CampaignStarted` tells of a solver."""
    if solver is None:
        return {}
    return {"solver": {"name": solver.name, "version": solver.version}}


def _pool(
    solver: SolverPlugin | None,
    views: CampaignViews,
    backend: BackendPlugin,
    nice: int,
) -> SolverPool | None:
    if solver is None:
        return None
    setup = SolverSetup(views.target, backend, solver, nice)
    return SolverPool(setup, views.solving)


def _source(root: Path | None, config: CampaignConfig) -> Source:
    return nothing_outside if root is None else Machine(root, config)


def resume_campaign(
    store_path: Path,
    backend: BackendPlugin,
    executor: Executor,
    provenance: Provenance,
    *,
    nice: int = 0,
    root: Path | None = None,
    solvers: Mapping[str, SolverPlugin] = NO_SOLVERS,
) -> OpenCampaign:
    """Fold a store and go on after its last committed round.

    One that was killed goes on; one that has ended by itself stays as it is.

    Raises as `new_campaign`.
    """
    store = EventStore.open(store_path)
    views, past = _folded(store)
    setup = WorkerSetup(views.target, backend, nice)
    confirmation = reliable_confirmation(views, backend)
    engine = Engine(views, CallCodec(views.target), confirmation)
    if not can_go_on(views.progress.stopped):
        return OpenCampaign(store, engine, past)
    solver = _solver(views.target.config, solvers)
    number = views.progress.round
    resumed = NewEvent(
        type="CampaignResumed",
        round=number,
        payload={
            "engine": __version__,
            "backend": provenance.backend,
            "executor": provenance.executor,
        },
    )
    events = store.append(
        [resumed, *_workers(number, views.target.config, "resumed")], durable=True
    )
    for event in events:
        views.apply(event)
    executor.prepare(setup)
    source = _source(root, views.target.config)
    pool = _pool(solver, views, backend, nice)
    return OpenCampaign(store, engine, (*past, *events), events, source, pool)


def _folded(store: EventStore) -> tuple[CampaignViews, tuple[Event, ...]]:
    """Return the state after a store, and what of it replicas and directors look at.

    All else is let go at once: it is most of what thousands of rounds have written.
    """
    events = store.read()
    started = next(events, None)
    if started is None or started.type != "CampaignStarted":
        raise StoreTamperedError(
            f"{store.path} does not begin with the start of a campaign."
        )
    views = CampaignViews.from_started(started)
    kept: list[Event] = []
    for event in events:
        views.apply(event)
        kept += (event,) if event.type == "CommandAccepted" else relevant((event,))
    return views, tuple(kept)


def can_go_on(stopped: str | None) -> bool:
    """Whether a campaign that stopped for this reason is resumed; None: it did not."""
    return stopped in (None, StopReason.Killed.name)


def differences(
    started: Event, program: Program, config: CampaignConfig
) -> dict[str, Any]:
    """Return in what a stored campaign is another one than is asked for.

    A budget that was calibrated counts as asked for. Another version of the engine may
    search in another way, so that no replay would reproduce a campaign of both.

    Returns:
        What is stored, by `engine`, `program` (its digest) or the name of a config
        field; empty if it is the same campaign.
    """
    stored = CampaignConfig.from_json(started.payload["config"])
    wanted = config
    if config.round_budget == 0:
        budget, longer = stored.round_budget, stored.longer_rounds
        wanted = replace(config, round_budget=budget, longer_rounds=longer)
    found: dict[str, Any] = {}
    if started.payload["engine"] != __version__:
        found["engine"] = started.payload["engine"]
    if started.payload["programDigest"] != program.digest:
        found["program"] = started.payload["programDigest"]
    for field in fields(CampaignConfig):
        value = getattr(stored, field.name)
        if value != getattr(wanted, field.name):
            found[field.name] = value
    return found


def calibrate(replica: Replica, physical_workers: int) -> int:
    """Return the work units a worker and round that make a round take `ROUND_SECONDS`.

    This is the one place where a clock takes part: what it finds is stored as config.
    It is the clock of this thread. A wall clock would count what other programs did
    meanwhile, not least the server that starts beside it, and rounds would be a quarter
    as long for the whole campaign.
    """
    config = replica.target.config
    probe = RoundTask(
        round=1,
        worker=0,
        budget=_PROBE_BUDGET,
        climbing=config.climbing,
        **config.news,
    )
    begin = time.thread_time()
    work = run_round(replica, probe).work
    rate = work / (time.thread_time() - begin)
    if replica.searcher is not None:
        # The task was mostly first finds, which say little about a search.
        rate = max(rate, _search_rate(replica, replica.searcher, probe))
    a_round = rate * ROUND_SECONDS * physical_workers
    return max(_SMALLEST_BUDGET, int(a_round / config.workers))


def _search_rate(replica: Replica, searcher: Searcher, task: RoundTask) -> float:
    """Return the work units a second of sequences that show nothing.

    Those of the fastest part of the probe: code is cold in the first ones.
    """
    rng = words([0] * RNG_WORDS)
    derive(rng, replica.target.config.seed, 0, 0, PURPOSE_FUZZ)
    counters = Counters.of(len(replica.target.functions))
    tables = replica.tables(task)
    best, left = 0.0, _PROBE_PARTS
    work, seconds = 0, 0.0
    while left:
        begin = time.thread_time()
        stretch = searcher.search(
            tables, rng, (), {}, _SEARCH_BUDGET, _SEARCH_BUDGET, UNLIMITED, counters
        )
        seconds += time.thread_time() - begin
        work += stretch.work
        handed = stretch.handed
        if handed is None:
            _learn(replica, tables, stretch.found, stretch.passed, task)
        else:
            _learn(replica, tables, handed.sequence, handed.passed, task)
        if seconds >= _PROBE_SECONDS:
            best = max(best, work / seconds)
            left, work, seconds = left - 1, 0, 0.0
    return best


def _learn(
    replica: Replica,
    tables: FuzzTables,
    sequence: bytes,
    passed: int,
    task: RoundTask,
) -> None:
    """Run a sequence, of which so many calls have passed: what it covers is known then.

    The next call has shown something, or one that was changed.
    """
    runner = Runner(replica)
    runner.begin()
    watch = Watch(coverage=True, **task.news)
    calls = calls_of(sequence)[: passed + WINDOW]
    early = calls[: max(0, passed - WINDOW)]
    made = runner.pass_over(tables, early, [False] * len(early), idle=False)
    for call in calls if made is None else calls[len(early) :]:
        if (message := runner.aim(bytearray(call), 0)) is not None:
            runner.call(message, watch)


def _workers(number: int, config: CampaignConfig, reason: str) -> list[NewEvent]:
    return [
        NewEvent(
            type="WorkerStarted", round=number, worker=w, payload={"reason": reason}
        )
        for w in range(config.workers)
    ]

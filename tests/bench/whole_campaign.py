"""Whole campaigns beside the bare loop: what store, views and server cost.

The bare loop plans, runs, merges and folds rounds, and nothing else. The whole campaign
is `serve` with its two processes. Both run the same contract on the same executor in
rounds of the same size, in turn. Calls a second of processor time are compared, because
these don't depend on what else the machine does. Hot code is not compiled: when that
happens depends on the clock, and both would have to wait for it.

Where the rest goes is told by one campaign in this process whose parts have a watch.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

import campaign_loop
from bench_native import SETTINGS, SOURCES, compile_contract, config_of
from serving import children, seconds_of, server
from watch import Watch

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.start import Provenance, calibrate, new_campaign
from echidna_mcp.cli.display.plain import PlainReporter
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.command_log import CommandLog
from echidna_mcp.views.event_log import EventLog
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

CONTRACTS = ("Token", "VaultHandler")
EXECUTORS = ("threads:1", "threads:2")
SECONDS = 4.0
WARM_UP = 1.5
PAIRS = 3
_POLL_SECONDS = 0.002


def main() -> None:
    """Print the figures."""
    package = find_package(SOURCES)
    if package is None or not (package.parent / "@openzeppelin").is_dir():
        print("absent: run `npm install --prefix tests` first")
        return
    print("Calls per second of processor time, native backend")
    with patch.dict(os.environ, {HOT_VARIABLE: "off"}):
        for name in CONTRACTS:
            program = compile_contract(name, package.parent / "@openzeppelin")
            for executor in EXECUTORS:
                _compare(name, program, executor, package.parent)
            _print_parts(name, program)


def _compare(name: str, program: Program, executor: str, packages: Path) -> None:
    config = _sized(config_of(name), program, executor)
    runs = [
        (
            _bare(program, config, executor),
            _served(name, config, executor, packages / "@openzeppelin"),
        )
        for _ in range(PAIRS)
    ]
    bare, whole, server_share = sorted(
        (bare, whole, share) for bare, (whole, share) in runs
    )[PAIRS // 2]
    ratios = ", ".join(f"{whole / bare:.2f}" for bare, (whole, _) in runs)
    print(
        f"  {name}, {executor}: bare {bare:,.0f}, served {whole:,.0f}; ratios {ratios}"
    )
    print(f"    processor time of the server / its campaign: {server_share:.2%}")


def _sized(config: CampaignConfig, program: Program, executor: str) -> CampaignConfig:
    """Return the config with the round budget that a campaign would take."""
    setup = WorkerSetup(
        build_target(program, replace(config, round_budget=1)),
        PluginManager.load().backends["native"],
    )
    workers = int(executor.rpartition(":")[2])
    return replace(config, round_budget=calibrate(Replica(setup), workers))


def _bare(program: Program, config: CampaignConfig, executor: str) -> float:
    manager = PluginManager.load()
    return campaign_loop.measure(
        program,
        config,
        manager.backends["native"],
        make_executor(manager.executors, executor),
        seconds=SECONDS,
        as_configured=True,
    ).processor


# ------------------------------------------------------------------- with a server


def _served(
    name: str, config: CampaignConfig, executor: str, packages: Path
) -> tuple[float, float]:
    """Serve a campaign; return its calls a second and what the server took of it."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "echidna.yaml")
        file.write_text(_yaml(config, f"{SETTINGS} @openzeppelin/={packages}/"))
        corpus = Path(directory, "corpus")
        target = (str(SOURCES / f"{name}.sol"), "--contract", name)
        options = ("--config", str(file), "--executor", executor)
        with server(str(corpus), *target, *options) as (_, process):
            time.sleep(WARM_UP)
            begin, before = _next_commit(corpus), _spent(process)
            time.sleep(SECONDS)
            end, after = _next_commit(corpus), _spent(process)
    serving, fuzzing = (now - then for now, then in zip(after, before, strict=True))
    return (end - begin) / (serving + fuzzing), serving / fuzzing


def _yaml(config: CampaignConfig, solc_args: str) -> str:
    values = {
        "prefix": config.prefix,
        "excludeViewPure": "true",
        "seqLen": config.seq_len,
        "maxTimeDelay": config.max_time_delay,
        "maxBlockDelay": config.max_block_delay,
        "workers": config.workers,
        "roundBudget": config.round_budget,
        "seed": config.seed,
        "solcArgs": f"'{solc_args}'",
    }
    return "".join(f"{name}: {value}\n" for name, value in values.items())


def _spent(process: int) -> tuple[float, float]:
    """Return the processor seconds of a server, and of its campaign."""
    (campaign,) = [pid for pid in children(process) if _is_campaign(pid)]
    return seconds_of(process), seconds_of(campaign)


def _is_campaign(pid: int) -> bool:
    # Beside it there is the resource tracker of multiprocessing.
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _next_commit(directory: Path) -> int:
    """Wait until a round is committed; return the calls up to its end."""
    with EventStore.read_only(store_path(directory)) as store:
        seen = store.count
        while True:
            for event in store.read(after=seen, types=["RoundCommitted"]):
                return int(event.payload["totalCalls"])
            time.sleep(_POLL_SECONDS)


# --------------------------------------------------------------- with a watch


@dataclass(frozen=True, slots=True)
class TimedExecutor:
    """An executor; the time in which it is waited for is that of the search."""

    executor: Executor
    watch: Watch

    @property
    def physical_workers(self) -> int:
        """As the executor."""
        return self.executor.physical_workers

    def prepare(self, setup: WorkerSetup) -> None:
        """Prepare the executor."""
        self.executor.prepare(setup)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        """Pass results on."""
        results = iter(self.executor.run(news, tasks))
        search = self.watch.timed("search", lambda: next(results, None))
        while (result := search()) is not None:
            yield result

    def close(self) -> None:
        """Close the executor."""
        self.executor.close()


def _print_parts(name: str, program: Program) -> None:
    """Run a campaign with all that `serve` adds in one thread; print the shares."""
    config = _sized(config_of(name), program, EXECUTORS[0])
    manager, watch = PluginManager.load(), Watch(time.perf_counter)
    executor = TimedExecutor(make_executor(manager.executors, EXECUTORS[0]), watch)
    with tempfile.TemporaryDirectory() as directory, Path("/dev/null").open("w") as no:
        campaign = new_campaign(
            store_path(Path(directory)),
            program,
            config,
            backend=manager.backends["native"],
            executor=executor,
            provenance=Provenance(
                backend="native", executor=EXECUTORS[0], plugins=manager.loaded
            ),
        )
        views, store = campaign.engine.views, campaign.store
        # Instances, not classes: nothing else in this process has a watch.
        vars(views)["apply"] = watch.timed("views of the director", views.apply)
        vars(store)["append"] = watch.timed("store, append", store.append)
        for method in ("plan", "merge"):
            timed = watch.timed("plan and merge", getattr(campaign.engine, method))
            vars(campaign.engine)[method] = timed
        display = PlainReporter(views, no, time.monotonic)
        log = CommandLog(store)
        served = _ServedViews(campaign.events, store.path)
        director = Director(
            campaign.engine,
            store,
            executor,
            news=campaign.events,
            keep_going=True,
            observers=[
                watch.timed("command log", lambda events: list(map(log.apply, events))),
                watch.timed("display", display.events),
                watch.timed("server, read and fold", served.catch_up),
            ],
        )
        with store:
            for _ in range(campaign_loop.WARM_UP):
                director.run_round()
            watch.seconds.clear()
            begin = time.perf_counter()
            run_round = watch.timed("director", director.run_round)
            while time.perf_counter() - begin < SECONDS:
                run_round()
        served.close()
        executor.close()
    total = watch.seconds.total()
    print(f"  {name}, {EXECUTORS[0]}: where the wall time of a round goes")
    for part, seconds in watch.seconds.most_common():
        print(f"    {part:<24} {seconds / total:7.2%}")


class _ServedViews:
    """What the server process does when it hears of a commit (`CampaignLink`)."""

    def __init__(self, events: Sequence[Event], path: Path) -> None:
        self._store = EventStore.read_only(path)
        self._views = CampaignViews.from_started(events[0])
        self._logs = EventLog()
        self._seq = events[0].seq

    def catch_up(self, _: Sequence[Event]) -> None:
        for event in self._store.read(after=self._seq):
            self._views.apply(event)
            self._logs.apply(event)
            self._seq = event.seq

    def close(self) -> None:
        self._store.close()


if __name__ == "__main__":
    main()

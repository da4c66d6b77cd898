"""Campaigns on real parts for tests: real store, real EVM, real executors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path
from types import MappingProxyType
from typing import Any

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.campaign.start import OpenCampaign, Provenance, new_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event as StoredEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp.views.campaign import CampaignViews

PROVENANCE = Provenance(backend="py-evm", executor="inline", plugins=[])

Commands = Mapping[int, Sequence[tuple[str, dict[str, Any]]]]
"""What is asked for, by the round at which it takes effect."""


def py_evm() -> BackendPlugin:
    return PluginManager.load().backends["py-evm"]


def small_config(**changes: Any) -> CampaignConfig:
    """A campaign of short rounds on three logical workers."""
    values: dict[str, Any] = {
        "seed": 7,
        "workers": 3,
        "round_budget": 8_000,
        "seq_len": 20,
        "test_limit": None,
    }
    return CampaignConfig(**{**values, **changes})


@dataclass(slots=True)
class Running:
    """A campaign that a test drives round by round."""

    campaign: OpenCampaign
    director: Director
    directory: Path

    @property
    def views(self):
        return self.campaign.engine.views

    @property
    def events(self):
        return list(self.campaign.store.read())

    def digests(self) -> list[str]:
        return [
            event.payload["stateDigest"]
            for event in self.events
            if event.type == "RoundCommitted"
        ]

    def rounds(self, count: int, commands: Commands | None = None) -> None:
        """Run rounds, giving each command in time for its round."""
        for _ in range(count):
            following = self.views.progress.round + 1
            for tool, args in (commands or {}).get(following, ()):
                receipt = self.director.accept(tool, args, "by a test")
                assert receipt.round == following
            self.director.run_round()


@contextmanager
def started(
    directory: Path,
    program: Program,
    config: CampaignConfig | None = None,
    executor: str | Executor = "inline",
    backend: BackendPlugin | None = None,
    *,
    root: Path | None = None,
    solvers: Mapping[str, SolverPlugin] | None = None,
    **director: Any,
) -> Iterator[Running]:
    """Start a campaign in `directory`; close everything at the end.

    Args:
        solvers: plugins that the config may name; those that are installed, if None.
        root: directory of its project, if cheatcodes may ask for what is outside.
    """
    if isinstance(executor, str):
        executor = make_executor(PluginManager.load().executors, executor)
    campaign: OpenCampaign | None = None
    try:
        campaign = new_campaign(
            store_path(directory),
            program,
            config or small_config(),
            backend=backend or py_evm(),
            executor=executor,
            provenance=PROVENANCE,
            root=root,
            solvers=solvers or PluginManager.load().solvers,
        )
        with campaign.store:
            yield Running(
                campaign,
                Director(
                    campaign.engine,
                    campaign.store,
                    executor,
                    news=campaign.events,
                    source=campaign.source,
                    solver=campaign.solver,
                    **director,
                ),
                directory,
            )
    finally:
        executor.close()
        if campaign is not None and campaign.solver is not None:
            campaign.solver.close()


def run_forever(
    directory: Path,
    begun: Event,
    backend: str = "py-evm",
    executor_name: str = "inline",
    config: CampaignConfig | None = None,
) -> None:
    """Run a campaign until somebody kills this process; it has one command."""
    manager = PluginManager.load()
    executor = make_executor(manager.executors, executor_name)
    campaign = new_campaign(
        store_path(directory),
        load_demo(),
        config or small_config(),
        backend=manager.backends[backend],
        executor=executor,
        provenance=PROVENANCE,
    )
    director = Director(campaign.engine, campaign.store, executor, news=campaign.events)
    director.accept("prioritize_function", {"functionSignature": "deposit"}, "")
    begun.set()
    director.run()


def replayed(events: Sequence[StoredEvent], backend: BackendPlugin) -> str:
    """Return the last state digest of a replay of stored events."""
    recording = read_recording(events)
    runner = make_executor(PluginManager.load().executors, "inline")
    try:
        views = replay(recording, recording.commands, backend, runner)
    finally:
        runner.close()
    return views.progress.state_digest


def six_rounds(
    directory: Path,
    program: Program,
    backend: BackendPlugin,
    commands: Commands | None = None,
    **changes: Any,
) -> list[StoredEvent]:
    """Return the events of six rounds of a campaign, of two workers by default."""
    config = small_config(**{"workers": 2, **changes})
    with started(directory, program, config, backend=backend) as running:
        running.rounds(6, commands)
        return running.events


NARROW: Mapping[str, bool] = MappingProxyType(
    dict.fromkeys(
        (
            "fitted_sequences",
            "repetition",
            "pairs",
            "typed",
            "mapping_states",
            "state_pairs",
            "function_constants",
        ),
        False,
    )
)
"""The search without what finds much in its own way: so another part of it shows."""


def calls_until_falsified(
    directory: Path,
    program: Program,
    backend: BackendPlugin,
    most: int,
    **changes: Any,
) -> int:
    """Return the calls of a campaign until a test falls; `most` or more if none does.

    Rounds are counted as a whole; nothing is shrunk.
    """
    config = small_config(**{"seq_len": 100, "shrink_limit": 0, **changes})
    with started(directory, program, config, backend=backend) as running:
        views = running.views
        while not views.properties.falsified and views.progress.calls < most:
            running.rounds(1)
        return views.progress.calls


def views_of(directory: str | Path) -> CampaignViews:
    """Return what the events of a stored campaign say."""
    with EventStore.read_only(store_path(Path(directory))) as store:
        return CampaignViews.folded([*store.read()])


def payloads(events: Iterable[StoredEvent], *types: str) -> list[Any]:
    """Return the payloads of the events of some types, in order."""
    return [event.payload for event in events if event.type in types]

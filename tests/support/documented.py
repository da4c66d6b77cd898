"""Campaigns as `run --config` makes them, on contracts that are compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml
from campaigns import started
from native_backends import named
from solc import compile_solidity

from echidna_mcp.cli.request.campaign import (
    Settings,
    Wish,
    make_wishes,
    read_settings,
    request_for,
)
from echidna_mcp.cli.request.options import campaign_defaults
from echidna_mcp.events.event import Event
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.main_contract import choose_main
from echidna_mcp.program.model import Program
from echidna_mcp.views.campaign import CampaignViews

SOURCE = Path(__file__).with_name("Documented.sol")

KEYS: Final = frozenset(
    (
        *("projectName", "testMode", "testDestruction", "psender", "prefix"),
        *("propMaxGas", "testMaxGas", "maxGasprice", "maxTimeDelay", "maxBlockDelay"),
        *("maxValue", "testLimit", "seqLen", "shrinkLimit", "stopOnFail", "coverage"),
        *("format", "contractAddr", "deployer", "sender", "balanceAddr"),
        *("balanceContract", "codeSize", "disableSlither", "solcArgs", "solcLibs"),
        *("cryticArgs", "quiet", "deployContracts", "deployBytecodes"),
        *("allContracts", "multi-abi", "timeout", "seed", "dictFreq"),
        *("filterFunctions", "filterBlacklist", "excludeViewPure", "allowFFI"),
        *("corpusDir", "coverageDir", "coverageFormats", "coverageExcludes"),
        *("mutConsts", "rpcUrl", "rpcBlock", "etherscanApiKey"),
        *("disableOnchainSources", "workers", "server", "allEvents", "symExec"),
        *("symExecNSolvers", "symExecTimeout", "symExecMaxIters"),
        *("symExecAskSMTIters", "symExecTargets", "symExecMaxExplore"),
        "symExecSMTSolver",
    )
)
"""Every key of Echidna 2.3.3 (its module `Echidna.Config`)."""

SHOWN_BY_THE_COMMAND: Final = frozenset(
    (
        *("format", "quiet", "timeout", "corpusDir", "coverageDir"),
        *("coverageFormats", "coverageExcludes"),
    )
)
"""Those that are about what the command reads and writes
(`tests/cli/test_documented_options.py`)."""

SMALL: Final[Mapping[str, object]] = {
    "seed": 14,
    "workers": 2,
    "roundBudget": 20_000,
    "seqLen": 10,
    "testLimit": 400,
    "shrinkLimit": 40,
    "quiet": True,
}
"""What each file has unless it says something else: a campaign of a fraction of a
second on the slower EVM."""


class CompiledOnce:
    """A compiler that compiles `Documented.sol` once for each set of arguments."""

    name = "once"
    rank = 0

    def accepts(self, request: CompileRequest) -> bool:
        """Whether it is that file."""
        return request.target == SOURCE

    def compile(self, request: CompileRequest) -> Program:
        """Return the program with the contract that is asked for."""
        program = compile_solidity(
            SOURCE.read_text("utf-8"),
            "Modes",
            solc_args=request.solc_args,
            name=SOURCE.name,
        )
        return replace(program, main=choose_main(program.contracts, request))


@dataclass(frozen=True, slots=True)
class Played:
    """A campaign that has ended.

    Attributes:
        falsified: names of the tests that were; for those that maximize, `name: value`.
        digests: of the state after each round.
    """

    views: CampaignViews
    events: tuple[Event, ...]
    falsified: frozenset[str]
    digests: tuple[str, ...]

    @property
    def stopped(self) -> str | None:
        """Why it has ended."""
        return self.views.progress.stopped


def settings_of(contract: str, text: str, **parameters: Any) -> Settings:
    """Return what the command line would read, with this file as `--config`.

    Args:
        contract: of `Documented.sol`, as with `--contract`.
        text: the file; `SMALL` is added to it.
        parameters: other parameters of the command.

    Raises:
        EchidnaMcpError: something in it is wrong.
    """
    said = yaml.safe_load(text) or {}
    rest = {key: value for key, value in SMALL.items() if key not in said}
    with TemporaryDirectory() as directory:
        file = Path(directory) / "echidna.yaml"
        file.write_text(f"{text}\n{yaml.safe_dump(rest)}", "utf-8")
        given = {"target": SOURCE, "contract": contract, "config_file": file}
        settings = read_settings({**campaign_defaults(), **given, **parameters})
    settings.plugins.compilers = {"once": CompiledOnce()}
    return settings


def wishes_of(contract: str, text: str, **parameters: Any) -> list[Wish]:
    """Return the campaigns that such a file asks for; several of Foundry's tests."""
    settings = settings_of(contract, text, **parameters)
    wishes = make_wishes(settings, unlimited=False)
    for wish in wishes:
        request_for(settings, wish)  # What it refuses is refused here.
    return wishes


@cache
def played(contract: str, text: str, backend: str = "compiled") -> tuple[Played, ...]:
    """Run the campaigns that a file asks for to their end."""
    return tuple(_played(wish, backend) for wish in wishes_of(contract, text))


def _played(wish: Wish, backend: str) -> Played:
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory) / "campaign",
            wish.program,
            wish.config,
            backend=named(backend),
            root=Path(directory),
        ) as running,
    ):
        running.director.run()
        views, properties = running.views, running.views.properties
        found = {each.name for each in properties.falsified}
        found |= {f"{each.name}: {each.value}" for each in properties.raised}
        return Played(
            views=views,
            events=tuple(running.events),
            falsified=frozenset(found),
            digests=tuple(running.digests()),
        )

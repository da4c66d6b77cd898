"""Options that `serve` and `run` share, and the campaign that they describe."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from echidna_mcp.campaign.start import differences
from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.keys import SUPPORTED
from echidna_mcp.config.loader import load_config
from echidna_mcp.config.readers import shown
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import StoreError, TargetError
from echidna_mcp.events.store import EventStore, is_blank, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.select import make_executor, pick_backend
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.server.campaign_process import CampaignSpec

DEFAULT_DIRECTORY = Path("echidna-corpus")
_SEED_BITS = 63

_F = TypeVar("_F", bound=Callable[..., Any])


def campaign_options(command: _F) -> _F:
    """Add the options that describe a campaign to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.argument("target", required=False, type=click.Path(path_type=Path)),
    click.option("--contract", metavar="NAME", help="Contract: Name or path:Name."),
    click.option(
        "--config",
        "config_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Configuration in Echidna's YAML.",
    ),
    click.option(
        "--plugins",
        metavar="SET",
        envvar="ECHIDNA_MCP_PLUGINS",
        help="Plugins: default, all, none, names, -name; comma separated.",
    ),
    click.option(
        "--corpus-dir",
        metavar="DIR",
        help="Directory of the campaign's store; a campaign found there goes on. "
        f"[default: a new one in ./{DEFAULT_DIRECTORY}]",
    ),
    click.option("--seed", metavar="N", type=int, help="Seed [default: drawn]."),
    click.option(
        "--workers",
        metavar="N",
        type=int,
        help="Logical workers; they shape the search, not the load [default: 8].",
    ),
    click.option(
        "--round-budget",
        metavar="N",
        type=int,
        help="Work units a worker and round [default: measured at the start].",
    ),
    click.option("--backend", metavar="NAME", help="EVM [default: py-evm]."),
    click.option(
        "--executor",
        metavar="NAME[:N]",
        help="inline, or processes with N physical workers [default: processes].",
    ),
    click.option(
        "--test-mode", metavar="MODE", help="property, assertion or exploration."
    ),
    click.option(
        "--test-limit",
        metavar="N",
        type=int,
        help="Calls [default: 50000 for run, none for serve].",
    ),
    click.option("--seq-len", metavar="N", type=int, help="Calls a sequence."),
    click.option("--shrink-limit", metavar="N", type=int, help="Attempts a test."),
    click.option("--timeout", metavar="S", type=int, help="Stop after S seconds."),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json", "none"]),
        help="Output [default: a live display on a terminal, else text].",
    ),
    click.option(
        "--solc",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="The solc binary to use.",
    ),
)

_OVERRIDES = {
    "corpus_dir": "corpusDir",
    "seed": "seed",
    "workers": "workers",
    "round_budget": "roundBudget",
    "backend": "backend",
    "executor": "executor",
    "plugins": "plugins",
    "test_mode": "testMode",
    "test_limit": "testLimit",
    "seq_len": "seqLen",
    "shrink_limit": "shrinkLimit",
    "timeout": "timeout",
    "output_format": "format",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A campaign as the command line asks for it, checked and compiled.

    Attributes:
        directory: where its store lies.
        resume: whether the store is there and holds this very campaign.
    """

    plugins: PluginManager
    program: Program
    config: CampaignConfig
    options: RunOptions
    directory: Path
    resume: bool

    @property
    def store(self) -> Path:
        """Path of the event store."""
        return store_path(self.directory)

    def spec(self, *, keep_going: bool) -> CampaignSpec:
        """Return what a campaign process needs."""
        return CampaignSpec(
            store=self.store,
            plugins=self.options.plugins,
            backend=self.options.backend,
            executor=self.options.executor,
            keep_going=keep_going,
            program=None if self.resume else self.program,
            config=None if self.resume else self.config,
        )


def read_request(parameters: dict[str, Any], *, unlimited: bool) -> Request:
    """Turn command-line parameters into a campaign; print warnings.

    Args:
        unlimited: without a test limit it runs until it is stopped.

    Raises:
        EchidnaMcpError: something is wrong; nothing has been written.
    """
    overrides = {
        key: parameters[name]
        for name, key in _OVERRIDES.items()
        if parameters[name] is not None
    }
    loaded = load_config(parameters["config_file"], overrides)
    for warning in () if loaded.options.quiet else loaded.warnings:
        click.echo(f"Warning: {warning}", err=True)
    plugins = PluginManager.load(loaded.options.plugins)
    _check_plugins(plugins, loaded.options)
    config = loaded.campaign
    left_open = set()
    if unlimited and "testLimit" not in loaded.given:
        config = replace(config, test_limit=None)
        left_open.add("test_limit")
    if loaded.seed is None:
        config = replace(config, seed=secrets.randbits(_SEED_BITS))
        left_open.add("seed")
    program = _program(parameters, plugins, loaded.solc_args, config)
    build_target(program, config)  # What can't be fuzzed is refused before all else.
    directory = _directory(loaded.options, program)
    return Request(
        plugins=plugins,
        program=program,
        config=config,
        options=loaded.options,
        directory=directory,
        resume=_resumes(store_path(directory), program, config, left_open),
    )


def _check_plugins(plugins: PluginManager, options: RunOptions) -> None:
    pick_backend(plugins, options.backend)
    make_executor(plugins, options.executor).close()


def _program(
    parameters: dict[str, Any],
    plugins: PluginManager,
    solc_args: str,
    config: CampaignConfig,
) -> Program:
    target = parameters["target"]
    if target is None:
        if parameters["contract"] is not None:
            raise TargetError("--contract needs a target; name the file to fuzz.")
        return load_demo()
    request = CompileRequest(
        target=target,
        contract=parameters["contract"],
        solc=parameters["solc"],
        solc_args=solc_args,
        prefix=config.prefix,
    )
    return compile_target(request, tuple(plugins.compilers.values()))


def _directory(options: RunOptions, program: Program) -> Path:
    if options.corpus_dir is not None:
        return Path(options.corpus_dir)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return DEFAULT_DIRECTORY / f"{program.main_contract.name}-{stamp}"


def _resumes(
    path: Path, program: Program, config: CampaignConfig, left_open: Collection[str]
) -> bool:
    """Whether the store at `path` holds the campaign that is asked for.

    Args:
        left_open: fields of `config` that were chosen for want of a wish; there, what
            is stored will do.
    """
    if is_blank(path):
        return False
    # Nothing goes on on a store that was changed; a log that was is only a copy.
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        started = next(iter(store.read(limit=1)), None)
    if started is None:
        return False
    other = [
        _shown(name, value)
        for name, value in differences(started, program, config).items()
        if name not in left_open
    ]
    if other:
        raise StoreError(
            f"{path.parent} holds the campaign of another {', '.join(other)}; "
            "ask for the same to go on with it, or choose another --corpus-dir."
        )
    return True


def _shown(name: str, value: Any) -> str:
    """Return a field of a config with its value, as in a configuration file."""
    key = next((key.name for key in SUPPORTED if key.field == name), None)
    return f"{key} ({shown(value)})" if key else name

"""The campaign that a command line asks for, checked and compiled.

In two steps, because the second may take long: `read_settings` reads what the command
line and the configuration file say, `make_request` compiles the target.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.options import DEFAULT_DIRECTORY, OVERRIDES
from echidna_mcp.cli.output import show
from echidna_mcp.cli.printable import printable
from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.keys import SUPPORTED
from echidna_mcp.config.loader import LoadedConfig, load_config
from echidna_mcp.config.readers import shown
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import StoreError, TargetError, UsageError
from echidna_mcp.events.store import EventStore, is_blank, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.select import (
    make_executor,
    pick_backend,
    suitable_executor,
)
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.server.campaign_messages import CampaignSpec

_SEED_BITS = 63
_SLOW_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked for, before anybody has looked at the target.

    Attributes:
        parameters: of the command line.
        loaded: the configuration file with what the command line overrides.
        options: those of `loaded`, with an executor that the backend can be run by.
    """

    parameters: Mapping[str, Any]
    loaded: LoadedConfig
    plugins: PluginManager
    options: RunOptions

    @property
    def target(self) -> str:
        """The target as people call it."""
        path: Path | None = self.parameters["target"]
        return "the bundled demo" if path is None else printable(str(path))


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


def read_settings(parameters: Mapping[str, Any]) -> Settings:
    """Read the configuration and load the plugins; print warnings.

    Raises:
        EchidnaMcpError: something is wrong.
    """
    overrides = {
        key: parameters[name]
        for name, key in OVERRIDES.items()
        if parameters[name] is not None
    }
    loaded = load_config(parameters["config_file"], overrides)
    for warning in () if loaded.options.quiet else loaded.warnings:
        show(f"Warning: {warning}", err=True)
    plugins = PluginManager.load(loaded.options.plugins)
    options = _checked_options(plugins, loaded.options)
    return Settings(
        parameters=parameters, loaded=loaded, plugins=plugins, options=options
    )


def make_request(settings: Settings, *, unlimited: bool) -> Request:
    """Compile the target and find out whether its campaign has begun already.

    Args:
        unlimited: without a test limit it runs until it is stopped.

    Raises:
        EchidnaMcpError: something is wrong; nothing has been written.
    """
    loaded, plugins, options = settings.loaded, settings.plugins, settings.options
    config = loaded.campaign
    left_open = set()
    if unlimited and "testLimit" not in loaded.given:
        config = replace(config, test_limit=None)
        left_open.add("test_limit")
    if loaded.seed is None:
        config = replace(config, seed=secrets.randbits(_SEED_BITS))
        left_open.add("seed")
    program = _program(settings.parameters, plugins, loaded.solc_args, config)
    build_target(program, config)  # What can't be fuzzed is refused before all else.
    directory = _directory(options, program)
    return Request(
        plugins=plugins,
        program=program,
        config=config,
        options=options,
        directory=directory,
        resume=_resumes(store_path(directory), program, config, left_open),
    )


@contextmanager
def told_if_slow(request: Request) -> Iterator[None]:
    """Say what takes so long, if it does: a constructor may loop for minutes."""
    name = request.program.main_contract.name
    text = f"Still deploying {printable(name)} and starting workers; ctrl-C quits."
    timer = threading.Timer(_SLOW_SECONDS, show, (text,), {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _checked_options(plugins: PluginManager, options: RunOptions) -> RunOptions:
    """Return the options with an executor chosen, if there are such plugins."""
    backend = pick_backend(plugins, options.backend)
    executor = suitable_executor(backend, options.executor)
    make_executor(plugins, executor).close()
    return replace(options, executor=executor)


def _program(
    parameters: Mapping[str, Any],
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
        if not options.corpus_dir:
            raise UsageError("--corpus-dir (corpusDir) is empty; name a directory.")
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
    # Here, because it takes long to import: a new campaign is not to wait for it.
    from echidna_mcp.campaign.start import differences  # noqa: PLC0415

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

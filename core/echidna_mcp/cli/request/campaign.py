"""The campaign that a command line asks for, checked and compiled.

In two steps, because the second may take long: `read_settings` reads what the command
line and the configuration file say, `make_request` compiles the target.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.executors import check_ray_address
from echidna_mcp.cli.request.options import OVERRIDES
from echidna_mcp.cli.request.place import Place, Wanted, find_place
from echidna_mcp.cli.request.solving import chosen_solver, has_use_for_solver
from echidna_mcp.cli.request.suite import refuse_selection, suite_wishes
from echidna_mcp.cli.request.unasked import unasked_functions
from echidna_mcp.config.campaign import FOUNDRY_MODE, CampaignConfig, RunOptions
from echidna_mcp.config.project_files import is_project, project_root
from echidna_mcp.config.projects.choice import Choice, choose
from echidna_mcp.config.projects.foundry import FOUNDRY
from echidna_mcp.config.projects.loader import (
    IGNORE_HINT,
    LoadedConfig,
    load_choice,
)
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import TargetError, UsageError
from echidna_mcp.events.store import store_path
from echidna_mcp.outside.machine import Machine
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor, pick_backend, suitable_executor
from echidna_mcp.program.arguments import meant_by, named_arguments
from echidna_mcp.program.compile import compile_target
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.foundry_tests import (
    uncalled_set_up,
    unrun_tests,
    unseen_failures,
    unsupported_tests,
)
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import (
    FuzzTarget,
    rules_wanted,
    unmatched_filters,
)
from echidna_mcp.rounds.exploration import explored_target
from echidna_mcp.server.campaign_messages import CampaignSpec
from echidna_mcp.wording import closest, did_you_mean, some

_SEED_BITS = 53
"""A number of so many is exact wherever JSON is read (`numbers.exact`)."""
_SLOW_SECONDS = 10.0
_DEMO: Final = "No target is named and there is no project here: this is the demo."

SERVED_NICE: Final = 2
"""How far fuzzing steps back that is served: clients wait for answers. Beside programs
that compute all the time it still gets seven tenths of an equal share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked for, before anybody has looked at the target.

    Attributes:
        parameters: of the command line.
        choice: the kind of project, and which file of it is read.
        loaded: the configuration file with what the command line overrides.
        options: those of `loaded`, with an executor that the backend can be run by.
        campaigns: the directory of campaigns in which each is to have one of its own;
            stronger than `options.corpus_dir`.
        path: what is to be fuzzed; None for the bundled demo.
    """

    parameters: Mapping[str, Any]
    choice: Choice
    loaded: LoadedConfig
    plugins: PluginManager
    options: RunOptions
    campaigns: Path | None
    path: Path | None

    @property
    def home(self) -> Path | None:
        """The directory of campaigns that is named, if one is."""
        named = self.options.corpus_dir
        return self.campaigns or (Path(named) if named else None)

    @property
    def target(self) -> str:
        """The target as people call it."""
        return "the bundled demo" if self.path is None else printable(str(self.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A campaign as the command line asks for it, checked and compiled.

    Attributes:
        target: what program and config make of it.
        place: where it lies, or is to begin.
        unhonoured: a sentence for each wish that had no effect; the result lists them.
        unsupported: those of them that change what is tested.
        may_be_unexercised: names of tests that need not be exercised.
        root: directory of the project.
    """

    plugins: PluginManager
    program: Program
    config: CampaignConfig
    target: FuzzTarget
    options: RunOptions
    place: Place
    root: Path
    unhonoured: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    may_be_unexercised: frozenset[str] = frozenset()

    def spec(self, *, keep_going: bool) -> CampaignSpec:
        """Return what a campaign process needs; one that is served keeps going."""
        nice = self.options.nice
        if nice is None:
            nice = SERVED_NICE if keep_going else 0
        return CampaignSpec(
            store=store_path(self.place.directory),
            plugins=self.options.plugins,
            backend=self.options.backend,
            executor=self.options.executor,
            keep_going=keep_going,
            nice=nice,
            resume=self.place.begun,
            otherwise=store_path(self.place.otherwise),
            ancestors=self.place.older,
            corpus=self.place.home,
            program=self.program,
            config=self.config,
            world=self.target.world,
            root=self.root,
        )


def _given_target(parameters: Mapping[str, Any]) -> Path | None:
    """Return what the command line names, or the project in which it is given."""
    given: Path | None = parameters["target"]
    if given is None and is_project(Path.cwd()):
        return Path()
    return given


def _path(
    choice: Choice, loaded: LoadedConfig, given: Path | None, *, named: bool
) -> Path | None:
    """Return what is fuzzed: a project says which part of it, unless one is named."""
    if loaded.target is not None and (not named or choice.project is not None):
        return loaded.target
    return given


def read_settings(parameters: Mapping[str, Any]) -> Settings:
    """Read the configuration and load the plugins; print what was chosen, warnings.

    Raises:
        EchidnaMcpError: something is wrong.
    """
    given = _given_target(parameters)
    # Path.is_dir raises where a name can't be looked up.
    directory = given if given and os.path.isdir(given) else None  # noqa: PTH112
    kind = parameters["kind"]
    if kind is None and parameters["test_mode"] == FOUNDRY_MODE:
        kind = FOUNDRY.name
    choice = choose(directory, parameters["config_file"], kind)
    if kind is None and parameters["test_mode"] is None:
        choice = choice.following_its_mode()
    overrides = {
        key: parameters[name]
        for name, key in OVERRIDES.items()
        if parameters[name] is not None
    }
    loaded = load_choice(
        choice, overrides, ignore_unsupported=parameters["ignore_unsupported"]
    )
    told = [] if choice.told is None else [choice.told]
    path = _path(choice, loaded, given, named=parameters["target"] is not None)
    told += [f"Warning: {text}" for text in loaded.unhonoured]
    for text in () if loaded.options.quiet else told:
        show(printable(text), err=True)
    if not loaded.campaign.checks(FOUNDRY_MODE):
        refuse_selection(parameters)
    plugins = PluginManager.load(loaded.options.plugins)
    options = _checked_options(plugins, loaded.options)
    campaigns: Path | None = parameters["campaigns"]
    if campaigns is not None and parameters["corpus_dir"] is not None:
        raise UsageError(
            "--corpus-dir and --campaigns are both given; either names the directory "
            "of the campaigns: choose one."
        )
    return Settings(
        parameters=parameters,
        choice=choice,
        loaded=loaded,
        plugins=plugins,
        options=options,
        campaigns=campaigns,
        path=path,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A campaign as it is asked for, compiled and not yet deployed.

    Attributes:
        left_open: fields of `config` that were chosen for want of a wish.
        timeout: seconds after which it is asked to stop, beside what all have together.
        unhonoured: a sentence for each wish that has no effect.
    """

    program: Program
    config: CampaignConfig
    left_open: frozenset[str]
    timeout: int | None = None
    unhonoured: tuple[str, ...] = ()


def make_request(settings: Settings, *, unlimited: bool) -> Request:
    """Compile the target and find out whether its campaign has begun already.

    Args:
        settings: what is asked for.
        unlimited: without a test limit it runs until it is stopped.

    Raises:
        EchidnaMcpError: something is wrong, or there are several campaigns (Foundry's
            tests); nothing has been written.
    """
    wishes = make_wishes(settings, unlimited=unlimited)
    return request_for(settings, _single(wishes))


def _single(wishes: Sequence[Wish]) -> Wish:
    """Return the one campaign, or of one contract that for its invariants.

    Raises:
        UsageError: there are several contracts.
    """
    names = dict.fromkeys(wish.program.main_contract.name for wish in wishes)
    if len(names) > 1:
        raise UsageError(
            f"There are tests in {some(list(names))}, and this command runs one "
            "campaign; name a contract with --contract. The command run runs them all."
        )
    invariants = [wish for wish in wishes if wish.config.checks("invariant")]
    chosen = (invariants or list(wishes))[0]
    if len(wishes) == 1:
        return chosen
    what = "invariants" if invariants else "tests"
    note = (
        f"This campaign checks the {what} {', '.join(chosen.config.tests)}".rstrip()
        + f" of {next(iter(names))}; the command run runs its other tests as well."
    )
    return replace(chosen, unhonoured=(*chosen.unhonoured, note))


def make_wishes(settings: Settings, *, unlimited: bool) -> list[Wish]:
    """Compile the target; return its campaign, or those of Foundry's tests.

    Raises:
        EchidnaMcpError: something is wrong; nothing has been written.
    """
    loaded, parameters = settings.loaded, settings.parameters
    config = loaded.campaign
    left_open = set()
    if unlimited and "testLimit" not in loaded.given:
        config = replace(config, test_limit=None)
    if parameters["ignore_unsupported"]:
        config = replace(config, ignore_refused=True)
    if loaded.seed is None:
        config = replace(config, seed=secrets.randbits(_SEED_BITS))
        left_open.add("seed")
    others: list[Program] = []
    program = _program(settings, others.append)
    config = _with_arguments(config, parameters["constructor_args"], program)
    if "evmVersion" not in loaded.given:
        config = replace(config, evm_version=rules_wanted(program))
        left_open.add("evm_version")
    chosen = chosen_solver(loaded, settings.plugins.solvers)
    config = replace(config, solver=chosen.name)
    if chosen.left_open:
        left_open.add("solver")
    alone = Wish(program=program, config=config, left_open=frozenset(left_open))
    alone = replace(alone, unhonoured=chosen.unhonoured)
    if not config.checks(FOUNDRY_MODE):
        return [suited(alone)]
    suite = suite_wishes(settings, alone, others, unlimited=unlimited)
    if suite:
        return [suited(wish) for wish in suite]
    # A project of Foundry may have a harness of another tool, and no tests.
    return [suited(replace(alone, config=replace(config, test_mode="property")))]


def suited(wish: Wish) -> Wish:
    """Return a wish without a solver if nothing that is fuzzed could use one."""
    config = wish.config
    if "solver" in wish.left_open and not has_use_for_solver(config):
        return replace(wish, config=replace(config, solver=""))
    return wish


def request_for(settings: Settings, wish: Wish) -> Request:
    """Deploy what is wished for once; find out whether its campaign has begun already.

    Raises:
        EchidnaMcpError: something is wrong; nothing has been written.
    """
    loaded, plugins, options = settings.loaded, settings.plugins, settings.options
    program, config = wish.program, wish.config
    # What can't be fuzzed is refused before all else.
    refused = _unsupported(program, config, settings.choice)
    if refused and not settings.parameters["ignore_unsupported"]:
        raise TargetError(" ".join((*refused, IGNORE_HINT)))
    backend = pick_backend(plugins.backends, options.backend)
    root = project_root(settings.path or Path.cwd())
    target = explored_target(program, config, backend, Machine(root, config))
    unmatched = unmatched_filters(target)
    remarks = (*wish.unhonoured, *_remarks(target, settings.choice))
    wanted = Wanted(program, config, wish.left_open)
    place = find_place(options.corpus_dir, settings.campaigns, wanted)
    told = [f"Warning: {printable(text)}" for text in (*refused, *unmatched, *remarks)]
    if settings.path is None:
        told.insert(0, _DEMO)
    for text in () if options.quiet else told:
        show(text, err=True)
    return Request(
        plugins=plugins,
        program=program,
        config=config,
        target=target,
        options=options,
        place=place,
        root=root,
        unhonoured=(*loaded.unhonoured, *refused, *unmatched, *remarks),
        unsupported=(*loaded.unsupported, *refused, *unmatched),
        may_be_unexercised=frozenset()
        if config.of_foundry  # The names are those of several campaigns.
        else _known_tests(settings.parameters["allow_not_exercised"], target),
    )


def _unsupported(
    program: Program, config: CampaignConfig, choice: Choice
) -> tuple[str, ...]:
    """Return a sentence for all that changes what is tested and does not work yet."""
    contract, of_foundry = program.main_contract, choice.kind is FOUNDRY
    if config.of_foundry:
        return unsupported_tests(contract, config.tests)
    unrun = unrun_tests(contract, of_foundry=of_foundry)
    set_up = uncalled_set_up(contract) if of_foundry else None
    unseen = unseen_failures(contract) if config.checks("assertion") else None
    return tuple(filter(None, (unrun, set_up, unseen)))


def _remarks(target: FuzzTarget, choice: Choice) -> tuple[str, ...]:
    """Return a sentence for what is tested in another way than may be expected."""
    if target.config.of_foundry:
        return ()
    of_foundry = choice.kind is FOUNDRY
    set_up = None if of_foundry else uncalled_set_up(target.program.main_contract)
    return (*filter(None, [set_up]), *unasked_functions(target))


def _known_tests(names: Sequence[str], target: FuzzTarget) -> frozenset[str]:
    """Return names of tests as they were given; `f` means `f(uint256)` as well.

    Raises:
        UsageError: there is no such test.
    """
    by_name: dict[str, set[str]] = {}
    for test in target.test_index:
        for name in (test, test.partition("(")[0]):
            by_name.setdefault(name, set()).add(test)
    return tests_meant(names, by_name)


def tests_meant(
    names: Sequence[str], by_name: Mapping[str, Collection[str]]
) -> frozenset[str]:
    """Return the tests that names of `--allow-not-exercised` mean.

    Raises:
        UsageError: there is no such test.
    """
    for name in names:
        if name not in by_name:
            hint = did_you_mean(closest(name, by_name), "leave it out.")
            raise UsageError(f"--allow-not-exercised: there is no test {name}; {hint}")
    return frozenset(test for name in names for test in by_name[name])


def _with_arguments(
    config: CampaignConfig, texts: Sequence[str], program: Program
) -> CampaignConfig:
    """Return the config with constructor arguments of the command line, the stronger.

    Raises:
        UsageError: a contract is given arguments twice.
    """
    given: dict[str, str] = {}
    for text in texts:
        name, arguments = named_arguments(text, program)
        if (meant := meant_by(name, program)) in given:
            raise UsageError(f"--constructor-args gives those of {meant} twice.")
        given[meant] = arguments
    kept = [
        (name, arguments)
        for name, arguments in config.constructor_args
        if meant_by(name, program) not in given
    ]
    return replace(config, constructor_args=tuple(sorted((*kept, *given.items()))))


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
    """Return the options with an executor chosen, which can be made."""
    backend = pick_backend(plugins.backends, options.backend)
    name = suitable_executor(backend, options.executor)
    check_ray_address(name)
    make_executor(plugins.executors, name).close()
    return replace(options, executor=name)


def _program(settings: Settings, also: Callable[[Program], None]) -> Program:
    """Compile the target; `also` takes what other compilers have made of a suite."""
    loaded, parameters = settings.loaded, settings.parameters
    if settings.path is None:
        if parameters["contract"] is not None:
            raise TargetError("--contract needs a target; name the file to fuzz.")
        return load_demo()
    asked = loaded.campaign.evm_version
    deployed = (name for _, name in loaded.campaign.deploy_contracts)
    linked = (name for name, _ in loaded.campaign.libraries)
    request = CompileRequest(
        target=settings.path,
        contract=loaded.contract,
        others=(*deployed, *linked, *loaded.campaign.target_contracts),
        solc=_binary(parameters["solc"]),
        solc_args=loaded.solc_args,
        evm_version=asked if "evmVersion" in loaded.given else None,
        prefix=loaded.campaign.prefix,
        suite=loaded.campaign.checks(FOUNDRY_MODE) and loaded.contract is None,
        allow_paths=tuple(map(Path, loaded.allow_paths)),
        tell=partial(_tell, quiet=loaded.options.quiet),
        also=also,
    )
    return compile_target(request, tuple(settings.plugins.compilers.values()))


def _binary(given: Path | None) -> Path | None:
    """Return a program that is named; `./solc` is that file, not one on PATH."""
    # A path forgets that it began with a dot.
    return given.absolute() if given is not None and given.is_file() else given


def _tell(text: str, *, quiet: bool) -> None:
    if not quiet:
        show(f"Warning: {printable(text)}", err=True)

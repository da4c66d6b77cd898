"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from echidna_mcp.cli.request.evidence import DEFAULT_NETWORK
from echidna_mcp.cli.request.executors import executor_option, ray_address_option
from echidna_mcp.cli.request.words import Choice, directories, one_of, some_of
from echidna_mcp.config.campaign import COVERAGE_FORMATS, FOUNDRY_MODE, TEST_KINDS
from echidna_mcp.config.project_files import KIND_NAMES
from echidna_mcp.evm.fork import FORKS
from echidna_mcp.plugins.selection import PLUGINS_VARIABLE

DEFAULT_DIRECTORY = Path("echidna-corpus")

complete_modes = some_of(*TEST_KINDS, "all", FOUNDRY_MODE, "exploration")
"""Completes `--test-mode`."""

_F = TypeVar("_F", bound=Callable[..., Any])

plugins_option = click.option(
    "--plugins",
    metavar="SET",
    default="default",
    envvar=PLUGINS_VARIABLE,
    show_envvar=True,
    help="Plugins to enable, as for serve.",
)
"""The plugin set of a command that runs no new campaign."""


data_directory_option = click.option(
    "--data-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where tools keep their own data, such as the journal of the set circular "
    "[default: in the user's data directory].",
)
"""Where tools keep what outlives a campaign."""


_CERTIFY = click.option(
    "--certify",
    is_flag=True,
    help="Write the digest of what is sealed to a chain, with the tools of the set "
    "circular [default: no].",
)
_NETWORK = click.option(
    "--network",
    type=Choice(["testnet", "mainnet"]),
    default=DEFAULT_NETWORK,
    help=f"Where it is certified [default: {DEFAULT_NETWORK}].",
)
_SEAL = click.option(
    "--seal",
    "sealed",
    type=Choice(["campaign", "findings"]),
    help="At the end, seal the campaign, or each reproducer [default: nothing].",
)


def certification_options(command: _F) -> _F:
    """Add the options that say where evidence is certified."""
    return _CERTIFY(_NETWORK(data_directory_option(command)))


def refuse_without_certify(*names: str) -> None:
    """Refuse options of the running command that say how to certify, if written.

    Raises:
        click.UsageError: one was; without `--certify` it would have no effect.
    """
    refuse_written(names, "is for what is certified; add --certify, or leave it out.")


def refuse_written(names: Collection[str], why: str) -> None:
    """Refuse options of the running command that would have no effect.

    What is not written but taken from elsewhere, from a variable, say, may be there.

    Raises:
        click.UsageError: one was written; the message is its name and `why`.
    """
    context = click.get_current_context()
    for option in context.command.params:
        written = context.get_parameter_source(option.name or "")
        if option.name in names and written is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} {why}")


def evidence_options(command: _F) -> _F:
    """Add the options that seal what a campaign brought, when it ends."""
    return _SEAL(certification_options(command))


def with_options(options: Sequence[Callable[[_F], _F]], command: _F) -> _F:
    """Add options to a command; its help has them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def campaign_options(command: _F) -> _F:
    """Add the options that describe a campaign to a command."""
    return with_options(_OPTIONS, command)


def campaign_parameters() -> frozenset[str]:
    """Return the names of what `campaign_options` adds and only campaigns use."""

    def command() -> None:
        """Take the options."""

    parameters: list[click.Parameter] = campaign_options(command).__click_params__  # type: ignore[attr-defined]
    return frozenset(each.name or "" for each in parameters) - {"plugins"}


def campaign_defaults() -> dict[str, Any]:
    """Return the parameters that `campaign_options` adds, as if none was written."""

    @click.command()
    @campaign_options
    def command(**_parameters: Any) -> None:
        """Take the options."""

    with command.make_context("run", []) as context:
        return dict(context.params)


def examination_options(command: _F) -> _F:
    """Add the options that say what is tested, to a command that keeps no campaign.

    A time limit is left to it, and nothing is refused for not being honoured.
    """
    elsewhere = (*_DIRECTORIES, *_COVERAGE, _TIMEOUT, _IGNORE_UNSUPPORTED)
    return with_options([o for o in _OPTIONS if o not in elsewhere], command)


def _unless_empty(
    _context: click.Context, _option: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return what a repeatable option was given; None if it was not written."""
    return value or None


_DIRECTORIES = (
    click.option(
        "--corpus-dir",
        metavar="DIR",
        shell_complete=directories,
        help="Directory of campaigns: this one goes on if it was stopped there; "
        "otherwise it begins beside the others, with the corpus of the newest. "
        f"[default: a new one in ./{DEFAULT_DIRECTORY}]",
    ),
    click.option(
        "--campaigns",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="As --corpus-dir, but the first campaign also has a directory of its "
        "own [default: none].",
    ),
    click.option(
        "--corpus-format",
        type=Choice(["native", "echidna", "medusa", "foundry"]),
        help="In whose format reproducers and corpus are written there at the end; "
        "native is only the store [default: that of the corpora that lie there].",
    ),
)
_TIMEOUT = click.option(
    "--timeout", metavar="S", type=int, help="Stop after S seconds [default: none]."
)
_COVERAGE = (
    click.option(
        "--coverage-dir",
        metavar="DIR",
        shell_complete=directories,
        help="Write coverage there at the end [default: the campaign's directory].",
    ),
    click.option(
        "--coverage-formats",
        metavar="NAMES",
        shell_complete=some_of(*COVERAGE_FORMATS),
        help="Some of txt, html and lcov, comma separated [default: all of them; of a "
        "suite of Foundry none without --coverage-dir].",
    ),
    click.option(
        "--coverage-excludes",
        metavar="GLOB",
        multiple=True,
        callback=_unless_empty,
        help="Leave sources out of it whose path, from the directory that all have in "
        "common, is such; repeatable [default: none].",
    ),
)
_IGNORE_UNSUPPORTED = click.option(
    "--ignore-unsupported",
    is_flag=True,
    help="Go on although something that would change what is tested is not "
    "honoured; the result lists it [default: stop].",
)


_WORLD = (
    click.option(
        "--contract-addr",
        metavar="ADDRESS",
        help="Address of the contract to fuzz [default: 0x00a329c0…ea72].",
    ),
    click.option(
        "--deployer", metavar="ADDRESS", help="Who deploys it [default: 0x30000]."
    ),
    click.option(
        "--sender",
        metavar="ADDRESS",
        multiple=True,
        callback=_unless_empty,
        help="Who sends calls, instead of all others; repeatable "
        "[default: 0x10000, 0x20000, 0x30000].",
    ),
    click.option(
        "--all-contracts",
        is_flag=True,
        default=None,
        help="Call every deployed contract [default: the one to fuzz].",
    ),
)
_COMPILATION = (
    click.option(
        "--solc",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="The solc binary to use [default: what is found].",
    ),
    click.option(
        "--solc-args",
        metavar="ARGS",
        help="Further arguments for solc [default: none].",
    ),
    click.option(
        "--crytic-args",
        metavar="ARGS",
        callback=lambda _context, _option, value: value and tuple(value.split()),
        help="Arguments of crytic-compile between blanks, as far as they matter here "
        "[default: none].",
    ),
    click.option(
        "--allow-paths",
        metavar="PATHS",
        help="What sources may import besides the project and its libraries; comma "
        "separated [default: nothing].",
    ),
    click.option(
        "--disable-slither",
        is_flag=True,
        expose_value=False,
        help="Changes nothing, Slither is never used [default: not used].",
    ),
)


def _selecting(flag: str, short: str, value: str, text: str) -> Any:
    return click.option(flag, short, metavar=value, help=f"{text} [default: any].")


_SELECTION = (
    _selecting("--match-test", "--mt", "REGEX", "Run Foundry's tests of such a name"),
    _selecting("--no-match-test", "--nmt", "REGEX", "Run those of no such name"),
    _selecting("--match-contract", "--mc", "REGEX", "Run tests of such contracts"),
    _selecting("--no-match-contract", "--nmc", "REGEX", "Run tests of no such ones"),
    _selecting("--match-path", "--mp", "GLOB", "Run tests of such sources"),
    _selecting("--no-match-path", "--nmp", "GLOB", "Run tests of no such ones"),
)

_OPTIONS = (
    click.argument("target", required=False, type=click.Path(path_type=Path)),
    click.option(
        "--contract",
        metavar="NAME",
        help="Contract to fuzz, Name or path:Name [default: the one "
        "that the rules of docs/configuration.md leave].",
    ),
    click.option(
        "--constructor-args",
        metavar="ARGS",
        multiple=True,
        help="Arguments of the target's constructor, as in a call: 0x1234…, 1 ether; "
        "Name(…) for another contract; repeatable [default: none].",
    ),
    *_WORLD,
    click.option(
        "--config",
        "config_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Configuration: Echidna's YAML, medusa.json or foundry.toml "
        "[default: that of the project].",
    ),
    click.option(
        "--as",
        "kind",
        type=Choice(KIND_NAMES),
        help="What the project is: which defaults hold, which file of it is read "
        "[default: the first of these of which it has a file].",
    ),
    click.option(
        "--plugins",
        metavar="SET",
        envvar=PLUGINS_VARIABLE,
        show_envvar=True,
        help="Plugins: default, editor, circular, all, none, names, -name; comma "
        "separated [default: default].",
    ),
    *_DIRECTORIES,
    click.option("--seed", metavar="N", type=int, help="Seed [default: drawn]."),
    click.option(
        "--workers",
        metavar="N|SIZE",
        shell_complete=one_of("small", "medium", "large"),
        help="Logical workers, which shape the search, not the load: small (8), medium "
        "(64), large (256) or a number [default: small].",
    ),
    click.option(
        "--round-budget",
        metavar="N",
        type=int,
        help="Work units a worker and round [default: measured at the start].",
    ),
    click.option(
        "--backend",
        metavar="NAME",
        shell_complete=one_of("native", "py-evm"),
        help="EVM: native or py-evm [default: native].",
    ),
    executor_option,
    ray_address_option,
    click.option(
        "--solver",
        metavar="NAME",
        shell_complete=one_of("bitwuzla", "z3", "off"),
        help="Who finds inputs for branches that nothing has taken: bitwuzla, z3, or "
        "off [default: bitwuzla if it is installed].",
    ),
    click.option(
        "--evm-version",
        metavar="FORK",
        shell_complete=one_of(*FORKS),
        help=f"Rules of the EVM, and what to compile for: {', '.join(FORKS)} "
        "[default: what the target is compiled for].",
    ),
    click.option(
        "--block-number",
        metavar="N",
        type=int,
        help="Number of the first block [default: of the project's kind].",
    ),
    click.option(
        "--block-timestamp",
        metavar="S",
        type=int,
        help="Time of the first block, in seconds [default: of the project's kind].",
    ),
    click.option(
        "--chain-id",
        metavar="N",
        type=int,
        help="Number of the chain [default: of the project's kind].",
    ),
    click.option(
        "--test-mode",
        metavar="MODE",
        shell_complete=complete_modes,
        help="Some of property, assertion, optimization and overflow with commas "
        "between, all for the first three, foundry, or exploration "
        "[default: of the project's kind, else property].",
    ),
    *_SELECTION,
    click.option(
        "--fuzz-runs",
        metavar="N",
        type=int,
        help="Runs of each of Foundry's tests that takes arguments "
        "[default: of the project, else 256].",
    ),
    click.option(
        "--test-limit",
        metavar="N",
        type=int,
        help="Stop after N calls [default: of the project, else 50000 for run, "
        "none for serve].",
    ),
    click.option(
        "--seq-len", metavar="N", type=int, help="Calls a sequence [default: 100]."
    ),
    click.option(
        "--shrink-limit",
        metavar="N",
        type=int,
        help="Attempts to shorten a reproducer [default: 5000].",
    ),
    click.option(
        "--max-findings",
        metavar="N",
        type=int,
        help="Stop after N findings; an assertion that fails at several places is "
        "several. 0: one a test, and no stop [default: 1000].",
    ),
    _TIMEOUT,
    click.option(
        "--nice",
        metavar="N",
        type=int,
        help="Step back behind other programs, 0 to 19 [default: 2 for serve, else 0].",
    ),
    click.option(
        "--format",
        "output_format",
        type=Choice(["text", "json", "none", "github"]),
        help="Progress and report; json prints only the report, none only where the "
        "campaign is, github text and annotations [default: a live display on a "
        "terminal, else text].",
    ),
    *_COVERAGE,
    click.option(
        "--allow-not-exercised",
        metavar="NAME",
        multiple=True,
        help="Test that may be not exercised without exit code 4; repeatable "
        "[default: none].",
    ),
    _IGNORE_UNSUPPORTED,
    click.option(
        "--allow-ffi",
        is_flag=True,
        default=None,
        help="Let vm.ffi run programs of this machine; elsewhere than in projects of "
        "Foundry tests may then read all files of the project [default: no].",
    ),
    *_COMPILATION,
)

OVERRIDES = {
    "contract": "contract",
    "contract_addr": "contractAddr",
    "deployer": "deployer",
    "sender": "sender",
    "all_contracts": "allContracts",
    "solc_args": "solcArgs",
    "crytic_args": "cryticArgs",
    "corpus_dir": "corpusDir",
    "corpus_format": "corpusFormat",
    "seed": "seed",
    "workers": "workers",
    "round_budget": "roundBudget",
    "backend": "backend",
    "executor": "executor",
    "plugins": "plugins",
    "solver": "solver",
    "evm_version": "evmVersion",
    "block_number": "blockNumber",
    "block_timestamp": "blockTimestamp",
    "chain_id": "chainId",
    "test_mode": "testMode",
    "match_test": "matchTest",
    "no_match_test": "noMatchTest",
    "match_contract": "matchContract",
    "no_match_contract": "noMatchContract",
    "match_path": "matchPath",
    "no_match_path": "noMatchPath",
    "fuzz_runs": "fuzzRuns",
    "test_limit": "testLimit",
    "seq_len": "seqLen",
    "shrink_limit": "shrinkLimit",
    "max_findings": "maxFindings",
    "timeout": "timeout",
    "nice": "nice",
    "output_format": "format",
    "coverage_dir": "coverageDir",
    "coverage_formats": "coverageFormats",
    "coverage_excludes": "coverageExcludes",
    "allow_paths": "allowPaths",
    "allow_ffi": "allowFFI",
}
"""Configuration key that each parameter overrides."""

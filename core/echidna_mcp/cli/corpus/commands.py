"""The commands of `echidna-mcp corpus` and their options.

What they do is in a module for each, which is imported when the command runs.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from echidna_mcp.cli.request.options import plugins_option, with_options
from echidna_mcp.cli.request.words import Choice
from echidna_mcp.config.campaign import FOREIGN_FORMATS
from echidna_mcp.config.project_files import KIND_NAMES

if TYPE_CHECKING:
    from echidna_mcp.cli.corpus.subject import TargetWish
    from echidna_mcp.config.campaign import ForeignFormat

_F = TypeVar("_F", bound=Callable[..., Any])

_TARGET_OPTIONS: Final = (
    click.option(
        "--target",
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="Target of the corpus of another fuzzer, as for run [default: that of the "
        "newest campaign in the directory].",
    ),
    click.option("--contract", metavar="NAME", help="Its contract, as for run."),
    click.option("--config", metavar="FILE", help="Its configuration, as for run."),
    click.option(
        "--as",
        "kind",
        type=Choice(KIND_NAMES),
        help="What the project is, as for run.",
    ),
    click.option("--test-mode", metavar="MODE", help="Its tests, as for run."),
    click.option("--solc", metavar="PATH", help="The solc binary, as for run."),
    plugins_option,
)
_json_option = click.option(
    "--format",
    "form",
    type=Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How it is told.",
)
_output_option = click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="New directory for the result.",
)
_to_option = click.option(
    "--to",
    type=Choice(FOREIGN_FORMATS),
    help="Format of the result [default: that of the corpus, of a campaign echidna].",
)
_directory = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


def _about_a_target(command: _F) -> _F:
    return with_options(_TARGET_OPTIONS, command)


def _wish(parameters: dict[str, Any]) -> TargetWish:
    """Return what the options of the target say.

    Raises:
        click.UsageError: they say how it is, and not which it is.
    """
    from echidna_mcp.cli.corpus.subject import TargetWish

    flags = {
        "contract": "--contract",
        "config": "--config",
        "kind": "--as",
        "test_mode": "--test-mode",
        "solc": "--solc",
    }
    words: list[str] = []
    for name, flag in flags.items():
        if parameters[name] is not None:
            words += [flag, parameters[name]]
    if words and parameters["target"] is None:
        raise click.UsageError(f"{words[0]} is for a target; name it with --target.")
    return TargetWish(parameters["target"], tuple(words), parameters["plugins"])


@click.group("corpus", short_help="List, show, replay, convert stored sequences.")
def corpus_command() -> None:
    """Look at what campaigns and other fuzzers have stored.

    DIR is the directory of a campaign, or a corpus of Echidna, Medusa or Foundry. What
    is there is never changed: results go into a new directory.
    """


@corpus_command.command("list")
@_directory
@_json_option
@_about_a_target
def list_command(*, directory: Path, form: str, **parameters: Any) -> None:
    """List the sequences of DIR: number, calls, and what they were kept for."""
    from echidna_mcp.cli.corpus.listing import list_entries

    list_entries(directory, _wish(parameters), as_json=form == "json")


@corpus_command.command("show")
@_directory
@click.argument("number", metavar="N", type=int)
@_json_option
@_about_a_target
def show_command(*, directory: Path, number: int, form: str, **parameters: Any) -> None:
    """Show the calls of sequence N of DIR, as `corpus list` numbers them."""
    from echidna_mcp.cli.corpus.listing import show_entry

    show_entry(directory, number, _wish(parameters), as_json=form == "json")


@corpus_command.command("convert")
@_directory
@click.option(
    "--to",
    type=Choice(FOREIGN_FORMATS),
    required=True,
    help="Format of the result.",
)
@_output_option
@_about_a_target
def convert_command(
    *, directory: Path, to: ForeignFormat, output: Path, **parameters: Any
) -> None:
    """Write the sequences of DIR in another format.

    Foundry stores no names of functions, and Medusa structs without their order; with
    the target nothing of that is lost.
    """
    from echidna_mcp.cli.corpus.writing import convert

    convert(directory, _wish(parameters), to, output)


@corpus_command.command("replay")
@_directory
@_json_option
@_about_a_target
def replay_command(*, directory: Path, form: str, **parameters: Any) -> None:
    """Run the sequences of DIR again and tell what each covers and falsifies.

    Exits with 1 if one falsifies a test, else with 0.
    """
    from echidna_mcp.cli.corpus.replaying import replay
    from echidna_mcp.fuzz.kernels.loading import kernels_loading

    with kernels_loading():
        falsified = replay(directory, _wish(parameters), as_json=form == "json")
    if falsified:
        sys.exit(1)


@corpus_command.command("minimize")
@_directory
@_to_option
@_output_option
@_about_a_target
def minimize_command(
    *, directory: Path, to: ForeignFormat | None, output: Path, **parameters: Any
) -> None:
    """Write the smallest part of DIR that covers and falsifies all that the whole does.

    It is chosen greedily, the sequence that adds most first.
    """
    from echidna_mcp.cli.corpus.writing import minimize
    from echidna_mcp.fuzz.kernels.loading import kernels_loading

    with kernels_loading():
        minimize(directory, _wish(parameters), to, output)


@corpus_command.command("frontiers")
@_directory
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    default=256,
    show_default=True,
    help="The most frontiers of a test, the most promising first.",
)
@_output_option
@_about_a_target
def frontiers_command(
    *, directory: Path, limit: int, output: Path, **parameters: Any
) -> None:
    """Write comparisons of which no sequence of DIR shows one of the outcomes.

    Each with the sequence that came nearest to it, in the format that forge's symbolic
    tests read (--fuzz-frontier-dir).
    """
    from echidna_mcp.cli.corpus.frontiers import write_all

    write_all(directory, _wish(parameters), limit, output)


@corpus_command.command("merge")
@click.argument(
    "directories",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@_to_option
@_output_option
@_about_a_target
def merge_command(
    *,
    directories: tuple[Path, ...],
    to: ForeignFormat | None,
    output: Path,
    **parameters: Any,
) -> None:
    """Write the sequences of several campaigns or corpora of one target, each once."""
    from echidna_mcp.cli.corpus.writing import merge

    merge(directories, _wish(parameters), to, output)

"""Commands that look at what a campaign has stored, and write nothing into it.

The modules that do the work are imported when their command runs.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from echidna_mcp.cli.request.options import plugins_option, with_options

Command = TypeVar("Command", bound=Callable[..., Any])


def _trace_options(command: Command) -> Command:
    """Add the options of commands that print traces."""
    return with_options(_TRACE_OPTIONS, command)


_TRACE_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option(
        "--color",
        "colours",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Whether text has colours; auto is on a terminal, unless NO_COLOR is set.",
    ),
    click.option(
        "--deployment",
        is_flag=True,
        help="Tell also what was deployed before [default: only the sequence].",
    ),
)


@click.command("show", short_help="Show what sequences of a campaign do, as traces.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="[TEST | corpus INDEX]", nargs=-1)
@_trace_options
@plugins_option
def show_command(
    directory: Path,
    what: tuple[str, ...],
    plugins: str,
    *,
    as_json: bool,
    colours: Literal["auto", "always", "never"],
    deployment: bool,
) -> None:
    """Execute sequences of the campaign in DIR again and show all that they do.

    That of one TEST that is falsified, a sequence of the corpus by its number from 0
    (corpus INDEX), or those of all that are falsified or maximized. Of a directory of
    campaigns the newest is taken. Nothing is written.
    """
    from echidna_mcp.cli.stored.show import show_traces

    show_traces(
        directory,
        what,
        plugins,
        as_json=as_json,
        colours=colours,
        deployment=deployment,
    )


@click.command("exec", short_help="Execute calls as a campaign would, as a trace.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("calls", metavar="CALLS...", nargs=-1, required=True)
@_trace_options
@plugins_option
def exec_command(
    directory: Path,
    calls: tuple[str, ...],
    plugins: str,
    *,
    as_json: bool,
    colours: Literal["auto", "always", "never"],
    deployment: bool,
) -> None:
    """Execute CALLS from the start state of the campaign in DIR, and show what they do.

    They are written as in Solidity, with semicolons between, or as reports print them:
    "deposit(1) from: 0x10000 Value: 5; withdraw(?)". A ? is filled as the fuzzer does.
    Of a directory of campaigns the newest is taken. Nothing is written.
    """
    from echidna_mcp.cli.stored.execution import execute

    execute(
        directory,
        calls,
        plugins,
        as_json=as_json,
        colours=colours,
        deployment=deployment,
    )


@click.command("export", short_help="Write sequences of a campaign as Foundry tests.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("what", metavar="[TEST | corpus INDEX]", nargs=-1)
@click.option(
    "--as",
    "form",
    type=click.Choice(["foundry", "text"]),
    default="foundry",
    show_default=True,
    help="Foundry tests that stand alone, or the sequences as reports print them.",
)
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory for files, one a sequence [default: they are printed].",
)
@plugins_option
def export_command(
    directory: Path,
    what: tuple[str, ...],
    plugins: str,
    *,
    form: Literal["foundry", "text"],
    output: Path | None,
) -> None:
    """Write sequences of the campaign in DIR for other tools.

    That of one TEST that is falsified, a sequence of the corpus by its number from 0
    (corpus INDEX), or those of all that are falsified or maximized. Of a directory of
    campaigns the newest is taken.
    """
    from echidna_mcp.cli.stored.export import export

    export(directory, what, plugins, form=form, output=output)

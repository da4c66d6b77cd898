"""Commands that look at what a campaign has stored, and write nothing into it.

The modules that do the work are imported when their command runs.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from echidna_mcp.cli.request.options import (
    DEFAULT_DIRECTORY,
    plugins_option,
    with_options,
)
from echidna_mcp.cli.request.words import Choice, directories
from echidna_mcp.cli.stored.completing import campaigns, sequences

Command = TypeVar("Command", bound=Callable[..., Any])

campaign_argument = click.argument(
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    shell_complete=campaigns,
)
"""Directory of a campaign, or of campaigns."""
_what_argument = click.argument(
    "what", metavar="[TEST | corpus INDEX]", nargs=-1, shell_complete=sequences
)


def _trace_options(command: Command) -> Command:
    """Add the options of commands that print traces."""
    return with_options(_TRACE_OPTIONS, command)


_TRACE_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option(
        "--color",
        "colours",
        type=Choice(["auto", "always", "never"]),
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
@campaign_argument
@_what_argument
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
@campaign_argument
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


@click.command("export", short_help="Write sequences of a campaign for other tools.")
@campaign_argument
@_what_argument
@click.option(
    "--as",
    "form",
    type=Choice(["foundry", "echidna", "medusa", "text"]),
    default="foundry",
    show_default=True,
    help="Foundry tests that stand alone; the JSON that Echidna or Medusa keeps in its "
    "corpus; or the sequences as reports print them, much as Solidity.",
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
    form: Literal["foundry", "echidna", "medusa", "text"],
    output: Path | None,
) -> None:
    """Write sequences of the campaign in DIR for other tools.

    That of one TEST that is falsified, a sequence of the corpus by its number from 0
    (corpus INDEX), or those of all that are falsified or maximized. Of a directory of
    campaigns the newest is taken.
    """
    from echidna_mcp.cli.stored.export import export

    export(directory, what, plugins, form=form, output=output)


def _duration(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> timedelta | None:
    """Return a time as people write it: 90m, 12h, 30d, 4w."""
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,6})([mhdw])", value)
    if found is None:
        text = f"{value!r} is no duration, such as 90m, 12h, 30d or 4w."
        raise click.BadParameter(text)
    unit = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}[found[2]]
    return timedelta(**{unit: int(found[1])})


_campaigns_argument = click.argument(
    "directory",
    metavar="[DIR]",
    type=click.Path(path_type=Path),
    default=DEFAULT_DIRECTORY,
    shell_complete=directories,
)


@click.command("list", short_help="List the campaigns of a directory.")
@_campaigns_argument
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(directory: Path, *, as_json: bool) -> None:
    """List the campaigns in DIR, the newest first [default: ./echidna-corpus].

    When each began, what it tests, how far it is, what it has found, how large it is,
    whether it runs, can go on or has ended, and whether there is evidence of it.
    """
    from echidna_mcp.cli.stored.listing import list_campaigns

    list_campaigns(directory, as_json=as_json)


@click.command("prune", short_help="Remove old campaigns.")
@_campaigns_argument
@click.option(
    "--keep",
    metavar="N",
    type=click.IntRange(min=0),
    help="Keep the newest N of each contract [default: none for that reason].",
)
@click.option(
    "--older-than",
    metavar="DURATION",
    callback=_duration,
    help="Keep what began since: 90m, 12h, 30d, 4w [default: nothing for that reason].",
)
@click.option(
    "--sealed",
    is_flag=True,
    help="Remove also those of which there is evidence [default: they stay].",
)
@click.option(
    "--yes", is_flag=True, help="Remove them [default: only say which would go]."
)
def prune_command(
    directory: Path,
    *,
    keep: int | None,
    older_than: timedelta | None,
    sealed: bool,
    yes: bool,
) -> None:
    """Remove old campaigns in DIR [default: ./echidna-corpus], with --yes.

    What neither rule keeps goes. Campaigns that run, and what can't be read, always
    stay, and so do files that the program has not written.
    """
    from echidna_mcp.cli.stored.pruning import prune

    prune(directory, keep=keep, older_than=older_than, sealed=sealed, yes=yes)

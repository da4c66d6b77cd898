"""Commands beside campaigns: for authors of tools, for reports, and for evidence.

What they do is in a module for each, which is imported when the command runs.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import click

from echidna_mcp.cli.request.evidence import CERTIFYING_PLUGINS, SealWishes
from echidna_mcp.cli.request.options import (
    certification_options,
    data_directory_option,
    plugins_option,
    refuse_without_certify,
)
from echidna_mcp.cli.request.words import Choice
from echidna_mcp.cli.stored.commands import campaign_argument
from echidna_mcp.cli.stored.completing import campaigns
from echidna_mcp.config.campaign import COVERAGE_FORMATS, CoverageFormat


@click.group("contracts", short_help="Check the contract documents of tools.")
def contracts_command() -> None:
    """Check contract documents of tools, in any dialect that a plugin knows."""


@contracts_command.command("check")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Take a warning for an error.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugins_option
def check_command(*, path: Path, strict: bool, as_json: bool, plugins: str) -> None:
    """Check the contract documents of PATH against the rules of their dialects.

    PATH is a document or a directory of them. Exits with 0 if no rule is broken, with
    1 if one is, with 2 and a sentence if there is nothing to check.
    """
    from echidna_mcp.cli.commands.contracts import check_contracts

    if not check_contracts(path, plugins, strict=strict, as_json=as_json):
        sys.exit(1)


@contracts_command.command("lock")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--version",
    metavar="VERSION",
    help="Version of the package [default: as pyproject.toml or package.json say].",
)
@plugins_option
def lock_command(*, path: Path, version: str | None, plugins: str) -> None:
    """Write contracts.lock into the directory PATH: what is published as this version.

    From then on `contracts check` warns of definitions that change without a new one.
    """
    from echidna_mcp.cli.commands.contracts import lock_contracts

    lock_contracts(path, plugins, version)


@click.command("coverage", short_help="Write the coverage of a campaign.")
@campaign_argument
@click.option(
    "--format",
    "formats",
    type=Choice(COVERAGE_FORMATS),
    multiple=True,
    help="Which file to write; repeatable [default: all of them].",
)
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where to write [default: the campaign's directory].",
)
@click.option(
    "--exclude",
    "excludes",
    metavar="GLOB",
    multiple=True,
    help="Leave such sources out, as coverageExcludes does; repeatable "
    "[default: none].",
)
@plugins_option
def coverage_command(
    *,
    directory: Path,
    formats: tuple[CoverageFormat, ...],
    output: Path | None,
    excludes: tuple[str, ...],
    plugins: str,
) -> None:
    """Write covered.html, covered.txt and covered.lcov of the campaign in DIR.

    Of a directory of campaigns the newest is taken. Its corpus is executed once more,
    to count calls; nothing else of the campaign changes.
    """
    from echidna_mcp.cli.stored.coverage import write_stored

    write_stored(directory, formats, output, excludes, plugins)


@click.command("seal", short_help="Make evidence of a campaign, or of its findings.")
@click.argument("directory", type=click.Path(path_type=Path), shell_complete=campaigns)
@click.option(
    "--finding",
    "findings",
    metavar="TEST",
    multiple=True,
    help="Seal the reproducer of this falsified test; repeatable [default: all of the "
    "campaign].",
)
@click.option("--findings", "all_findings", is_flag=True, help="Seal all reproducers.")
@certification_options
@click.option(
    "--plugins",
    metavar="SET",
    default=CERTIFYING_PLUGINS,
    show_default=True,
    help="Plugins that offer the tools which certify.",
)
def seal_command(
    *,
    directory: Path,
    findings: tuple[str, ...],
    all_findings: bool,
    certify: bool,
    network: str,
    data_dir: Path | None,
    plugins: str,
) -> None:
    """Seal the campaign in DIRECTORY: an event with a digest of all that it holds.

    The evidence, a file in DIRECTORY/evidence, says nothing of the target but digests.
    Whoever has it and the campaign can check with verify that neither was changed; with
    --certify, also since when.
    """
    if findings and all_findings:
        raise click.UsageError(
            "--findings seals all findings; leave --finding out, or --findings."
        )
    if not certify:
        refuse_without_certify("network", "data_dir", "plugins")
    from echidna_mcp.cli.commands.evidence import seal

    wishes = SealWishes.of(certify=certify, network=network, data_dir=data_dir)
    wishes = replace(
        wishes, findings=findings, all_findings=all_findings, plugins=plugins
    )
    seal(directory, wishes)


def _a_number(
    _context: click.Context, _parameter: click.Parameter, value: float
) -> float:
    # A range lets it pass, since it is neither below nor above.
    if math.isnan(value):
        raise click.BadParameter("nan is not a number of seconds.")
    return value


@click.command("devnet", short_help="Run a chain on this machine to certify on.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Address of this machine to listen on; others can't reach it.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8545,
    show_default=True,
    metavar="PORT",
    help="TCP port; 0 picks a free one.",
)
@click.option(
    "--block-seconds",
    type=click.FloatRange(0.01, 86_400),
    callback=_a_number,
    default=2.0,
    show_default=True,
    metavar="S",
    help="Seconds between two blocks.",
)
@data_directory_option
@click.option(
    "--plugins",
    metavar="SET",
    default="circular",
    show_default=True,
    help="Plugins that offer the chain.",
)
def devnet_command(
    *, host: str, port: int, block_seconds: float, data_dir: Path | None, plugins: str
) -> None:
    """Run a chain on this machine that speaks the protocol of Circular.

    What is certified there is stored and found again after a restart, but proves
    nothing to others. Servers with the same --data-dir and nothing configured use it;
    others once they are told the variable that it prints. Runs until ctrl-C.
    """
    from echidna_mcp.cli.commands.devnet import run_devnet

    run_devnet(host, port, block_seconds, data_dir, plugins)

"""`plugins`, `tools` and `verify`: commands that only look."""

from __future__ import annotations

import json
from pathlib import Path

import click

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.options import plugins_option
from echidna_mcp.cli.output import show
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugins_option
def plugins_command(*, as_json: bool, plugins: str) -> None:
    """List installed plugins and whether they are enabled."""
    records = PluginManager.load(plugins).records
    if as_json:
        show(json.dumps([record.to_json() for record in records], indent=2))
        return
    width = max((len(record.name) for record in records), default=0)
    for record in records:
        what = record.error or ", ".join(record.hooks)
        origin = f"{record.distribution} {record.version}"
        show(f"{record.name:<{width}}  {record.status:<8}  {origin}  {what}")


@click.command("tools")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all schemas.")
@plugins_option
def tools_command(*, as_json: bool, plugins: str) -> None:
    """List the tools that agents can call."""
    tools = PluginManager.load(plugins).tools
    specs = [tools[name].spec for name in sorted(tools)]
    if as_json:
        show(json.dumps([spec.to_json() for spec in specs], indent=2))
        return
    width = max((len(spec.name) for spec in specs), default=0)
    for spec in specs:
        show(f"{spec.name:<{width}}  {spec.safety_level:<11}  {spec.title}")


@click.command("verify", short_help="Check that a campaign's store is unchanged.")
@click.argument("directory", type=click.Path(path_type=Path))
def verify_command(directory: Path) -> None:
    """Check the hash chain of the campaign store in DIRECTORY.

    Exits with 2 if the store was changed.
    """
    found = verify_campaign(store_path(directory))
    show(
        f"{store_path(directory)}: {found.events} events, the chain is intact, "
        f"head {found.head}"
    )

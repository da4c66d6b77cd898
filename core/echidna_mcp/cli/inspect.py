"""`plugins`, `tools` and `verify`: commands that only look."""

from __future__ import annotations

import json
from pathlib import Path

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.output import show
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager


def list_plugins(plugins: str, *, as_json: bool) -> None:
    """Print installed plugins, and whether a selection enables them."""
    records = PluginManager.load(plugins).records
    if as_json:
        show(json.dumps([record.to_json() for record in records], indent=2))
        return
    width = max((len(record.name) for record in records), default=0)
    for record in records:
        what = record.error or ", ".join(record.hooks)
        origin = f"{record.distribution} {record.version}"
        show(f"{record.name:<{width}}  {record.status:<8}  {origin}  {what}")


def list_tools(plugins: str, *, as_json: bool) -> None:
    """Print the tools that a selection of plugins offers."""
    tools = PluginManager.load(plugins).tools
    specs = [tools[name].spec for name in sorted(tools)]
    if as_json:
        show(json.dumps([spec.to_json() for spec in specs], indent=2))
        return
    width = max((len(spec.name) for spec in specs), default=0)
    for spec in specs:
        show(f"{spec.name:<{width}}  {spec.safety_level:<11}  {spec.title}")


def verify(directory: Path) -> None:
    """Check the hash chain of the campaign store in a directory.

    Raises:
        StoreTamperedError: the store was changed.
    """
    found = verify_campaign(store_path(directory))
    show(
        f"{store_path(directory)}: {found.events} events, the chain is intact, "
        f"head {found.head}"
    )

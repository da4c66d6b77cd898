"""`plugins`, `tools` and `verify`: commands that only look."""

from __future__ import annotations

import json
from pathlib import Path

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.request.place import stores_in
from echidna_mcp.errors import StoreError
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.views.command_log import command_log_path
from echidna_mcp.wording import counted


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
    """Check the hash chain of each campaign store in a directory.

    Raises:
        StoreTamperedError: a store was changed; all others are checked before.
        StoreError: there is no store, or one can't be read; likewise.
    """
    failures: list[StoreError] = []
    for path in stores_in(directory) or [store_path(directory)]:
        try:
            found = verify_campaign(path)
        except StoreError as error:
            failures.append(error)
            continue
        show(f"{path}: {found.events} events, the chain is intact, head {found.head}")
        if not found.commands and not found.refused:
            continue
        accepted = counted(found.commands, "command")
        show(f"{path}: {accepted} accepted, {found.refused} refused")
        if not command_log_path(path.parent).exists():
            show(f"{path}: there is no command log beside it")
    for other in failures[1:]:
        show(f"Error: {other.message}", err=True)
    if failures:
        raise failures[0]

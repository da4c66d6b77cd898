"""`devnet`: a chain that a plugin runs on this machine."""

from __future__ import annotations

from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.user_data import default_data_directory
from echidna_mcp.wording import listed


def run_devnet(
    host: str, port: int, block_seconds: float, directory: Path | None, plugins: str
) -> None:
    """Run the only devnet that enabled plugins offer, until it is interrupted.

    Raises:
        UsageError: there is none, there are several, or the address can't be had.
    """
    devnets = PluginManager.load(plugins).devnets
    if not devnets:
        raise UsageError(
            f"--plugins {plugins}: no enabled plugin offers a devnet; circular does."
        )
    if len(devnets) > 1:
        raise UsageError(
            f"--plugins {plugins}: {listed([*devnets])} each offer a devnet; enable "
            "the plugin of one only."
        )
    [(name, devnet)] = devnets.items()
    place = directory or default_data_directory(name)

    def ready(url: str, advice: str) -> None:
        show(f"Devnet of {name} listening on {url}, data in {place}", err=True)
        show(advice, err=True)

    devnet.run(host, port, place, block_seconds, ready)

"""What each cheatcode does: a module for each group, a function for each.

All of them are imported with this package, which enters them into the registry: threads
that run campaigns must import nothing.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.cheats import Cheats
from echidna_mcp.cheatcodes.handlers import (  # noqa: F401 - they enter themselves
    accounts,
    artifacts,
    assertions,
    blocks,
    control,
    curves,
    documents,
    environment,
    expecting,
    files,
    mocking,
    pranking,
    programs,
    randomness,
    recording,
    serializing,
    signing,
    snapshots,
    strings,
    utilities,
)
from echidna_mcp.cheatcodes.host import CheatHost
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.outside import Outside


def make_cheats(host: CheatHost, settings: CheatSettings, outside: Outside) -> Cheats:
    """Return the cheatcodes of an EVM, all of them."""
    return Cheats(host, settings, outside)

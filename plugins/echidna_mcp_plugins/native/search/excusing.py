"""Runs that pass because of who has reverted first (`rounds.judge`)."""

from __future__ import annotations

from echidna_mcp.cheatcodes.addresses import CHEATCODES
from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import u64
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.state.machine import HOOK_REVERTS, NOBODY, Machine


@cold
def begin_excusing(m: Machine) -> None:
    """Let the next message tell who reverts first."""
    m.reverter = NOBODY
    m.hooks = m.hooks | HOOK_REVERTS


@cold
def is_excused(m: Machine, s: Search) -> u64:
    """Return 1 if the call that has ended passes, whatever else it has done, else 0."""
    if s.excusing == 0 or m.reverter == NOBODY:
        return 0
    if m.reverter == s.spared or m.reverter == CHEATCODES:
        return 0
    return 1

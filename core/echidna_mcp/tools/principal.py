"""Who calls a tool, and which tools that one may call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TIERS: Final = ("core", "tier1", "tier2", "tier3", "tier4")
"""Who may call a tool, from everybody on; each includes those before it."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls.

    Attributes:
        name: for people; nothing is decided by it.
        tier: one of `TIERS`.
    """

    name: str
    tier: str = TIERS[0]

    def may_call(self, tier: str) -> bool:
        """Whether tools of a tier are there for this one."""
        if tier == self.tier:
            return True
        return tier in TIERS and TIERS.index(tier) <= TIERS.index(self.tier)


PRINCIPAL: Final = "echidna_mcp.principal"
"""Key of an ASGI scope under which the guard of the HTTP server says who calls."""

LOCAL: Final = Principal("local")
"""Whoever calls where nobody is told apart."""

"""Accounts that no chain has: those of the cheatcodes and of the console."""

from __future__ import annotations

from typing import Final

CHEATCODES: Final = 0x7109709ECFA91A80626FF3989D68F67F5B1DD12D
"""Of `vm`: the last 20 bytes of the hash of "hevm cheat code"."""
CONSOLE: Final = 0x000000000000000000636F6E736F6C652E6C6F67
"""Of `console.log`: its name in ASCII. Every call of it succeeds and does nothing."""
STUB: Final = b"\0"
"""The code of the first: Solidity does not call an account without code."""
STUB_HASH: Final = 0xB0450508E5A2349057C3B4C9C84524D62BE4BB17E565DBE2DF34725A26872291
"""What Foundry gives for its hash."""

"""Contexts: what one function's calls have compared, apart from those of others.

A check that several functions share has both outcomes soon, and then nothing shows that
it never had one of them where that matters: whether a position is healthy is asked when
somebody borrows, who must be, and when somebody liquidates, where it must not be. So a
comparison that was seen both ways is another one in calls of each function.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.kernel.language.memory import Bytes, u64, wrap64

EVERYWHERE = 0
"""No context: of tests, and of campaigns without contexts."""


def context_of(c: Climb, calls: Bytes, at: u64) -> u64:
    """Return the context of the call whose record begins at byte `at`.

    It is even, so that no mark becomes 0 with it.
    """
    if c.by_function == 0:
        return wrap64(EVERYWHERE)
    return mix64(call_function(calls, at) + 1) >> 1 << 1

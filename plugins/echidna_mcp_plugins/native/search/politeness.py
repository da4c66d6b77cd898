"""Counting the work of a sequence, and giving way to others now and then."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import u64, wrap64
from echidna_mcp.kernel.language.processor import give_way, nanoseconds
from echidna_mcp_plugins.native.search.state import Search

GIVE_WAY_WORK = 300_000
"""Work units between two chances for the server to have the processor: less than half a
millisecond of common contracts. More often, and fuzzing would get little beside other
programs; more seldom, and the server would wait for a tick of the clock."""
HALF = 1 << 63
"""A difference of times that wraps around: the first one is the earlier one."""
MOST_AHEAD = 3_000_000
"""Nanoseconds that others may have had more than a thread that gives way."""


@inline
def spend(s: Search, work: u64) -> None:
    """Count work of the sequence; after enough in one go, others may go first."""
    s.spent = s.spent + work
    s.unbroken = s.unbroken + work
    if s.unbroken >= GIVE_WAY_WORK:
        s.unbroken = 0
        if s.polite != 0:
            let_others_first(s)


@cold
def let_others_first(s: Search) -> None:
    """Give way, unless others have had much more of this processor than this thread.

    A server computes for milliseconds, now and then. A program that computes all the
    time takes a whole slice, which is several of ours, whenever it can: soon it has had
    all that it is ahead by, then we are even, and the scheduler is fair.
    """
    now = nanoseconds()
    ahead = wrap64(s.even_at - now)
    if ahead >= HALF:
        ahead = 0
    if ahead < MOST_AHEAD:
        give_way()
        back = nanoseconds()
        s.even_at = wrap64(back + ahead + (back - now))

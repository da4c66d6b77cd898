"""Which sequences are climbed, or fitted alone, and from which call on."""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.state import WINDOW, Climb
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.records import count_calls
from echidna_mcp.fuzz.rng import below
from echidna_mcp.fuzz.sequence import GROUP_CALLS, GROUP_ENTRY
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, Words, u64

CLIMBING_SEQUENCES = 8
"""One sequence in so many is climbed."""
FITTED_SEQUENCES = 3
"""So many more of them are climbed to fit their calls alone."""


def choose_climb(
    tables: FuzzTables, rng: Words, c: Climb, sequence: Bytes, end: u64
) -> u64:
    """Choose from which call on a sequence is climbed that was just built.

    Behind calls of the corpus it begins at one of the last of these half of the time,
    as that is the call which was new when it was found, or leads to it; a quarter of
    the time right behind them; else anywhere. Where numbers are tied half of the first
    half has all calls of the corpus that can change together.

    `c.fits_alone` says afterwards whether its calls are fitted alone (`fitting`).

    Returns:
        The number of its record, counted from 1; 0 for a sequence that just runs.
    """
    # What replaces calls is told by who made them (`evm.backend.Override`).
    if tables.overriding != 0:
        return 0
    c.fits_alone = 0
    choice = below(rng, CLIMBING_SEQUENCES)
    if choice != 0:
        if c.fits_often == 0 or choice > FITTED_SEQUENCES:
            return 0
        c.fits_alone = 1
    calls = count_calls(sequence, 0, end)
    known = tables.group[GROUP_CALLS]
    choice = below(rng, 4)
    if tables.group[GROUP_ENTRY] != 0 and known < calls and choice != 0:
        if choice == 1:
            return 1 + known
        if choice == 2 and tables.ties != 0:
            return known + 1 - least(known, WINDOW)
        return known - below(rng, least(known, WINDOW))
    return 1 + below(rng, calls)

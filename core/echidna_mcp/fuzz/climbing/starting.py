"""What Python makes for climbing: its record, and logs of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_KIND,
    COMPARISON_LEFT,
    COMPARISON_RIGHT,
    COMPARISON_ROW,
    COMPARISON_SITE,
)
from echidna_mcp.fuzz.climbing.places import MOST_PLACES, PLACE_WORDS
from echidna_mcp.fuzz.climbing.sites import SITE_WORDS, SITES
from echidna_mcp.fuzz.climbing.state import WINDOW, Climb
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.kernel.language.memory import Bytes, poke256, store64, words
from echidna_mcp.kernel.language.record import blank


def make_climb() -> Climb:
    """Return the record that a replica climbs with."""
    climb: Climb = blank(Climb)
    climb.sites = words([0] * (SITES * SITE_WORDS))
    climb.base = bytearray(WINDOW * MAX_CALL_BYTES)
    climb.variant = bytearray(WINDOW * MAX_CALL_BYTES)
    climb.base_starts = words([0] * (WINDOW + 1))
    climb.variant_starts = words([0] * (WINDOW + 1))
    climb.rows = make_log()
    climb.heard = make_log()
    climb.places = words([0] * (MOST_PLACES * PLACE_WORDS))
    return climb


def forget_sites(climb: Climb) -> None:
    """Forget what other tasks have seen."""
    climb.sites = words([0] * (SITES * SITE_WORDS))


def make_log() -> Bytes:
    """Return a comparison log."""
    return bytearray(MOST_COMPARISONS * COMPARISON_ROW)


def write_log(log: Bytes, comparisons: Sequence[Comparison]) -> int:
    """Write comparisons as compiled code reads them; return how many there are."""
    for number, (kind, left, right, site) in enumerate(comparisons):
        row = number * COMPARISON_ROW
        store64(log, row + COMPARISON_KIND, kind)
        store64(log, row + COMPARISON_SITE, site)
        poke256(log, row + COMPARISON_LEFT, left)
        poke256(log, row + COMPARISON_RIGHT, right)
    return len(comparisons)

"""How many logical workers a campaign may have, and names of usual numbers."""

from __future__ import annotations

from typing import Any, Final

from echidna_mcp.config.campaign import WORKERS
from echidna_mcp.config.readers import (
    WrongValue,
    integer,
    number_or_text,
    or_default,
)
from echidna_mcp.wording import listed

PRESETS: Final = {"small": WORKERS, "medium": 64, "large": 256}
"""Each is enough for a machine with so many cores; see docs/configuration.md."""

MOST_WORKERS: Final = 4096
"""Far below what holds a worker's number (16 bits of `rounds.round`'s turn); each one
costs a line of every round that is stored."""

_NUMBER: Final = or_default(number_or_text(integer(0, MOST_WORKERS)), WORKERS)


def read_workers(value: Any) -> int:
    """Read a number of logical workers, or the name of one; 0 means no wish."""
    names = list(PRESETS)
    try:
        return PRESETS[value] if value in PRESETS else _NUMBER(value)
    except (TypeError, WrongValue):  # What has no hash is none either.
        raise WrongValue(
            f"a whole number from 0 to {MOST_WORKERS}, {listed(names, 'or')}",
            [value],
            names,
        ) from None

"""Logs that are emitted: recorded, and compared with those that are expected."""

from __future__ import annotations

from echidna_mcp.cheatcodes.expectations import match_log
from echidna_mcp.cheatcodes.held import Held


def note_log(
    held: Held, address: int, topics: tuple[int, ...], data: bytes
) -> str | None:
    """Hear of a log; return why the frame that emits it must revert, if it must."""
    reason = match_log(held, address, topics, data)
    recorded = held.recorded_logs
    if recorded is not None:
        held.recorded_logs = (*recorded, (topics, data, address))
    return reason

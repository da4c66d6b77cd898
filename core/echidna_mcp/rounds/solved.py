"""What the solver has found, as the rounds take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from echidna_mcp.errors import StoreError
from echidna_mcp.events.payloads import SolverAnswered
from echidna_mcp.rounds.call_codec import CallCodec

Solved: TypeAlias = Callable[[int], Sequence[SolverAnswered]]
"""Returns what the solver has found that takes effect in a round."""


def nothing_solved(_number: int) -> Sequence[SolverAnswered]:
    """Return that nothing was found; of a campaign without a solver."""
    return ()


def solved_records(codec: CallCodec, payload: SolverAnswered) -> list[bytes]:
    """Return the sequences of an answer that are calls of the campaign."""
    found = []
    for calls in payload["sequences"]:
        with suppress(StoreError):
            found.append(codec.sequence(calls))
    return found

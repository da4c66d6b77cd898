"""What Python reads of the records of a search."""

from __future__ import annotations

from echidna_mcp.evm.backend import CallResult, Status
from echidna_mcp.fuzz.records import call_function, call_length
from echidna_mcp.rounds.backend import MadeCalls, Passed
from echidna_mcp.rounds.call_codec import ending
from echidna_mcp.rounds.execution import calls_of
from echidna_mcp.rounds.tasks import Outcome
from echidna_mcp_plugins.native.search.passing import Passing
from echidna_mcp_plugins.native.search.state import DISCARDED, ENDED_WELL, Search


def passed(passing: Passing, state: Search) -> Passed | None:
    """Return what calls have shown; None if that is in doubt."""
    if passing.doubt:
        return None
    idle = [each != 0 for each in passing.idle[: passing.calls]]
    return Passed(
        endings=endings_of(passing),
        idle=idle if passing.watching else [],
        work=state.spent,
        broken=passing.broken != 0,
    )


def made_calls(
    passing: Passing, state: Search, sequence: bytearray, discards: int
) -> MadeCalls:
    """Return calls that were made, and have shown nothing.

    Args:
        passing: they.
        state: what they have spent.
        sequence: their records, as they ran, and perhaps others behind them.
        discards: how many calls before them were discarded.
    """
    functions, end = [], 0
    for _ in range(passing.calls):
        functions.append(call_function(sequence, end))
        end += call_length(sequence, end)
    discarded = [each == DISCARDED for each in state.endings[: passing.calls]]
    return MadeCalls(
        calls=calls_of(sequence[:end]),
        functions=functions,
        endings=endings_of(passing),
        discarded=discarded,
        discards=discards + sum(discarded),
        work=state.spent,
        reverts=state.spent_reverts,
        gas=state.spent_gas,
        steps=state.spent_steps,
    )


def endings_of(passing: Passing) -> list[Outcome]:
    """Return how calls have ended."""
    made = passing.calls
    ends = zip(passing.gas[:made], passing.statuses[:made], strict=True)
    return [ending(gas, Status(status)) for gas, status in ends]


def sampled(state: Search) -> tuple[bytes, CallResult] | None:
    """Return the call that was asked for, and what it did; None if none was made."""
    if not state.sampled_size:
        return None
    return bytes(state.sampled[: state.sampled_size]), CallResult(
        status=Status(state.sampled_status),
        output=bytes(state.sampled_output[: state.sampled_output_size]),
        gas_used=state.sampled_gas,
        steps=0,
    )


def base_endings(state: Search) -> tuple[tuple[bool, bool], ...]:
    """Return of the calls of the base of a climb whether they failed, and how."""
    endings = state.base_endings[: state.climb.calls]
    return tuple((each != ENDED_WELL, each == DISCARDED) for each in endings)

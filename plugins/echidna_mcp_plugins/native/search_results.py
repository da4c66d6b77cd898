"""What Python reads of the records of a search."""

from __future__ import annotations

from echidna_mcp.evm.backend import CallResult, Status
from echidna_mcp.rounds.backend import Passed
from echidna_mcp.rounds.call_codec import ending
from echidna_mcp_plugins.native.search.calls import CALL_WORK
from echidna_mcp_plugins.native.search.passing import Passing
from echidna_mcp_plugins.native.search.state import DISCARDED, ENDED_WELL, Search


def passed(passing: Passing) -> Passed | None:
    """Return what calls have shown; None if that is in doubt."""
    if passing.doubt:
        return None
    made = passing.calls
    idle = [each != 0 for each in passing.idle[:made]]
    return Passed(
        endings=[
            ending(gas, Status(status))
            for gas, status in zip(
                passing.gas[:made], passing.statuses[:made], strict=True
            )
        ],
        idle=idle if passing.watching else [],
        work=passing.steps + made * CALL_WORK,
        broken=passing.broken != 0,
    )


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

"""Calls that ask to be passed over: nothing is said of them."""

from __future__ import annotations

from echidna_mcp.cheatcodes.errors import ASSUME, SKIP
from echidna_mcp.evm.backend import CallResult, Status


def is_discarded(result: CallResult) -> bool:
    """Whether a call asked to be passed over, by `vm.assume` or `vm.skip`."""
    discarded = result.output == ASSUME or is_skipped(result)
    return result.status is Status.REVERT and discarded


def is_skipped(result: CallResult) -> bool:
    """Whether a call asked to be passed over for good, by `vm.skip`."""
    return result.status is Status.REVERT and result.output.startswith(SKIP)

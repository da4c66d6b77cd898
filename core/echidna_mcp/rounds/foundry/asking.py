"""Questions to a test contract of Foundry, once it is set up."""

from __future__ import annotations

from typing import Any, Final

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.types import Tuple
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.evm.backend import EvmBackend, Message
from echidna_mcp.program.target import FuzzTarget

_GAS: Final = 1 << 30
"""That of a block of Foundry."""


def answer_of(
    evm: EvmBackend, target: FuzzTarget, calldata: bytes, outputs: Tuple
) -> tuple[Any, ...] | None:
    """Call the target; return what it answers, None if it fails or answers otherwise.

    Args:
        evm: in the start state, which stays.
        target: its plan has been carried out.
        calldata: what it is asked.
        outputs: types of the answer.
    """
    before = evm.snapshot()
    result = evm.call(
        Message(
            sender=target.config.psender,
            to=target.config.contract_addr,
            data=calldata,
            gas=_GAS,
        )
    )
    evm.restore(before)
    if not result.status.succeeded:
        return None
    try:
        return decode_arguments(outputs, result.output)
    except InvalidInputError:
        return None

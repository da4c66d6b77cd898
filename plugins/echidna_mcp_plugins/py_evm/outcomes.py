"""How frames and messages of py-evm have ended, in the terms of the seam."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eth.exceptions import InvalidInstruction, OutOfGas, Revert, VMError

from echidna_mcp.evm.backend import Log, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.message import RawLog

_TRUE: Final = (1).to_bytes(32, "big")
_FALSE: Final = bytes(32)


def status_of(frame: Frame) -> Status:
    """Return how a frame has ended."""
    error = frame._error  # noqa: SLF001 - py-evm's own name; `error` asserts that there is one
    return success_status(frame.output) if error is None else fault_status(error)


def fault_status(fault: VMError) -> Status:
    """Return the status of a fault."""
    match fault:
        case Revert():
            return Status.REVERT
        case OutOfGas():
            return Status.OUT_OF_GAS
        case InvalidInstruction():
            return Status.INVALID_OPCODE
        case _:
            return Status.HALT


def success_status(output: bytes) -> Status:
    """Return the status of a success with this return data."""
    if output == _TRUE:
        return Status.RETURN_TRUE
    return Status.RETURN_FALSE if output == _FALSE else Status.STOP


def logs_of(raw: Iterable[RawLog]) -> tuple[Log, ...]:
    """Return logs as the seam has them."""
    return tuple(
        Log(
            int.from_bytes(address, "big"),
            tuple(topic.to_bytes(32, "big") for topic in topics),
            data,
        )
        for _, address, topics, data in raw
    )

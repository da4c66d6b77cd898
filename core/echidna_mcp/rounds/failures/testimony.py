"""What each call of a reproducer does on the reference EVM.

It is stored with the finding, so that whoever doubts it can hold any other EVM against
each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from eth_hash.auto import keccak

from echidna_mcp.abi.revert import AbiError, revert_reason
from echidna_mcp.cheatcodes.handlers.formats.rlp import (
    encode_items,
    encode_list,
    encode_string,
)
from echidna_mcp.events import payloads
from echidna_mcp.evm.backend import CallResult, Log, Status

LONGEST_OUTPUT: Final = 256
"""Bytes of an output that is stored as it is; eight words, or a reason of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestifiedCall:
    """What one call did.

    Attributes:
        number: in the sequence, from 1.
        reason: why it reverted, in words; None if it did not, or gave no reason.
        logs_hash: as `logs_hash` returns it.
    """

    number: int
    status: Status
    gas_used: int
    output: bytes
    reason: str | None
    logs_hash: bytes

    @classmethod
    def of(
        cls, number: int, result: CallResult, errors: Sequence[AbiError]
    ) -> TestifiedCall:
        """Return what is kept of a result.

        Args:
            number: of the call.
            result: what it did.
            errors: custom ones that it may have reverted with.
        """
        reverted = result.status is Status.REVERT
        return cls(
            number=number,
            status=result.status,
            gas_used=result.gas_used,
            output=result.output,
            reason=revert_reason(result.output, errors) if reverted else None,
            logs_hash=logs_hash(result.logs),
        )

    def to_json(self) -> payloads.ConfirmedCall:
        """Return the JSON form that events hold."""
        told: payloads.ConfirmedCall = {
            "call": self.number,
            "result": cast("payloads.CallResult", self.status.name),
            "gasUsed": self.gas_used,
            "logsHash": "0x" + self.logs_hash.hex(),
        }
        if self.reason is not None:
            told["reason"] = self.reason
        if len(self.output) <= LONGEST_OUTPUT:
            told["output"] = "0x" + self.output.hex()
        else:
            told["outputHash"] = "0x" + keccak(self.output).hex()
        return told


def logs_hash(logs: Sequence[Log]) -> bytes:
    """Return keccak-256 of the RLP of logs, each as (address, topics, data).

    So the official state tests of Ethereum tell logs (`logs` of a post state).
    """
    encoded = (
        encode_items(
            (
                encode_string(log.address.to_bytes(20, "big")),
                encode_list(log.topics),
                encode_string(log.data),
            )
        )
        for log in logs
    )
    return keccak(encode_items(encoded))

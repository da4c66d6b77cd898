"""What a node tells of a transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from echidna_mcp_plugins.circular.identifiers import bare


class Status(StrEnum):
    """How far a transaction is."""

    PENDING = "Pending"
    VERIFIED = "Verified"
    EXECUTED = "Executed"
    FAILED = "Failed"

    @classmethod
    def of(cls, text: str) -> Status:
        """Return the status that a node calls `text`; what is unknown is not final."""
        word = text.lower()
        if word.startswith(("rejected", "failed")):
            return cls.FAILED
        for status in cls:
            if word == status.value.lower():
                return status
        return cls.PENDING


@dataclass(frozen=True, slots=True)
class ChainTransaction:
    """A transaction as the chain has it.

    Attributes:
        id: 64 hexadecimal digits.
        status: how far it is.
        block: number of its block, None as long as it is in none.
        sender: address.
        timestamp: when its sender made it, in the form of the protocol.
        kind: type of the transaction; empty if the node tells none.
        payload: hexadecimal digits.
    """

    id: str
    status: Status
    block: str | None
    sender: str
    timestamp: str
    kind: str
    payload: str = field(repr=False)

    @classmethod
    def of(cls, response: dict[str, Any], wanted: str) -> Self:
        """Read the `Response` of a look-up."""
        texts = {name: str(response.get(name) or "") for name in _NAMES}
        number = response.get("BlockID")
        return cls(
            id=wanted,
            status=Status.of(texts["Status"]),
            block=None if number is None or number == "" else str(number),
            sender=bare(texts["From"]).lower(),
            timestamp=texts["Timestamp"],
            kind=texts["Type"],
            payload=bare(texts["Payload"]),
        )

    def certified(self) -> str | None:
        """Return the certified data in hexadecimal digits; None if there is none."""
        try:
            certificate = json.loads(bytes.fromhex(self.payload))
            found = bare(certificate["Data"])
            bytes.fromhex(found)
        except (ValueError, KeyError, TypeError):
            return None
        return found.lower()


_NAMES = ("Status", "From", "Timestamp", "Type", "Payload")

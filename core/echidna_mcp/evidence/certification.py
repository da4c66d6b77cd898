"""Certification: the digest of a sealed document is written to a chain.

It goes the way that an agent would go: through the tools of the family `circular`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.errors import EvidenceError, InvalidInputError, UsageError
from echidna_mcp.evidence.sealing import append

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.events.payloads import EventType
    from echidna_mcp.events.store import EventStore
    from echidna_mcp.evidence.sealing import Sealed
    from echidna_mcp.tools.service import ToolOutcome, ToolService

TOOLS: Final = ("certify_data", "get_transaction_status", "get_certification_proof")
"""The tools that are called, one after the other."""

_PREFIX: Final = "echidna-mcp evidence v1 sha256:"

_TRANSACTION: Final = re.compile("[0-9a-f]{64}")
"""What names a transaction, and the file of what it certifies."""


@dataclass(frozen=True, slots=True)
class Certified:
    """A certification as it is stored.

    Attributes:
        transaction: its id.
        network: where it is.
        backend: `local-devnet` if that network is on this machine.
        proof: what `get_certification_proof` gave.
    """

    transaction: str
    network: str
    backend: str
    proof: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, for the file of the evidence."""
        return {
            "transaction": self.transaction,
            "network": self.network,
            "backend": self.backend,
            "proof": dict(self.proof),
        }


class CertificationError(UsageError):
    """A tool failed; the document stays sealed, and can be certified later."""


def certified_text(sha256: str) -> str:
    """Return what is certified for a document: its digest, and whose it is."""
    return f"{_PREFIX}{sha256}"


async def certify(
    store: EventStore, sealed: Sealed, tools: ToolService, network: str
) -> Certified:
    """Certify a sealed document, and wait until it is in a block.

    What the chain that is reached has already is not certified again. Which chain that
    is, only it can say: the same name of a network may lead to a devnet today, and to
    the public one tomorrow. So it is asked for what was sent before.

    Args:
        store: where the document is sealed; the steps are stored there as events.
        tools: offer `TOOLS`.
        network: `testnet` or `mainnet`.

    Raises:
        CertificationError: a tool failed; that is stored, too.
        EvidenceError: what the store says of earlier certifications can't be.
        StoreError: the store can't be read or written.
    """
    steps = _Steps(store, sealed.sha256, tools, network)
    sent = await steps.find()
    if sent is None:
        sent = await steps.send(certified_text(sealed.sha256))
    for done in certifications(store, sealed.sha256):
        if (done.transaction, done.network, done.backend) == sent:
            return done
    return await steps.finish(*sent)


def certifications(store: EventStore, sha256: str) -> list[Certified]:
    """Return the certifications of a document that are in a block, oldest first.

    Raises:
        EvidenceError: one names no transaction.
        StoreError: the store can't be read.
    """
    submitted: dict[str, Mapping[str, Any]] = {}
    found = []
    for event in store.read(types=("CertificationSubmitted", "CertificationExecuted")):
        if event.payload["sha256"] != sha256:
            continue
        transaction = str(event.payload["transaction"])
        if not _TRANSACTION.fullmatch(transaction):
            raise EvidenceError(
                "certification",
                f"Event {event.seq} of the store {store.path} names a transaction that "
                "has not 64 hexadecimal digits, so echidna-mcp did not write it; use a "
                "store that is as it was.",
            )
        if event.type == "CertificationSubmitted":
            submitted[transaction] = event.payload
        elif transaction in submitted:
            certified = Certified(
                transaction,
                submitted[transaction]["network"],
                submitted[transaction]["backend"],
                event.payload["proof"],
            )
            found.append(certified)
    return found


@dataclass(slots=True)
class _Steps:
    """Calls of tools; one that fails is stored.

    Attributes:
        elsewhere: how many certifications of this document another chain has, which
            goes by the same name of a network.
    """

    store: EventStore
    sha256: str
    tools: ToolService
    network: str
    transaction: str | None = None
    elsewhere: int = 0

    async def find(self) -> tuple[str, str, str] | None:
        """Return transaction, network and back end of what the chain has, if it has."""
        certified = {
            each.transaction
            for each in certifications(self.store, self.sha256)
            if each.network == self.network
        }
        for transaction in self._submitted():
            outcome = await self.tools.call(
                "get_transaction_status",
                {
                    "transaction_id": transaction,
                    "network": self.network,
                    "wait_for_execution": False,
                },
            )
            if outcome.failure is None:
                if outcome.content["status"] != "Failed":
                    return self._sent(transaction, outcome)
            elif outcome.failure.code != InvalidInputError.code:
                # Not to be taken for "there is none": that would certify it twice.
                raise self._failed("get_transaction_status", outcome)
            elif transaction in certified:
                self.elsewhere += 1
        return None

    async def send(self, text: str) -> tuple[str, str, str]:
        """Have a text certified; return transaction, network and back end."""
        # Under another key on each chain: under one, the bytes that another chain has
        # would be sent again, and one transaction would be two certifications.
        outcome = await self._call(
            "certify_data",
            {"data": text, "network": self.network},
            key=f"evidence {self.network} {self.elsewhere} {self.sha256}",
        )
        transaction = outcome.content["transaction_id"]
        if not _TRANSACTION.fullmatch(transaction):
            raise CertificationError(
                "certify_data gave the id of no transaction, which has 64 hexadecimal "
                "digits; use the plugins of the set circular."
            )
        return self._sent(transaction, outcome)

    async def finish(self, transaction: str, network: str, backend: str) -> Certified:
        """Wait until a transaction is in a block; return the proof."""
        self.transaction = transaction
        submitted = {"transaction": transaction, "network": network, "backend": backend}
        self._append("CertificationSubmitted", submitted)
        where = {"transaction_id": transaction, "network": network}
        await self._call("get_transaction_status", where)
        outcome = await self._call(
            "get_certification_proof", {**where, "include_data": True}
        )
        proof = outcome.content
        self._append(
            "CertificationExecuted", {"transaction": transaction, "proof": proof}
        )
        return Certified(proof=proof, **submitted)

    def _submitted(self) -> list[str]:
        """Return what was sent to the network of this name, the newest first."""
        sent = [
            event.payload["transaction"]
            for event in self.store.read(types=("CertificationSubmitted",))
            if event.payload["sha256"] == self.sha256
            and event.payload["network"] == self.network
        ]
        return list(dict.fromkeys(reversed(sent)))

    def _sent(self, transaction: str, outcome: ToolOutcome) -> tuple[str, str, str]:
        return transaction, self.network, str(outcome.meta.get("backend", ""))

    async def _call(
        self, tool: str, arguments: dict[str, Any], key: str | None = None
    ) -> ToolOutcome:
        outcome = await self.tools.call(tool, arguments, key=key)
        if outcome.failure is not None:
            raise self._failed(tool, outcome)
        return outcome

    def _failed(self, tool: str, outcome: ToolOutcome) -> CertificationError:
        """Store that a tool failed; return what to raise."""
        message = "" if outcome.failure is None else outcome.failure.message
        failed = {"tool": tool, "message": message}
        if self.transaction is not None:
            failed["transaction"] = self.transaction
        self._append("CertificationFailed", failed)
        return CertificationError(f"{tool} failed: {message}")

    def _append(self, kind: EventType, payload: dict[str, Any]) -> None:
        append(self.store, kind, {"sha256": self.sha256, **payload})

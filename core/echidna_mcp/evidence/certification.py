"""Certification: the digest of a sealed document is written to a chain.

It goes the way that an agent would go: through the tools of the family `circular`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.errors import UsageError
from echidna_mcp.evidence.sealing import append

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.events.store import EventStore
    from echidna_mcp.evidence.sealing import Sealed
    from echidna_mcp.tools.service import ToolOutcome, ToolService

TOOLS: Final = ("certify_data", "get_transaction_status", "get_certification_proof")
"""The tools that are called, one after the other."""

_PREFIX: Final = "echidna-mcp evidence v1 sha256:"


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

    What was certified before is not certified again.

    Args:
        store: where the document is sealed; the steps are stored there as events.
        tools: offer `TOOLS`.
        network: `testnet` or `mainnet`.

    Raises:
        CertificationError: a tool failed; that is stored, too.
        StoreError: the store can't be written.
    """
    done = find_certified(store, sealed.sha256)
    if done is not None and done.network == network:
        return done
    steps = _Steps(store, sealed.sha256, tools)
    outcome = await steps.call(
        "certify_data",
        {"data": certified_text(sealed.sha256), "network": network},
        key=f"evidence {network} {sealed.sha256}",
    )
    transaction = outcome.content["transaction_id"]
    steps.transaction = transaction
    backend = str(outcome.meta.get("backend", ""))
    submitted = {"transaction": transaction, "network": network, "backend": backend}
    append(store, "CertificationSubmitted", {"sha256": sealed.sha256, **submitted})
    where = {"transaction_id": transaction, "network": network}
    await steps.call("get_transaction_status", where)
    outcome = await steps.call(
        "get_certification_proof", {**where, "include_data": True}
    )
    proof = outcome.content
    executed = {"sha256": sealed.sha256, "transaction": transaction, "proof": proof}
    append(store, "CertificationExecuted", executed)
    return Certified(proof=proof, **submitted)


def find_certified(store: EventStore, sha256: str) -> Certified | None:
    """Return the newest certification of a document that is in a block, if any is."""
    submitted: dict[str, Mapping[str, Any]] = {}
    found = None
    for event in store.read(types=("CertificationSubmitted", "CertificationExecuted")):
        if event.payload["sha256"] != sha256:
            continue
        transaction = event.payload["transaction"]
        if event.type == "CertificationSubmitted":
            submitted[transaction] = event.payload
        elif transaction in submitted:
            found = Certified(
                transaction,
                submitted[transaction]["network"],
                submitted[transaction]["backend"],
                event.payload["proof"],
            )
    return found


@dataclass(slots=True)
class _Steps:
    """Calls of tools; one that fails is stored."""

    store: EventStore
    sha256: str
    tools: ToolService
    transaction: str | None = None

    async def call(
        self, tool: str, arguments: dict[str, Any], key: str | None = None
    ) -> ToolOutcome:
        outcome = await self.tools.call(tool, arguments, key=key)
        if outcome.failure is None:
            return outcome
        failed = {
            "sha256": self.sha256,
            "tool": tool,
            "message": outcome.failure.message,
        }
        if self.transaction is not None:
            failed["transaction"] = self.transaction
        append(self.store, "CertificationFailed", failed)
        raise CertificationError(
            f"{tool} failed: {outcome.failure.message} The evidence is sealed; "
            "`echidna-mcp seal --certify` goes on with it."
        )

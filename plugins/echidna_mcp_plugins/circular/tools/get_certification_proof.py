"""What shows others that data was certified, and when."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from echidna_mcp_plugins.circular.chain_view import Status
from echidna_mcp_plugins.circular.errors import invalid_input, unavailable
from echidna_mcp_plugins.circular.nag import not_found
from echidna_mcp_plugins.circular.tools.look_up import check_id, failed, time_of
from echidna_mcp_plugins.circular.tools.outcome import Outcome
from echidna_mcp_plugins.circular.tools.session import Session
from echidna_mcp_plugins.circular.transaction import CERTIFICATE


async def get_certification_proof(
    session: Session,
    *,
    transaction_id: str,
    network: str,
    include_data: bool = False,
) -> Outcome:
    """Return the proof of an executed certification.

    Args:
        session: networks.
        transaction_id: 64 hexadecimal digits, with or without `0x`.
        network: `testnet` or `mainnet`.
        include_data: whether the certified data is in it, in hexadecimal digits.

    Raises:
        CircularError: INVALID_INPUT, there is none, it is no certification or not
            executed yet; TRANSACTION_FAILED; or the service fails.
    """
    identity = check_id(transaction_id)
    nag = session.nag(network)
    found = await nag.find(identity)
    if found is None:
        raise not_found(identity, nag.network)
    if found.kind not in {"", CERTIFICATE}:
        raise invalid_input(f"Transaction {identity} certifies no data: name another.")
    if found.status is Status.FAILED:
        raise failed(identity)
    if found.status is not Status.EXECUTED or found.block is None:
        raise invalid_input(
            f"Transaction {identity} is not executed yet.",
            retry_suggestion="Wait with get_transaction_status, then ask again.",
        )
    session.journal.executed(identity)
    where = {"network": network, "tx": identity}
    result: dict[str, Any] = {
        "transaction_id": transaction_id,
        "block_id": found.block,
        "timestamp": await time_of(nag, found),
        "explorer_url": f"{(await nag.gateway()).explorer}?{urlencode(where)}",
        "network": network,
    }
    if found.block.isdecimal():
        result["block_height"] = int(found.block)
    if found.sender:
        result["sender"] = found.sender
    if include_data:
        data = found.certified()
        if data is None:
            raise unavailable(f"The node tells no data of transaction {identity}.")
        result["certified_data"] = data
    return Outcome(result, await session.meta(nag))

"""The number of the next transaction of a wallet."""

from __future__ import annotations

from echidna_mcp_plugins.circular.timestamps import rfc3339
from echidna_mcp_plugins.circular.tools.outcome import Outcome
from echidna_mcp_plugins.circular.tools.session import Session
from echidna_mcp_plugins.circular.wallets import check_address


async def get_wallet_nonce(
    session: Session, *, wallet_address: str, network: str
) -> Outcome:
    """Return the nonce that the next transaction of a wallet must have.

    The node tells the last one that was used; the next one is one more.

    Args:
        session: networks.
        wallet_address: 64 hexadecimal digits, with or without `0x`.
        network: `testnet` or `mainnet`.

    Raises:
        CircularError: INVALID_ADDRESS, INVALID_INPUT, or the service fails.
    """
    address = check_address(wallet_address)
    nag = session.nag(network)
    last = await nag.last_nonce(address)
    result = {
        "wallet_address": wallet_address,
        "current_nonce": last + 1,
        "network": network,
        "last_updated": rfc3339(session.timing.now()),
    }
    return Outcome(result, await session.meta(nag))

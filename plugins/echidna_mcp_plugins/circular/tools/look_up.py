"""Parts of what looks for a transaction."""

from __future__ import annotations

from echidna_mcp_plugins.circular.chain_view import ChainTransaction
from echidna_mcp_plugins.circular.errors import CircularError, ErrorType, invalid_input
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.nag import Nag


def check_id(text: str) -> str:
    """Return an id in lower case, without `0x`.

    Raises:
        CircularError: INVALID_INPUT, it has not 64 hexadecimal digits.
    """
    found = digest_of(text)
    if found is None:
        raise invalid_input("The id of a transaction must have 64 hexadecimal digits.")
    return found


async def time_of(nag: Nag, found: ChainTransaction) -> str:
    """Return when a transaction was executed, in the form of the protocol.

    That is the time of its block. If the node does not tell it, it is the time that the
    sender wrote, which is earlier.
    """
    told = None if found.block is None else await nag.block_time(found.block)
    return found.timestamp if told is None else told


def failed(identity: str) -> CircularError:
    """Return the failure of a transaction that the chain rejected."""
    return CircularError(
        ErrorType.TRANSACTION_FAILED,
        f"The chain rejected transaction {identity}: nothing was certified.",
    )

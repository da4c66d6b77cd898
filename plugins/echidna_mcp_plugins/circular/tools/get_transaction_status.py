"""How far a transaction is, and waiting until it is executed."""

from __future__ import annotations

from typing import Any

from echidna_mcp_plugins.circular.chain_view import ChainTransaction, Status
from echidna_mcp_plugins.circular.errors import CircularError, ErrorType
from echidna_mcp_plugins.circular.nag import Nag, not_found
from echidna_mcp_plugins.circular.timestamps import parse_circular_time, rfc3339
from echidna_mcp_plugins.circular.tools.look_up import check_id, failed, time_of
from echidna_mcp_plugins.circular.tools.outcome import Outcome, Progress
from echidna_mcp_plugins.circular.tools.session import Session


async def get_transaction_status(
    session: Session,
    *,
    transaction_id: str,
    network: str,
    wait_for_execution: bool = True,
    progress: Progress | None = None,
) -> Outcome:
    """Return how far a transaction is.

    Waiting looks twelve times, every five seconds, for one minute in all; it can be
    cancelled at any time and leaves nothing behind.

    Args:
        session: networks.
        transaction_id: 64 hexadecimal digits, with or without `0x`.
        network: `testnet` or `mainnet`.
        wait_for_execution: whether to wait until it is executed or has failed.
        progress: is told after each look.

    Raises:
        CircularError: TRANSACTION_TIMEOUT or TRANSACTION_FAILED when it was waited
            for; INVALID_INPUT, there is none; or the service fails.
    """
    identity = check_id(transaction_id)
    nag = session.nag(network)
    found = (
        await _wait(session, nag, identity, progress)
        if wait_for_execution
        else await nag.find(identity)
    )
    if found is None:
        raise not_found(identity, nag.network)
    result: dict[str, Any] = {
        "transaction_id": transaction_id,
        "status": found.status.value,
        "network": network,
    }
    if found.status is Status.EXECUTED:
        session.journal.executed(identity)
        result |= await _execution(nag, found)
    return Outcome(result, await session.meta(nag))


async def _wait(
    session: Session, nag: Nag, identity: str, progress: Progress | None
) -> ChainTransaction | None:
    """Return a transaction that is executed; None if it was never seen."""
    timing = session.timing
    began = timing.clock()
    seen, since = session.journal.knows(identity), 1
    for look in range(1, timing.polls + 1):
        # What is older than the first look was found then, or does not exist.
        newest = await nag.block_count() - 1 if look == 1 else since
        found = await nag.find(identity, since=since)
        since = max(newest, 1)
        if found is not None:
            seen = True
            if found.status is Status.EXECUTED:
                return found
            if found.status is Status.FAILED:
                raise failed(identity)
        if progress is not None:
            status = "not seen yet" if found is None else found.status.value
            await progress(look, timing.polls, f"Transaction {identity}: {status}")
        passed = timing.clock() - began
        if passed >= timing.polls * timing.poll_seconds:
            break  # The looks themselves took all of the time.
        await timing.sleep(max(look * timing.poll_seconds - passed, 0.0))
    if not seen:
        return None
    raise CircularError(
        ErrorType.TRANSACTION_TIMEOUT,
        f"Transaction {identity} was not executed within"
        f" {timing.polls * timing.poll_seconds:g} s.",
    )


async def _execution(nag: Nag, found: ChainTransaction) -> dict[str, Any]:
    block = found.block
    timestamp = await time_of(nag, found)
    moment = parse_circular_time(timestamp)
    about: dict[str, Any] = {"timestamp": timestamp}
    if block is not None:
        about["block_id"] = block
        if block.isdecimal():
            # The block of the transaction counts as the first one.
            count = await nag.block_count() - int(block)
            about["confirmations"] = max(count, 0)
    if moment is not None:
        about["executed_at"] = rfc3339(moment)
    return about

"""Check the store of a campaign before anything is built on it."""

from __future__ import annotations

from pathlib import Path

from echidna_mcp.errors import StoreTamperedError
from echidna_mcp.events.store import EventStore
from echidna_mcp.events.verification import Verification, verify

_LAST_IN_COMMIT = frozenset(
    {
        "WorkerStarted",
        "CommandAccepted",
        "CommandRefused",
        "RoundCommitted",
        "CampaignStopped",
    }
)
"""What a commit of a campaign ends with; a store never ends with another event."""


def verify_campaign(path: Path, *, other_log: bool = False) -> Verification:
    """Check every row of a store, and that it ends where a commit does.

    Args:
        path: the store; it may be in use.
        other_log: as for `verify`.

    Raises:
        StoreTamperedError: something was changed or cut off.
        StoreError: the store can't be read.
    """
    found = verify(path, other_log=other_log)
    with EventStore.read_only(path) as store:
        last = store.last()
    if last is not None and last.type not in _LAST_IN_COMMIT:
        raise StoreTamperedError(
            f"The store {path} was changed by another program: its end was cut off, "
            f"because no commit ends with {last.type}.",
            seq=last.seq,
        )
    return found

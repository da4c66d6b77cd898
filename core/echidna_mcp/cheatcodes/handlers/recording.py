"""`recordLogs`, `record`, `accesses`: what calls have emitted, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.cheatcodes.held import Accesses
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


@cheat("recordLogs()")
def record_logs(cheats: Cheats, _site: Site) -> None:
    """Record logs from now on."""
    cheats.held.recorded_logs = ()


@cheat("getRecordedLogs()", returns="((bytes32[],bytes,address)[])")
def get_recorded_logs(cheats: Cheats, _site: Site) -> tuple[Any, ...]:
    """Return and forget the logs that were recorded; go on if it was asked for."""
    recorded = cheats.held.recorded_logs
    if recorded is not None:
        cheats.held.recorded_logs = ()
    return (
        tuple(
            (tuple(topic.to_bytes(32, "big") for topic in topics), data, address)
            for topics, data, address in recorded or ()
        ),
    )


@cheat("record()")
def record(cheats: Cheats, _site: Site) -> None:
    """Record from now on which storage words are read and written."""
    cheats.held.accesses = Accesses()


@cheat("stopRecord()")
def stop_record(cheats: Cheats, _site: Site) -> None:
    """Stop that; `accesses` goes on telling what it was."""
    held = cheats.held
    held.accesses, held.last_accesses = None, held.accesses or held.last_accesses


@cheat("accesses(address)", returns="(bytes32[],bytes32[])")
def accesses(cheats: Cheats, _site: Site, address: int) -> tuple[Any, Any]:
    """Return the slots of an account that were read, and those that were written."""
    held = cheats.held
    found = held.accesses or held.last_accesses or Accesses()
    return _slots(found.reads, address), _slots(found.writes, address)


def _slots(places: tuple[tuple[int, int], ...], address: int) -> tuple[bytes, ...]:
    return tuple(slot.to_bytes(32, "big") for who, slot in places if who == address)

"""`recordLogs`, `record`, `startMappingRecording`: what calls emit, read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.cheatcodes.held import Accesses
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.mappings import mappings_of
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


# -------------------------------------------------------------------------- mappings


@cheat("startMappingRecording()")
def start_mapping_recording(cheats: Cheats, _site: Site) -> None:
    """Record from now on which slots belong to mappings; go on if that is so."""
    cheats.held.maps = True


@cheat("stopMappingRecording()")
def stop_mapping_recording(cheats: Cheats, _site: Site) -> None:
    """Stop that, and forget what it was."""
    cheats.held.maps, cheats.held.noted = False, None


@cheat("getMappingLength(address,bytes32)", returns="(uint256)")
def get_mapping_length(
    cheats: Cheats, _site: Site, address: int, slot: bytes
) -> tuple[int]:
    """Return how many members of a mapping were written."""
    return (len(_members(cheats, address, slot)),)


@cheat("getMappingSlotAt(address,bytes32,uint256)", returns="(bytes32)")
def get_mapping_slot_at(
    cheats: Cheats, _site: Site, address: int, slot: bytes, index: int
) -> tuple[bytes]:
    """Return the slot of one of them; 0 if there are not as many."""
    members = _members(cheats, address, slot)
    found = members[index] if index < len(members) else 0
    return (found.to_bytes(32, "big"),)


@cheat("getMappingKeyAndParentOf(address,bytes32)", returns="(bool,bytes32,bytes32)")
def get_mapping_key_and_parent_of(
    cheats: Cheats, _site: Site, address: int, slot: bytes
) -> tuple[bool, bytes, bytes]:
    """Tell whether a slot is of a mapping, its key, and the slot of the mapping."""
    found = mappings_of(cheats.held, address).hashed.get(int.from_bytes(slot, "big"))
    key, parent = found or (0, 0)
    return found is not None, key.to_bytes(32, "big"), parent.to_bytes(32, "big")


def _members(cheats: Cheats, address: int, slot: bytes) -> list[int]:
    children = mappings_of(cheats.held, address).children
    return children.get(int.from_bytes(slot, "big"), [])

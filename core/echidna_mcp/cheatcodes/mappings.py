"""`startMappingRecording`: which slots of storage belong to which mappings.

A frame that hashes a key and a slot, and later writes to the slot of that hash, has
written to a mapping. What frames do is noted, and looked through when somebody asks.

Source: Foundry, `crates/cheatcodes/src/evm/mapping.rs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from echidna_mcp.cheatcodes.held import Held, Noted

_WORD = 32


def note_hash(held: Held, address: int, words: bytes, result: int) -> None:
    """Hear that a frame has hashed two words."""
    if held.maps:
        key, parent = words[:_WORD], words[_WORD:]
        held.noted = Noted(
            *(held.noted, address, result),
            *(int.from_bytes(key, "big"), int.from_bytes(parent, "big")),
        )


def note_write(held: Held, address: int, slot: int) -> None:
    """Hear that a frame has written to a slot."""
    if held.maps:
        held.noted = Noted(held.noted, address, slot)


@dataclass(frozen=True, slots=True)
class Mappings:
    """The mappings of an account.

    Attributes:
        hashed: by hash, the key and the slot, which was the last of the two words.
        written: hashes that are slots which were written, or their parents.
        children: those of each parent, in the order of their first write.
    """

    hashed: dict[int, tuple[int, int]] = field(default_factory=dict)
    written: set[int] = field(default_factory=set)
    children: dict[int, list[int]] = field(default_factory=dict)

    def write(self, slot: int) -> None:
        """Enter a slot and those that it is below of, if they are of mappings."""
        while slot in self.hashed and slot not in self.written:
            self.written.add(slot)
            _, parent = self.hashed[slot]
            self.children.setdefault(parent, []).append(slot)
            slot = parent


def mappings_of(held: Held, address: int) -> Mappings:
    """Return what was recorded of an account."""
    notes = []
    noted = held.noted
    while noted is not None:
        if noted.address == address:
            notes.append(noted)
        noted = noted.before
    found = Mappings()
    for each in reversed(notes):
        if each.key is None or each.parent is None:
            found.write(each.slot)
        else:
            found.hashed[each.slot] = each.key, each.parent
    return found

"""Words of storage by the variables in them.

Source: Solidity documentation, "Layout of State Variables in Storage", and the JSON of
`storageLayout`. Mappings and dynamic arrays lie at hashes of their slots; of which they
are, what was hashed while the sequence ran says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eth_hash.auto import keccak

from echidna_mcp.abi.render import Naming, quote
from echidna_mcp.evm.frames import StorageWrite
from echidna_mcp.traces.model import StorageChange

_WORD: Final = 32
_FARTHEST: Final = 1 << 64
"""Slots from the hash at which something begins; no array is longer."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What lies in a word, or begins there.

    Attributes:
        name: as it would be written in the source.
        type: its key in `types`.
        offset: bytes from the right.
        data: whether it is a part of the data of a long text, which lies elsewhere.
    """

    name: str
    type: str
    offset: int = 0
    data: bool = False


class StorageNames:
    """Finds the variables of one contract."""

    def __init__(
        self, layout: Mapping[str, Any], preimages: Mapping[int, bytes], naming: Naming
    ) -> None:
        """Prepare to find variables.

        Args:
            layout: `storageLayout` of the contract.
            preimages: what was hashed, by its hash.
            naming: what is written for addresses.
        """
        self._variables: Sequence[Mapping[str, Any]] = layout["storage"]
        self._types: Mapping[str, Mapping[str, Any]] = layout["types"] or {}
        self._naming = naming
        hashed = dict(preimages)
        for each in self._variables:
            # The compiler may have known the hash of a slot that it knows.
            if self._encoding(each["type"]) in ("dynamic_array", "bytes"):
                slot = int(each["slot"]).to_bytes(_WORD, "big")
                hashed[int.from_bytes(keccak(slot), "big")] = slot
        self._hashed = hashed
        self._hashes = sorted(hashed)

    def changes(self, write: StorageWrite) -> list[StorageChange]:
        """Return the variables that a write has changed; empty if none is known."""
        return [
            StorageChange(
                name=self._name(part), before=before, after=after, write=write
            )
            for part in self._parts(write.slot)
            if self._encoding(part.type) != "mapping"
            for before, after in [
                (self._value(part, write.before), self._value(part, write.after))
            ]
            if before != after
        ]

    def _name(self, part: _Part) -> str:
        is_length = self._encoding(part.type) == "dynamic_array"
        return f"{part.name}.length" if is_length else part.name

    # ------------------------------------------------------------------------- places

    def _parts(self, slot: int) -> Iterator[_Part]:
        """Yield what lies in a slot."""
        known = False
        for each in self._variables:
            begin = int(each["slot"])
            if begin <= slot < begin + self._slots(each["type"]):
                known = True
                yield from self._within(
                    _Part(each["label"], each["type"], each["offset"]), slot - begin
                )
        at = bisect_right(self._hashes, slot) - 1
        if not known and at >= 0 and slot - self._hashes[at] < _FARTHEST:
            begin = self._hashes[at]
            yield from self._behind(self._hashed[begin], slot - begin)

    def _within(self, part: _Part, slot: int) -> Iterator[_Part]:
        """Yield what lies in a slot of a variable, counted from its first one."""
        kind = self._types[part.type]
        if "members" in kind:
            for each in kind["members"]:
                begin = int(each["slot"])
                if begin <= slot < begin + self._slots(each["type"]):
                    name = f"{part.name}.{each['label']}"
                    member = _Part(name, each["type"], each["offset"])
                    yield from self._within(member, slot - begin)
        elif "base" in kind and kind["encoding"] == "inplace":
            length = int(kind["label"].rpartition("[")[2].rstrip("]"))
            yield from self._elements(part.name, kind["base"], slot, length)
        else:
            yield part

    def _behind(self, hashed: bytes, slot: int) -> Iterator[_Part]:
        """Yield what lies in a slot that counts from a hash."""
        base = int.from_bytes(hashed[-_WORD:], "big")
        key = hashed[:-_WORD]
        for part in self._parts(base):
            kind = self._types[part.type]
            if kind["encoding"] == "mapping" and key:
                name = f"{part.name}[{self._key(kind['key'], key)}]"
                yield from self._within(_Part(name, kind["value"]), slot)
            elif kind["encoding"] == "dynamic_array" and not key:
                yield from self._elements(part.name, kind["base"], slot, _FARTHEST)
            elif kind["encoding"] == "bytes" and not key:
                begin = slot * _WORD
                name = f"{part.name}[{begin}:{begin + _WORD}]"
                yield _Part(name, part.type, data=True)

    def _elements(
        self, name: str, base: str, slot: int, length: int
    ) -> Iterator[_Part]:
        """Yield the elements of an array in one of its slots."""
        size = int(self._types[base]["numberOfBytes"])
        if size > _WORD // 2:
            index, rest = divmod(slot, self._slots(base))
            yield from self._within(_Part(f"{name}[{index}]", base), rest)
            return
        each_slot = _WORD // size
        first = slot * each_slot
        for index in range(first, min(first + each_slot, length)):
            offset = (index - first) * size
            yield from self._within(_Part(f"{name}[{index}]", base, offset), 0)

    def _slots(self, kind: str) -> int:
        return -(-int(self._types[kind]["numberOfBytes"]) // _WORD)

    def _encoding(self, kind: str) -> str:
        return str(self._types[kind]["encoding"])

    # ------------------------------------------------------------------------- values

    def _value(self, part: _Part, word: int) -> str:
        """Return what a word holds of a variable."""
        encoding = self._encoding(part.type)
        if part.data:
            data = word.to_bytes(_WORD, "big")
            is_text = part.type.startswith("t_string")
            return quote(data.rstrip(b"\0")) if is_text else f"0x{data.hex()}"
        if encoding == "dynamic_array":
            return str(word)
        if encoding == "bytes":
            return self._text(part.type, word)
        size = int(self._types[part.type]["numberOfBytes"])
        number = (word >> 8 * part.offset) & ((1 << 8 * size) - 1)
        return self._elementary(part.type, number, size)

    def _text(self, kind: str, word: int) -> str:
        """Return a short text or bytes, or how long it is."""
        if word & 1:
            return f"{word >> 1} bytes"
        data = word.to_bytes(_WORD, "big")[: (word & 0xFF) >> 1]
        return quote(data) if kind.startswith("t_string") else f"0x{data.hex()}"

    def _elementary(self, kind: str, number: int, size: int) -> str:
        if kind.startswith(("t_address", "t_contract")):
            return self._naming(number)
        if kind.startswith("t_bool"):
            return "true" if number else "false"
        if kind.startswith(("t_bytes", "t_function")):
            return f"0x{number.to_bytes(size, 'big').hex()}"
        if kind.startswith("t_int") and number >> 8 * size - 1:
            return str(number - (1 << 8 * size))
        return str(number)

    def _key(self, kind: str, data: bytes) -> str:
        """Return a key of a mapping; those of elementary types are a word."""
        if self._encoding(kind) == "bytes":
            is_text = kind.startswith("t_string")
            return quote(data) if is_text else f"0x{data.hex()}"
        size = int(self._types[kind]["numberOfBytes"])
        # Bytes stand on the left, everything else on the right.
        left = kind.startswith("t_bytes")
        word = data[:size] if left else data[-size:]
        return self._elementary(kind, int.from_bytes(word, "big"), size)

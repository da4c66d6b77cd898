"""Instructions of bytecode, and where they come from.

Source of the format: Solidity documentation, "Source Mappings": entries `s:l:f:j:m`
separated by `;`, one for each instruction, where an empty or missing field repeats the
one before. Only `s`, `l` and `f` matter here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

PUSH1 = 0x60
PUSH32 = 0x7F

_METADATA_KEYS = re.compile(rb"\x64(ipfs|solc)|\x65(bzzr0|bzzr1|vyper)|experimental")
_METADATA_MAX = 512
# CBOR heads: a map of one to seven keys (solc), an array of up to seven (Vyper).
_METADATA_HEADS = (*range(0xA1, 0xA8), *range(0x81, 0x88))


class MapEntry(NamedTuple):
    """Byte range of a source file; `file` is -1 for code without a source."""

    start: int
    length: int
    file: int


def decode_map(text: str) -> list[MapEntry]:
    """Return one entry for each instruction. An empty text gives an empty list."""
    if not text:
        return []
    entries = []
    start, length, file = 0, 0, 0
    entry = MapEntry(start, length, file)
    for item in text.split(";"):
        if item:
            fields = item.split(":", 3)
            start = int(fields[0]) if fields[0] else start
            if len(fields) > 1 and fields[1]:
                length = int(fields[1])
            if len(fields) > 2 and fields[2]:
                file = int(fields[2])
            entry = MapEntry(start, length, file)
        entries.append(entry)
    return entries


def encode_map(entries: Iterable[MapEntry]) -> str:
    """Return the compressed text of `entries`, as short as the format allows."""
    items = []
    last = ("", "", "")
    for entry in entries:
        fields = (str(entry.start), str(entry.length), str(entry.file))
        changed = [
            "" if new == old else new for new, old in zip(fields, last, strict=True)
        ]
        items.append(":".join(changed).rstrip(":"))
        last = fields
    return ";".join(items)


def metadata_start(code: bytes) -> int:
    """Return where the CBOR metadata at the end of `code` starts, else its length.

    Source: Solidity documentation, "Contract Metadata": the last two bytes are the
    big-endian length of the CBOR before them. Vyper counts those two bytes as well.
    """
    if len(code) < 4:
        return len(code)
    size = int.from_bytes(code[-2:], "big")
    for start in (len(code) - 2 - size, len(code) - size):
        if (
            0 <= start < len(code) - 2
            and size <= _METADATA_MAX
            and code[start] in _METADATA_HEADS
            and _METADATA_KEYS.search(code, start)
        ):
            return start
    return len(code)


def instruction_starts(code: bytes) -> list[int]:
    """Return the program counter of each instruction, skipping the data of PUSH.

    Stops at the CBOR metadata. Other data between code and metadata (constants, code of
    contracts to be created) can't be told from instructions; source maps end before it.
    """
    starts = []
    end = metadata_start(code)
    counter = 0
    while counter < end:
        starts.append(counter)
        opcode = code[counter]
        counter += 1 if not PUSH1 <= opcode <= PUSH32 else opcode - PUSH1 + 2
    return starts

"""JSON of others, parsed only if its shape is that of something compiled.

A parsed value needs up to thirty times the memory of its text, and the parser of
Python recurses. So brackets and commas are counted first, which takes a fraction of the
time. The limits leave room for build-info files of Hardhat with ten thousand contracts
and all their syntax trees.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from echidna_mcp.errors import TargetError
from echidna_mcp_plugins.compilers.files import read_bytes

MOST_BYTES = 256 << 20
"""Of one JSON file."""
MOST_DEPTH = 400
"""Lists and objects in one another."""
MOST_VALUES = 24_000_000
"""Brackets and commas."""
MOST_OUTER = 500_000
"""Lists and objects of the five outermost levels, where contracts are; each contract
has about ten there."""

_OUTER_LEVELS = 5
# One that does not end goes to the end of the text, so that no other try is made.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_WHOLE = re.compile(rb'(?:[^"]++|"(?:[^"\\]++|\\.)*+")++', re.DOTALL)
"""Text in which no string is cut off."""
_PIECE = 1 << 20
_NO_SHAPE = bytes(byte for byte in range(256) if byte not in b"[]{},")
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def read_json(file: Path, most: int = MOST_BYTES) -> Any:
    """Return what a JSON file holds.

    Args:
        most: bytes that it may hold.

    Raises:
        TargetError: it can't be read or parsed, or is too large.
    """
    content = read_bytes(file, most)
    try:
        return parse_json(content, f"{file}")
    except ValueError as error:
        raise TargetError(f"{file} can't be read as JSON: {error}.") from error


def parse_json(content: bytes, name: str) -> Any:
    """Parse JSON.

    Args:
        name: of the text, as the subject of a sentence.

    Raises:
        ValueError: it is no JSON.
        TargetError: it is larger or more deeply nested than anything compiled is.
    """
    commas = 0
    brackets = bytearray()
    for shape in _shapes(content):
        commas += shape.count(b",")
        brackets += shape.translate(None, b",")
        if commas + len(brackets) > MOST_VALUES:
            raise _too_large(name, f"{MOST_VALUES} values")
    visits = Counter(accumulate(map(_STEP.__getitem__, brackets), initial=0))
    if max(visits) > MOST_DEPTH:
        raise TargetError(
            f"{name} is nested more than {MOST_DEPTH} levels deep, which nothing "
            "compiled is."
        )
    # Each list or object is visited where it opens and, one level up, where it ends.
    outer = sum(visits[level] for level in range(1, _OUTER_LEVELS + 1)) // 2
    if outer > MOST_OUTER:
        raise _too_large(name, f"{MOST_OUTER} entries")
    return json.loads(content.decode("utf-8-sig"))


def _shapes(content: bytes) -> Iterator[bytes]:
    """Yield the brackets and commas, without those in strings, piece by piece."""
    at = 0
    while at < len(content):
        whole = _WHOLE.match(content, at, at + _PIECE) or _STRING.match(content, at)
        end = whole.end() if whole else len(content)
        yield _STRING.sub(b"", content[at:end]).translate(None, _NO_SHAPE)
        at = end


def _too_large(name: str, limit: str) -> TargetError:
    return TargetError(
        f"{name} holds more than {limit}, which no project has; compile a part of it."
    )

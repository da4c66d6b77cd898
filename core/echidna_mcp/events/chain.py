"""The hash chain: what of a row is digested, and how rows are linked.

The digest of a row is `sha256(previous digest || canonical row)`. The canonical row is
the UTF-8 text of the JSON array `[seq,type,version,round,worker,at,payload]`, keys
sorted, without spaces. A store that was changed by another program no longer fits its
digests; `echidna-mcp verify` finds the first row that does not.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

GENESIS: Final = bytes(32)
"""What stands in for the digest before the first row."""

_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is stored, before its digest.

    Attributes:
        payload: canonical JSON text.
    """

    seq: int
    type: str
    version: int
    round: int
    worker: int | None
    at: str
    payload: str


def canonical_json(value: Mapping[str, Any]) -> str:
    """Return the one JSON text of a payload: sorted keys, no spaces, no escapes.

    Raises:
        TypeError: a value is not JSON.
        ValueError: a number is not finite.
    """
    return _ENCODER.encode(dict(value))


def link(previous: bytes, row: Row) -> bytes:
    """Return the digest of `row` after a row with digest `previous`.

    Raises:
        UnicodeEncodeError: a text holds half of a surrogate pair.
    """
    worker = "null" if row.worker is None else str(row.worker)
    text = (
        f"[{row.seq},{_ENCODER.encode(row.type)},{row.version},{row.round},"
        f"{worker},{_ENCODER.encode(row.at)},{row.payload}]"
    )
    return hashlib.sha256(previous + text.encode()).digest()

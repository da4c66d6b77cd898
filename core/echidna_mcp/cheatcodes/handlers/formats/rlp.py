"""Lists of byte strings in RLP, the encoding of Ethereum's transactions.

Source: Ethereum Yellow Paper, appendix B. Only what is encoded in the one right way is
decoded, as alloy does; what follows the list is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from echidna_mcp.cheatcodes.errors import CheatError

_STRING: Final = 0x80
_LIST: Final = 0xC0
_MOST_SHORT: Final = 55


class _Header(NamedTuple):
    """What an encoding begins with: what follows, from where and up to where."""

    is_list: bool
    start: int
    end: int


def encode_string(data: bytes) -> bytes:
    """Return the encoding of a byte string."""
    if len(data) == 1 and data[0] < _STRING:
        return data
    return _prefix(len(data), _STRING) + data


def encode_list(items: Iterable[bytes]) -> bytes:
    """Return the encoding of a list of byte strings."""
    return encode_items(map(encode_string, items))


def encode_items(encoded: Iterable[bytes]) -> bytes:
    """Return the encoding of a list of what is encoded already, lists among it."""
    payload = b"".join(encoded)
    return _prefix(len(payload), _LIST) + payload


def encode_number(number: int) -> bytes:
    """Return the byte string of a number, as nonces are encoded."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_list(data: bytes) -> tuple[bytes, ...]:
    """Return the byte strings of the list that data begin with.

    Raises:
        CheatError: they begin with none.
    """
    outer = _header(data, 0, len(data))
    if not outer.is_list:
        raise _undecodable("unexpected string")
    items, at = [], outer.start
    while at < outer.end:
        item = _header(data, at, outer.end)
        if item.is_list:
            raise _undecodable("unexpected list")
        items.append(data[item.start : item.end])
        at = item.end
    return tuple(items)


def _prefix(size: int, base: int) -> bytes:
    if size <= _MOST_SHORT:
        return bytes([base + size])
    length = encode_number(size)
    return bytes([base + _MOST_SHORT + len(length)]) + length


def _header(data: bytes, at: int, end: int) -> _Header:
    if at >= end:
        raise _undecodable("input too short")
    first = data[at]
    if first < _STRING:
        return _Header(is_list=False, start=at, end=at + 1)
    is_list = first >= _LIST
    size, start = first - (_LIST if is_list else _STRING), at + 1
    if size > _MOST_SHORT:
        size, start = _long(data, start, size - _MOST_SHORT, end)
    if start + size > end:
        raise _undecodable("input too short")
    if first == _STRING + 1 and data[start] < _STRING:
        raise _undecodable("non-canonical single byte")
    return _Header(is_list, start, start + size)


def _long(data: bytes, at: int, width: int, end: int) -> tuple[int, int]:
    if at + width > end:
        raise _undecodable("input too short")
    if not data[at]:
        raise _undecodable("leading zero")
    size = int.from_bytes(data[at : at + width], "big")
    if size <= _MOST_SHORT:
        raise _undecodable("non-canonical size")
    return size, at + width


def _undecodable(why: str) -> CheatError:
    return CheatError(f"Failed to decode RLP: {why}")

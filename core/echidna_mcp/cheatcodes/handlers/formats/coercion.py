"""Values that are written as text, in the forms that Foundry accepts.

Source: alloy, `crates/dyn-abi/src/coerce.rs`; Foundry,
`crates/cheatcodes/src/string.rs`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    bounds,
    parse_tuple,
    type_name,
)
from echidna_mcp.abi.values import Value
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.text import quoted

TYPES: Final[Mapping[str, AbiType]] = MappingProxyType(
    {
        name: parse_tuple(f"({name})").members[0]
        for name in (
            "bool",
            "uint256",
            "int256",
            "address",
            "bytes32",
            "bytes",
            "string",
        )
    }
)
"""The types for which most groups have a cheatcode each."""

_NUMBER: Final = re.compile(
    r"(0[bBoOxX][0-9a-fA-F]+|[0-9]+)"
    r"(?:\.([0-9]+))?"
    # As of winnow: no zero in front, and none with a sign.
    r"(?:[eE]([+-]?[1-9][0-9]*|0))?"
    r"[ \t]*(ether|gwei|nanoether|nano|wei|)"
)
_DECIMALS: Final = {"ether": 18, "gwei": 9, "nanoether": 9, "nano": 9, "wei": 0, "": 0}
_BASES: Final = {"0b": 2, "0o": 8, "0x": 16}
_MOST_DECIMALS: Final = 77
"""10^78 is no uint256."""
_MOST_DIGITS: Final = 78
_HEX: Final = re.compile(r"(0x)?([0-9a-fA-F]*)")
_BARE_HEX: Final = re.compile(r"[0-9a-fA-F]*")
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}
_HEXADECIMAL: Final = (KIND_UINT, KIND_INT, KIND_BYTES_FIXED, KIND_BYTES)
_PIECE: Final = re.compile(r"""\s*("[^"]*"|'[^']*'|[\[(]|[^,\])]+)""")


class _Unread(Exception):  # noqa: N818 (it never leaves this module)
    """A text that writes no value of the type; says why."""


def coerce(text: str, abi_type: AbiType) -> Value:
    """Return the value of a type that a text writes.

    Raises:
        CheatError: it writes none.
    """
    try:
        return _coerce(text, abi_type)
    except _Unread as error:
        why = str(error)
        if (
            isinstance(abi_type, Elementary)
            and abi_type.kind in _HEXADECIMAL
            and _BARE_HEX.fullmatch(text)
        ):
            why = 'missing hex prefix ("0x") for hex string'
        name = type_name(abi_type)
        raise CheatError(
            f"failed parsing {quoted(text)} as type `{name}`: {why}"
        ) from None


def coerce_all(texts: Sequence[str], abi_type: AbiType) -> tuple[Value, ...]:
    """Return the values of a list that was split; none if the first one is empty.

    Raises:
        CheatError: one of them writes no value of the type.
    """
    if not texts or not texts[0]:
        return ()
    return tuple(coerce(text, abi_type) for text in texts)


def _coerce(text: str, abi_type: AbiType) -> Value:
    if isinstance(abi_type, Elementary):
        return _READERS[abi_type.kind](text, abi_type)
    value, rest = _list(text, abi_type)
    if rest:
        raise _Unread(f"unexpected {quoted(rest)}")
    return value


def _bool(text: str, _abi_type: Elementary) -> bool:
    found = _BOOLEANS.get(text.lower() if text.isascii() else text)
    if found is None:
        raise _Unread("invalid boolean")
    return found


def _uint(text: str, abi_type: Elementary) -> int:
    number = _magnitude(text)
    if number > bounds(abi_type)[1]:
        raise _Unread("number too large to fit in target type")
    return number


def _int(text: str, abi_type: Elementary) -> int:
    signed = text[:1] in ("+", "-")
    number = _magnitude(text[1:] if signed else text)
    if text.startswith("-"):
        number = -number
    least, greatest = bounds(abi_type)
    if not least <= number <= greatest:
        raise _Unread("number too large to fit in target type")
    return number


def _magnitude(text: str) -> int:
    """Return the number that a text without sign writes.

    Raises:
        _Unread: none, or one with decimals of its unit left, or with too many digits.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise _Unread("expected a number")
    whole, fraction, exponent, unit = found.groups(default="")
    if len(exponent) > len("+999"):
        raise _Unread("the exponent is too large")
    decimals = _DECIMALS[unit] + int(exponent or "0")
    if decimals < 0:
        raise _Unread("negative units not allowed")
    if len(fraction) > decimals:
        raise _Unread(f"expected at most {decimals} decimals, got {len(fraction)}")
    if decimals > _MOST_DECIMALS:
        raise _Unread("number too large to fit in target type")
    digits = _integer(whole) * 10 ** len(fraction) + int(fraction or "0")
    number: int = digits * 10 ** (decimals - len(fraction))
    return number


def _integer(digits: str) -> int:
    base = _BASES.get(digits[:2].lower(), 10)
    significant = (digits if base == 10 else digits[2:]).lstrip("0")
    if base == 10 and len(significant) > _MOST_DIGITS:
        raise _Unread("number too large to fit in target type")
    try:
        return int(significant or "0", base)
    except ValueError:
        raise _Unread("digit out of range for the base") from None


def _digits(text: str) -> bytes:
    found = _HEX.fullmatch(text)
    if found is None or not text:
        raise _Unread("expected hex digits or the `0x` prefix for an empty hex string")
    if len(found[2]) % 2:
        raise _Unread("odd number of digits")
    return bytes.fromhex(found[2])


def _bytes(text: str, _abi_type: Elementary) -> bytes:
    return _digits(text)


def _fixed_bytes(text: str, abi_type: Elementary) -> bytes:
    data = _digits(text)
    if len(data) != abi_type.size:
        raise _Unread("invalid string length")
    return data


def _address(text: str, _abi_type: Elementary) -> int:
    data = _digits(text)
    if len(data) != 20:
        raise _Unread("invalid string length")
    return int.from_bytes(data, "big")


def _string(text: str, _abi_type: Elementary) -> bytes:
    if text[:1] not in ("'", '"'):
        return text.rstrip(WHITE_SPACE).encode()
    end = text.find(text[0], 1)
    if end != len(text) - 1 or not end:
        raise _Unread("invalid string")
    return text[1:end].encode()


_READERS: Final[Mapping[int, Callable[[str, Elementary], Value]]] = MappingProxyType(
    {
        KIND_BOOL: _bool,
        KIND_UINT: _uint,
        KIND_INT: _int,
        KIND_ADDRESS: _address,
        KIND_BYTES: _bytes,
        KIND_BYTES_FIXED: _fixed_bytes,
        KIND_STRING: _string,
    }
)
WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Unicode says is white space. `str.strip` has four control characters more."""


def _list(text: str, abi_type: AbiType) -> tuple[Value, str]:
    """Return the array or struct that a text begins with, and what follows."""
    if isinstance(abi_type, Elementary):
        found = _PIECE.match(text)
        if found is None:
            raise _Unread("expected a value")
        numeric = abi_type.kind in (KIND_UINT, KIND_INT)
        piece = found[1] if numeric else found[1].rstrip(" \t")
        return _coerce(piece, abi_type), text[found.end() :].lstrip()
    opening, closing = "()" if isinstance(abi_type, Tuple) else "[]"
    if not text.startswith(opening):
        raise _Unread(f"expected `{opening}`")
    rest, values = text[1:].lstrip(), list[Value]()
    while not rest.startswith(closing):
        if values:
            if not rest.startswith(","):
                raise _Unread(f"expected `,` or `{closing}`")
            rest = rest[1:].lstrip()
            if rest.startswith(closing) and opening == "[":
                break
        value, rest = _list(rest, _member(abi_type, len(values)))
        values.append(value)
    if len(values) != _length(abi_type, len(values)):
        raise _Unread("array length mismatch")
    return tuple(values), rest[1:]


def _member(abi_type: Array | Tuple, number: int) -> AbiType:
    if isinstance(abi_type, Array):
        return abi_type.element
    if number >= len(abi_type.members):
        raise _Unread("expected `)`")
    return abi_type.members[number]


def _length(abi_type: Array | Tuple, found: int) -> int:
    if isinstance(abi_type, Tuple):
        return len(abi_type.members)
    return found if abi_type.length is None else abi_type.length

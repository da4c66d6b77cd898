"""Values that are written as text, in the forms that Foundry accepts; lists, too.

Source: alloy, `crates/dyn-abi/src/coerce.rs`; Foundry,
`crates/cheatcodes/src/string.rs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from echidna_mcp.abi.type_program import (
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_UINT,
)
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    parse_tuple,
    type_name,
)
from echidna_mcp.abi.values import Value
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.literals import UnreadError, read_literal
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

_BARE_HEX: Final = re.compile(r"[0-9a-fA-F]*")
_HEXADECIMAL: Final = (KIND_UINT, KIND_INT, KIND_BYTES_FIXED, KIND_BYTES)
_PIECE: Final = re.compile(r"""\s*("[^"]*"|'[^']*'|[\[(]|[^,\])]+)""")


def coerce(text: str, abi_type: AbiType) -> Value:
    """Return the value of a type that a text writes.

    Raises:
        CheatError: it writes none.
    """
    try:
        return _coerce(text, abi_type)
    except UnreadError as error:
        why = str(error)  # Where in a list, nobody needs to know.
        if isinstance(abi_type, Elementary):
            why = f"parser error:\n{error.shown(text)}"
            if abi_type.kind in _HEXADECIMAL and _BARE_HEX.fullmatch(text):
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
        return read_literal(text, abi_type)
    value, rest = _list(text, abi_type)
    if rest:
        raise UnreadError(f"unexpected {quoted(rest)}")
    return value


def _list(text: str, abi_type: AbiType) -> tuple[Value, str]:
    """Return the array or struct that a text begins with, and what follows."""
    if isinstance(abi_type, Elementary):
        found = _PIECE.match(text)
        if found is None:
            raise UnreadError("expected a value")
        numeric = abi_type.kind in (KIND_UINT, KIND_INT)
        piece = found[1] if numeric else found[1].rstrip(" \t")
        return _coerce(piece, abi_type), text[found.end() :].lstrip()
    opening, closing = "()" if isinstance(abi_type, Tuple) else "[]"
    if not text.startswith(opening):
        raise UnreadError(f"expected `{opening}`")
    rest, values = text[1:].lstrip(), list[Value]()
    while not rest.startswith(closing):
        if values:
            if not rest.startswith(","):
                raise UnreadError(f"expected `,` or `{closing}`")
            rest = rest[1:].lstrip()
            if rest.startswith(closing) and opening == "[":
                break
        value, rest = _list(rest, _member(abi_type, len(values)))
        values.append(value)
    if len(values) != _length(abi_type, len(values)):
        raise UnreadError("array length mismatch")
    return tuple(values), rest[1:]


def _member(abi_type: Array | Tuple, number: int) -> AbiType:
    if isinstance(abi_type, Array):
        return abi_type.element
    if number >= len(abi_type.members):
        raise UnreadError("expected `)`")
    return abi_type.members[number]


def _length(abi_type: Array | Tuple, found: int) -> int:
    if isinstance(abi_type, Tuple):
        return len(abi_type.members)
    return found if abi_type.length is None else abi_type.length

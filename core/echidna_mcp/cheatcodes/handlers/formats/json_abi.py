"""JSON as ABI-encoded data, and back.

Source: Foundry, `crates/cheatcodes/src/json.rs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from echidna_mcp.abi.codec import encode
from echidna_mcp.abi.foundry_text import address_text, hex_text
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats import json_text, numbers
from echidna_mcp.cheatcodes.handlers.formats.coercion import TYPES, coerce
from echidna_mcp.cheatcodes.handlers.formats.json_text import JsonNumber
from echidna_mcp.cheatcodes.handlers.formats.text import quoted, read

Structs: TypeAlias = Sequence[tuple[str, tuple[str, ...]]]
"""Structs of a project: name and members, which say how members of objects are
ordered."""

_WORD: Final = 32
_LEAST_INT, _MOST_UINT = -(1 << 255), (1 << 256) - 1
_SHORT_INTS: Final = range(-(1 << 63), 1 << 63)
_SHORT_UINTS: Final = range(1 << 64)
"""Integers beyond these are written as strings."""


class _Encoded(NamedTuple):
    dynamic: bool
    data: bytes


def encode_found(found: Sequence[Any], structs: Structs) -> bytes:
    """Return what `parseJson` makes of the values at a path.

    Raises:
        CheatError: one is a number that is no 256-bit integer.
    """
    if not found:
        return b""
    value = found[0] if len(found) == 1 else list(found)
    return _encode_parts([_encoded(value, structs)])


def _encoded(value: Any, structs: Structs) -> _Encoded:
    match value:
        case None:
            return _Encoded(dynamic=False, data=bytes(_WORD))
        case bool():
            return _Encoded(dynamic=False, data=value.to_bytes(_WORD, "big"))
        case JsonNumber(text=text):
            return _Encoded(dynamic=False, data=_encode_number(text))
        case str():
            return _encode_text(value)
        case list():
            parts = _encode_parts(_encoded(each, structs) for each in value)
            return _Encoded(dynamic=True, data=_length(len(value)) + parts)
        case _:
            members = [_encoded(value[key], structs) for key in order(value, structs)]
            dynamic = any(each.dynamic for each in members)
            return _Encoded(dynamic, _encode_parts(members))


def order(keys: Iterable[str], structs: Structs) -> tuple[str, ...]:
    """Return the keys of an object as the struct has them that has just these.

    Without such a struct they are sorted.
    """
    wanted = sorted(keys)
    for _, members in structs:
        if sorted(members) == wanted:
            return members
    return tuple(wanted)


def _encode_number(text: str) -> bytes:
    number = numbers.whole(text)
    if number is None or not _LEAST_INT <= number <= _MOST_UINT:
        raise CheatError(f"unsupported JSON number: {text}")
    return (number % (1 << 256)).to_bytes(_WORD, "big")


def _encode_text(text: str) -> _Encoded:
    digits = text.removeprefix("0x")
    if digits == text or not text.isascii() or not (digits or "0").isalnum():
        return _encode_bytes(text.encode())
    if len(digits) == 39:
        raise CheatError(
            f"Cannot parse {quoted(digits)} as an address. If you want to specify "
            "address, prepend zero to the value."
        )
    try:
        data = bytes.fromhex("0" * (len(digits) % 2) + digits)
    except ValueError:
        return _encode_bytes(text.encode())
    if len(data) in (20, _WORD):
        return _Encoded(dynamic=False, data=data.rjust(_WORD, b"\0"))
    return _encode_bytes(data)


def _encode_bytes(data: bytes) -> _Encoded:
    return _Encoded(
        dynamic=True, data=_length(len(data)) + data + bytes(-len(data) % 32)
    )


def _length(number: int) -> bytes:
    return number.to_bytes(_WORD, "big")


def _encode_parts(parts: Iterable[_Encoded]) -> bytes:
    """Return heads and tails, with the types that each of them happens to have."""
    known = list(parts)
    offset = sum(_WORD if each.dynamic else len(each.data) for each in known)
    heads, tails = [], []
    for each in known:
        heads.append(_length(offset) if each.dynamic else each.data)
        if each.dynamic:
            tails.append(each.data)
            offset += len(each.data)
    return b"".join(heads + tails)


# ------------------------------------------------------------------------ with types


def typed(value: Any, abi_type: AbiType) -> Value:
    """Return a value of JSON as one of a type. An object needs a struct with names.

    Raises:
        CheatError: it is none.
    """
    match value, abi_type:
        case list(), Array(element=element, length=length):
            if length not in (None, len(value)):
                raise CheatError("array length mismatch")
            return tuple(typed(each, element) for each in value)
        case list(), Tuple(members=members):
            if len(members) != len(value):
                raise CheatError("array length mismatch")
            return tuple(map(typed, value, members))
        case list(), _:
            raise CheatError(f"expected {type_name(abi_type)}, found array")
        case dict(), Tuple(members=members, names=names) if any(names) or not members:
            return _typed_object(value, abi_type)
        case dict(), _:
            raise CheatError(f"expected {type_name(abi_type)}, found JSON object")
        case str(), Elementary(kind=kind) if kind == KIND_STRING:
            return value.encode()
        case str(), Elementary(kind=kind) if kind in (KIND_UINT, KIND_INT):
            return coerce(value, abi_type)
        case _:
            return coerce(json_text.dump(value).replace('"', ""), abi_type)


def _typed_object(value: dict[str, Any], struct: Tuple) -> Value:
    for name in struct.names:
        if name not in value:
            raise CheatError(f"field {quoted(name)} not found in JSON object")
    return tuple(
        typed(value[name], member)
        for name, member in zip(struct.names, struct.members, strict=True)
    )


def encoded(value: Value, abi_type: AbiType) -> bytes:
    """Return the encoding of a value, as `abi.encode` gives it."""
    return encode(Tuple((abi_type,), ("",)), (value,))


def from_value(value: Any, abi_type: AbiType, structs: Structs) -> Any:
    """Return a value of a type as `serialize…` writes it."""
    match abi_type:
        case Array(element=element):
            return [from_value(each, element, structs) for each in value]
        case Tuple(members=members, names=names):
            parts = [
                from_value(each, member, structs)
                for each, member in zip(value, members, strict=True)
            ]
            if not any(names):
                return parts
            by_name = dict(zip(names, parts, strict=True))
            return {name: by_name[name] for name in order(by_name, structs)}
        case Elementary(kind=kind):
            return _from_elementary(value, kind)


def _from_elementary(value: Any, kind: int) -> Any:
    match kind:
        case k if k == KIND_BOOL:
            return bool(value)
        case k if k in (KIND_UINT, KIND_INT):
            short = _SHORT_UINTS if k == KIND_UINT else _SHORT_INTS
            return JsonNumber(str(value)) if value in short else str(value)
        case k if k == KIND_ADDRESS:
            return address_text(value)
        case k if k == KIND_STRING:
            return _object_or_text(read(value))
        case _:
            return hex_text(value)


def _object_or_text(text: str) -> Any:
    """Return the object that a text is in JSON, else the text."""
    if not text.lstrip(" \t\n\r").startswith("{"):
        return text
    try:
        return json_text.parse(text)
    except CheatError:
        return text


ELEMENTARY: Final = tuple(
    zip(
        ("Bool", "Uint", "Int", "Address", "Bytes32", "Bytes", "String"),
        ("bool", "uint256", "int256", "address", "bytes32", "bytes", "string"),
        strict=True,
    )
)
"""How cheatcodes are named for the types that they read or write."""
ARRAYS: Final = {name: Array(abi_type, None) for name, abi_type in TYPES.items()}

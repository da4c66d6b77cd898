"""ABI values as Medusa writes them in JSON; the types are those of the signature.

Integers are decimal strings, bytes hexadecimal digits without 0x, structs objects with
the names of their members, in alphabetical order.

Source: what Medusa 1.4 writes and accepts in `inputValues`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, assert_never

from echidna_mcp.abi.foundry_text import address_text
from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.corpora.model import MOST_ADDRESS, EntryError, hex_bytes, hex_number

_INTEGER: Final = re.compile(r"-?(0[xX][0-9a-fA-F]{1,64}|[0-9]{1,78})\Z", re.ASCII)


class UnwritableError(Exception):
    """A value that Medusa has no JSON for."""


class UnnamedError(Exception):
    """A struct whose members have no names here, as they must have to be read."""


def value_json(abi_type: AbiType, value: Any) -> Any:
    """Return a value of a type.

    Raises:
        UnwritableError: there is no JSON for it: text that is not UTF-8, a function
            pointer, a struct without names.
    """
    match abi_type:
        case Elementary():
            return _leaf_json(abi_type, value)
        case Array(element=element):
            return [value_json(element, each) for each in value]
        case Tuple(members=members, names=names):
            if not _has_names(abi_type):
                raise UnwritableError
            triples = sorted(zip(names, members, value, strict=True))
            return {name: value_json(kind, each) for name, kind, each in triples}
        case _:
            assert_never(abi_type)


def _leaf_json(leaf: Elementary, value: Any) -> Any:
    match leaf.kind:
        case k if k in (KIND_UINT, KIND_INT):
            return str(value)
        case k if k in (KIND_BYTES, KIND_BYTES_FIXED):
            return value.hex()
        case k if k == KIND_STRING:
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError:
                raise UnwritableError from None
        case k if k == KIND_FUNCTION:
            raise UnwritableError
        case k if k == KIND_ADDRESS:
            return address_text(value)
        case _:
            return value


def read_value(abi_type: AbiType, data: Any) -> Value:
    """Return the value of a type.

    Raises:
        EntryError: it is none.
        UnnamedError: it is a struct, and the type lacks the names of its members.
    """
    match abi_type, data:
        case Elementary(), _:
            return _read_leaf(abi_type, data)
        case Array(element=element, length=length), list(items):
            if length is not None and len(items) != length:
                name = type_name(abi_type)
                raise EntryError(f"an array {name} has {len(items)} elements")
            return tuple(read_value(element, each) for each in items)
        case Tuple(members=members, names=names), Mapping():
            if not _has_names(abi_type):
                raise UnnamedError
            if set(names) != set(data):
                raise EntryError(f"a struct has other members than {', '.join(names)}")
            pairs = zip(members, names, strict=True)
            return tuple(read_value(kind, data[name]) for kind, name in pairs)
        case _:
            raise EntryError(f"a value is no {type_name(abi_type)}")


def _read_leaf(leaf: Elementary, data: Any) -> Value:
    match leaf.kind, data:
        case k, str(text) if k in (KIND_UINT, KIND_INT) and _INTEGER.match(text):
            return int(text, 16 if "x" in text.lower() else 10)
        case k, bool(truth) if k == KIND_BOOL:
            return truth
        case k, str(text) if k == KIND_STRING:
            return text.encode("utf-8", "surrogatepass")
        case k, str(text) if k == KIND_BYTES:
            return hex_bytes(text, "a value of bytes", prefixed=False)
        case k, str(text) if k == KIND_BYTES_FIXED:
            value = hex_bytes(text, f"a value of {leaf.name}", prefixed=False)
            if len(value) != leaf.size:
                raise EntryError(f"a value of {leaf.name} has {len(value)} bytes")
            return value
        case k, str(text) if k == KIND_ADDRESS:
            digits = text if text[:2] in ("0x", "0X") else f"0x{text}"
            return hex_number(digits, MOST_ADDRESS, "an address")
        case _:
            raise EntryError(f"a value is no {leaf.name}")


def _has_names(struct: Tuple) -> bool:
    return all(struct.names) and len(set(struct.names)) == len(struct.names)

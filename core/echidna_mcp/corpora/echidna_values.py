"""ABI values and types as Echidna writes them in JSON: each names its own type.

A value is `{"tag": …, "contents": …}`, such as `AbiUInt [256, "12"]`. Elements of an
array come with the type, since there may be none. Members of structs have no names.

Source: the `ToJSON` instances of hevm's `AbiValue` and `AbiType`, as Echidna 2.3.3
writes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, parse_parameter
from echidna_mcp.abi.values import Value
from echidna_mcp.corpora.haskell_text import read_bytes, show_bytes
from echidna_mcp.corpora.model import (
    MOST_ADDRESS,
    EntryError,
    hex_bytes,
    hex_number,
    member,
)
from echidna_mcp.errors import TargetError

_PLAIN: Final = {
    KIND_ADDRESS: "AbiAddress",
    KIND_BOOL: "AbiBool",
    KIND_BYTES: "AbiBytesDynamic",
    KIND_STRING: "AbiString",
    KIND_FUNCTION: "AbiFunction",
}
"""Tags of values whose type has no size; with `Type` behind it, of the types."""
_SIZED: Final = {
    KIND_UINT: "AbiUInt",
    KIND_INT: "AbiInt",
    KIND_BYTES_FIXED: "AbiBytes",
}
_NAME_OF: Final = {
    "AbiAddress": "address",
    "AbiBool": "bool",
    "AbiBytesDynamic": "bytes",
    "AbiString": "string",
    "AbiFunction": "function",
    "AbiUInt": "uint",
    "AbiInt": "int",
    "AbiBytes": "bytes",
}
_DECIMAL: Final = re.compile(r"-?[0-9]{1,78}\Z", re.ASCII)
_SELECTOR: Final = 4
_MOST_DEPTH: Final = 64


def value_json(abi_type: AbiType, value: Any) -> dict[str, Any]:
    """Return the JSON object of a value of a type."""
    match abi_type:
        case Elementary():
            return _leaf_json(abi_type, value)
        case Array(element=element, length=length):
            parts = [type_json(element), [value_json(element, each) for each in value]]
            if length is None:
                return _tagged("AbiArrayDynamic", parts)
            return _tagged("AbiArray", [length, *parts])
        case Tuple(members=members):
            pairs = zip(members, value, strict=True)
            return _tagged("AbiTuple", [value_json(*pair) for pair in pairs])
        case _:
            assert_never(abi_type)


def type_json(abi_type: AbiType) -> dict[str, Any]:
    """Return the JSON object of a type."""
    match abi_type:
        case Elementary(kind=kind, size=size):
            if kind in _SIZED:
                return _tagged(f"{_SIZED[kind]}Type", size)
            return {"tag": f"{_PLAIN[kind]}Type"}
        case Array(element=element, length=None):
            return _tagged("AbiArrayDynamicType", type_json(element))
        case Array(element=element, length=length):
            return _tagged("AbiArrayType", [length, type_json(element)])
        case Tuple(members=members):
            return _tagged("AbiTupleType", [type_json(each) for each in members])
        case _:
            assert_never(abi_type)


def _leaf_json(leaf: Elementary, value: Any) -> dict[str, Any]:
    tag = _SIZED.get(leaf.kind) or _PLAIN[leaf.kind]
    match leaf.kind:
        case k if k in (KIND_UINT, KIND_INT):
            return _tagged(tag, [leaf.size, str(value)])
        case k if k == KIND_BYTES_FIXED:
            return _tagged(tag, [leaf.size, show_bytes(value)])
        case k if k in (KIND_BYTES, KIND_STRING):
            return _tagged(tag, show_bytes(value))
        case k if k == KIND_FUNCTION:
            address = int.from_bytes(value[:-_SELECTOR], "big")
            selector = f"0x{value[-_SELECTOR:].hex()}"
            return _tagged(tag, [address_text(address), selector])
        case k if k == KIND_ADDRESS:
            return _tagged(tag, address_text(value))
        case _:
            return _tagged(tag, value)


def _tagged(tag: str, contents: Any) -> dict[str, Any]:
    return {"contents": contents, "tag": tag}


def read_value(data: Any, depth: int = 0) -> tuple[AbiType, Value]:
    """Return the type and the value of a JSON object; `depth` values are around it.

    Raises:
        EntryError: it is none.
    """
    if depth > _MOST_DEPTH:
        raise EntryError(f"more than {_MOST_DEPTH} values lie in one another")
    tag, contents = _tag(data), data.get("contents")
    match tag, contents:
        case "AbiArrayDynamic", [kind, list(items)]:
            element = read_type(kind)
            return Array(element, None), _items(element, items, depth)
        case "AbiArray", [int(length), kind, list(items)]:
            element = read_type(kind)
            if len(items) != length:
                raise EntryError(f"an array of {length} has {len(items)} elements")
            return Array(element, length), _items(element, items, depth)
        case "AbiTuple", list(items):
            pairs = [read_value(each, depth + 1) for each in items]
            types = tuple(each for each, _ in pairs)
            return Tuple(types, ("",) * len(types)), tuple(each for _, each in pairs)
        case (("AbiUInt" | "AbiInt" | "AbiBytes"), [size, str(text)]):
            leaf = _sized(tag, size)
            return leaf, _sized_value(leaf, text)
        case _ if tag in _PLAIN.values():
            return _leaf(_NAME_OF[tag]), _plain_value(tag, contents)
        case _:
            raise EntryError(f"a value {tag[:40]} can't be read")


def _sized_value(leaf: Elementary, text: str) -> Value:
    if leaf.kind == KIND_BYTES_FIXED:
        value = read_bytes(text)
        if len(value) != leaf.size:
            raise EntryError(f"a value of {leaf.name} has {len(value)} bytes")
        return value
    if not _DECIMAL.match(text):
        raise EntryError(f"a value of {leaf.name} is no decimal number")
    return int(text)


def _plain_value(tag: str, contents: Any) -> Value:
    match tag, contents:
        case "AbiBytesDynamic" | "AbiString", str(text):
            return read_bytes(text)
        case "AbiBool", bool(value):
            return value
        case "AbiAddress", str(text):
            return hex_number(text, MOST_ADDRESS, "an address")
        case "AbiFunction", [str(text), selector]:
            address = hex_number(text, MOST_ADDRESS, "an address").to_bytes(20, "big")
            code = hex_bytes(selector, "a selector")
            if len(code) != _SELECTOR:
                raise EntryError(f"a selector has {len(code)} bytes")
            return address + code
        case _:
            raise EntryError(f"a value {tag} can't be read")


def _items(element: AbiType, items: Sequence[Any], depth: int) -> tuple[Value, ...]:
    pairs = [read_value(each, depth + 1) for each in items]
    if any(each != element for each, _ in pairs):
        raise EntryError("an element of an array has another type than the array says")
    return tuple(value for _, value in pairs)


def read_type(data: Any, depth: int = 0) -> AbiType:
    """Return the type of a JSON object; `depth` types are around it.

    Raises:
        EntryError: it is none.
    """
    if depth > _MOST_DEPTH:
        raise EntryError(f"more than {_MOST_DEPTH} types lie in one another")
    tag, contents = _tag(data), data.get("contents")
    plain = tag.removesuffix("Type")
    match tag, contents:
        case "AbiUIntType" | "AbiIntType" | "AbiBytesType", _:
            return _sized(plain, contents)
        case "AbiArrayDynamicType", _:
            return Array(read_type(contents, depth + 1), None)
        case "AbiArrayType", [int(length), element]:
            return Array(read_type(element, depth + 1), length)
        case "AbiTupleType", list(members):
            types = tuple(read_type(each, depth + 1) for each in members)
            return Tuple(types, ("",) * len(types))
        case _ if plain in _PLAIN.values() and tag != plain:
            return _leaf(_NAME_OF[plain])
        case _:
            raise EntryError(f"a type {tag[:40]} can't be read")


def _tag(data: Any) -> str:
    return str(member(data, "tag"))


def _sized(tag: str, size: Any) -> Elementary:
    if not isinstance(size, int) or isinstance(size, bool):
        raise EntryError(f"the size of {tag} is no number")
    return _leaf(f"{_NAME_OF[tag]}{size}")


def _leaf(name: str) -> Elementary:
    try:
        found = parse_parameter({"type": name})
    except TargetError:
        raise EntryError(f"there is no type {name[:40]}") from None
    assert isinstance(found, Elementary)
    return found

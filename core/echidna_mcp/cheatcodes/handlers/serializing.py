"""`serializeUint`, `serializeJson` and the like: JSON that tests put together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from echidna_mcp.abi.codec import CodecError, decode
from echidna_mcp.abi.types import AbiType, Array, Tuple
from echidna_mcp.abi.values import Value
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats import json_text
from echidna_mcp.cheatcodes.handlers.formats.coercion import TYPES
from echidna_mcp.cheatcodes.handlers.formats.json_abi import ELEMENTARY, from_value
from echidna_mcp.cheatcodes.handlers.formats.text import check_size, read
from echidna_mcp.cheatcodes.handlers.formats.typed_data import resolve
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats


@cheat("serializeJson(string,string)", returns="(string)")
def serialize_json(
    cheats: Cheats, _site: Site, key: bytes, text: bytes
) -> tuple[bytes]:
    """Begin an object with what a text says; return the text."""
    found = json_text.parse(read(text))
    if not isinstance(found, dict):
        raise CheatError("invalid type, expected a map")
    members = {name: json_text.dump(each) for name, each in found.items()}
    _keep(cheats, read(key), members)
    return (read(text).encode(),)


def _serialize(
    abi_type: AbiType,
    cheats: Cheats,
    _site: Site,
    key: bytes,
    name: bytes,
    value: Any,
) -> tuple[bytes]:
    """Add a member to an object; return the object."""
    return _add(cheats, key, name, from_value(value, abi_type, cheats.settings.structs))


for _name, _kind in ELEMENTARY:
    for _type, _suffix in ((TYPES[_kind], ""), (Array(TYPES[_kind], None), "[]")):
        cheat(f"serialize{_name}(string,string,{_kind}{_suffix})", returns="(string)")(
            partial(_serialize, _type)
        )


@cheat("serializeUintToHex(string,string,uint256)", returns="(string)")
def serialize_uint_to_hex(
    cheats: Cheats, _site: Site, key: bytes, name: bytes, value: int
) -> tuple[bytes]:
    """Add a number in hexadecimal to an object; return the object."""
    return _add(cheats, key, name, f"{value:#x}")


@cheat("serializeJsonType(string,bytes)", returns="(string)")
def serialize_type(
    cheats: Cheats, _site: Site, description: bytes, data: bytes
) -> tuple[bytes]:
    """Return an encoded value of a type as JSON."""
    return (json_text.dump(_described(cheats, description, data)).encode(),)


@cheat("serializeJsonType(string,string,string,bytes)", returns="(string)")
def serialize_type_in(
    cheats: Cheats,
    _site: Site,
    key: bytes,
    name: bytes,
    description: bytes,
    data: bytes,
) -> tuple[bytes]:
    """Add an encoded value of a type to an object; return the object."""
    return _add(cheats, key, name, _described(cheats, description, data))


def _described(cheats: Cheats, description: bytes, data: bytes) -> Any:
    structs = cheats.settings.structs
    abi_type = resolve(read(description), structs)
    return from_value(_decoded(abi_type, data), abi_type, structs)


def _decoded(abi_type: AbiType, data: bytes) -> Value:
    try:
        (value,) = decode(Tuple((abi_type,), ("",)), data)
    except CodecError as error:
        raise CheatError(f"ABI decoding failed: {error}") from None
    return value


def _add(cheats: Cheats, key: bytes, name: bytes, value: Any) -> tuple[bytes]:
    known = cheats.held.serialized.get(read(key), {})
    members = {**known, read(name): json_text.dump(value)}
    text = _written(members)
    _keep(cheats, read(key), members)
    return (text.encode(),)


def _written(members: Mapping[str, str]) -> str:
    """Return an object whose members are JSON texts: sorted by their keys."""
    check_size(sum(len(name) + len(each) for name, each in members.items()))
    parts = (f"{json_text.dump(name)}:{members[name]}" for name in sorted(members))
    return f"{{{','.join(parts)}}}"


def _keep(cheats: Cheats, key: str, members: Mapping[str, str]) -> None:
    cheats.held.serialized = {**cheats.held.serialized, key: members}

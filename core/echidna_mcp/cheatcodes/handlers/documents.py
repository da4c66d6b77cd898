"""`parseJson`, `parseToml`, `keyExists` and the like: documents that tests read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from echidna_mcp.abi.types import AbiType, Array
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats import json_text
from echidna_mcp.cheatcodes.handlers.formats.coercion import TYPES
from echidna_mcp.cheatcodes.handlers.formats.json_abi import (
    ELEMENTARY,
    encode_found,
    encoded,
    typed,
)
from echidna_mcp.cheatcodes.handlers.formats.json_paths import select
from echidna_mcp.cheatcodes.handlers.formats.text import quoted, read
from echidna_mcp.cheatcodes.handlers.formats.typed_data import resolve
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_Reader = Callable[[str], Any]


def _parse(
    reader: _Reader, cheats: Cheats, _site: Site, text: bytes, path: bytes = b"$"
) -> tuple[bytes]:
    """Return what is at a path, encoded with the types that it seems to have."""
    found = select(reader(read(text)), read(path))
    return (encode_found(found, cheats.settings.structs),)


def _key_exists(
    reader: _Reader, _cheats: Cheats, _site: Site, text: bytes, path: bytes
) -> tuple[bool]:
    """Tell whether anything is at a path."""
    return (bool(select(reader(read(text)), read(path))),)


def _keys(
    reader: _Reader, _cheats: Cheats, _site: Site, text: bytes, path: bytes
) -> tuple[tuple[bytes, ...]]:
    """Return the keys of the object at a path, in their order."""
    found = select(reader(read(text)), read(path))
    if len(found) != 1:
        raise CheatError(
            f"key {quoted(read(path))} must return exactly one JSON object"
        )
    if not isinstance(found[0], dict):
        raise CheatError(f"JSON value at {quoted(read(path))} is not an object")
    return (tuple(key.encode() for key in found[0]),)


def _as(
    reader: _Reader,
    abi_type: AbiType,
    _cheats: Cheats,
    _site: Site,
    text: bytes,
    path: bytes,
) -> tuple[Any]:
    """Return the one value at a path as one of a type."""
    return (typed(_single(reader, text, path), abi_type),)


def _as_or(
    reader: _Reader,
    abi_type: AbiType,
    _cheats: Cheats,
    _site: Site,
    text: bytes,
    path: bytes,
    default: Any,
) -> tuple[Any]:
    """Do the same; return another value if there is nothing."""
    if not select(reader(read(text)), read(path)):
        return (default,)
    return (typed(_single(reader, text, path), abi_type),)


def _as_described(
    reader: _Reader, cheats: Cheats, _site: Site, text: bytes, *rest: bytes
) -> tuple[bytes]:
    """Return the value at a path, encoded as the type that a text describes."""
    *path, description = rest
    abi_type = resolve(read(description), cheats.settings.structs)
    value = typed(_single(reader, text, path[0] if path else b"$"), abi_type)
    return (encoded(value, abi_type),)


def _as_described_array(
    reader: _Reader,
    cheats: Cheats,
    _site: Site,
    text: bytes,
    path: bytes,
    description: bytes,
) -> tuple[bytes]:
    """Do the same with an array of the type."""
    abi_type = Array(resolve(read(description), cheats.settings.structs), None)
    return (encoded(typed(_single(reader, text, path), abi_type), abi_type),)


def _single(reader: _Reader, text: bytes, path: bytes) -> Any:
    found = select(reader(read(text)), read(path))
    if len(found) != 1:
        raise CheatError(
            f"path {quoted(read(path))} must return exactly one JSON value"
        )
    return found[0]


def _register(language: str, reader: _Reader) -> None:
    """Make the cheatcodes of a language work."""
    parse = f"parse{language}"
    cheat(f"{parse}(string)", f"{parse}(string,string)", returns="(bytes)")(
        partial(_parse, reader)
    )
    cheat(f"{parse}Keys(string,string)", returns="(string[])")(partial(_keys, reader))
    cheat(f"keyExists{language}(string,string)", returns="(bool)")(
        partial(_key_exists, reader)
    )
    for name, kind in ELEMENTARY:
        for end, suffix, abi_type in (
            ("", "", TYPES[kind]),
            ("Array", "[]", Array(TYPES[kind], None)),
        ):
            cheat(f"{parse}{name}{end}(string,string)", returns=f"({kind}{suffix})")(
                partial(_as, reader, abi_type)
            )
            cheat(
                f"{parse}{name}{end}(string,string,{kind}{suffix})",
                returns=f"({kind}{suffix})",
            )(partial(_as_or, reader, abi_type))
    cheat(
        f"{parse}Type(string,string)",
        f"{parse}Type(string,string,string)",
        returns="(bytes)",
    )(partial(_as_described, reader))
    cheat(f"{parse}TypeArray(string,string,string)", returns="(bytes)")(
        partial(_as_described_array, reader)
    )


_register("Json", json_text.parse)
_register("Toml", json_text.parse_toml)
cheat("keyExists(string,string)", returns="(bool)")(
    partial(_key_exists, json_text.parse)
)


@cheat("parseJsonArrayLength(string,string)", returns="(uint256)")
def array_length(_cheats: Cheats, _site: Site, text: bytes, path: bytes) -> tuple[int]:
    """Return how many elements the array at a path has."""
    found = _single(json_text.parse, text, path)
    if not isinstance(found, list):
        raise CheatError(f"JSON value at {quoted(read(path))} is not an array")
    return (len(found),)

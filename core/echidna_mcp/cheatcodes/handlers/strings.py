"""`toString`, `parseUint`, `split`, `toBase64` and the like: texts and values."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from functools import partial
from typing import TYPE_CHECKING, Any

from echidna_mcp.abi.foundry_text import shown
from echidna_mcp.cheatcodes.handlers.formats.coercion import (
    TYPES,
    coerce,
)
from echidna_mcp.cheatcodes.handlers.formats.json_abi import ELEMENTARY
from echidna_mcp.cheatcodes.handlers.formats.literals import WHITE_SPACE
from echidna_mcp.cheatcodes.handlers.formats.text import check_size, read
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_NOT_FOUND = (1 << 256) - 1


def _to_string(kind: str, _cheats: Cheats, _site: Site, value: Any) -> tuple[bytes]:
    """Write a value of a type."""
    return (shown(value, kind).encode(),)


def _parse(kind: str, _cheats: Cheats, _site: Site, text: bytes) -> tuple[Any]:
    """Read a value of a type."""
    return (coerce(read(text), TYPES[kind]),)


for _name, _kind in ELEMENTARY:
    if _kind != "string":
        cheat(f"toString({_kind})", returns="(string)")(partial(_to_string, _kind))
        cheat(f"parse{_name}(string)", returns=f"({_kind})")(partial(_parse, _kind))


@cheat("toLowercase(string)", returns="(string)")
def to_lowercase(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text in lower case."""
    return (read(text).lower().encode(),)


@cheat("toUppercase(string)", returns="(string)")
def to_uppercase(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text in upper case."""
    return (read(text).upper().encode(),)


@cheat("trim(string)", returns="(string)")
def trim(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text without white space at its ends."""
    return (read(text).strip(WHITE_SPACE).encode(),)


@cheat("replace(string,string,string)", returns="(string)")
def replace(
    _cheats: Cheats, _site: Site, text: bytes, old: bytes, new: bytes
) -> tuple[bytes]:
    """Return a text with one part replaced wherever it is."""
    subject, part, other = read(text), read(old), read(new)
    check_size(len(text) + subject.count(part) * len(new))
    return (subject.replace(part, other).encode(),)


@cheat("split(string,string)", returns="(string[])")
def split(
    _cheats: Cheats, _site: Site, text: bytes, delimiter: bytes
) -> tuple[tuple[bytes, ...]]:
    """Return what stands between delimiters; between characters if it is empty."""
    subject, mark = read(text), read(delimiter)
    parts = subject.split(mark) if mark else ["", *subject, ""]
    return (tuple(part.encode() for part in parts),)


@cheat("indexOf(string,string)", returns="(uint256)")
def index_of(_cheats: Cheats, _site: Site, text: bytes, part: bytes) -> tuple[int]:
    """Return at which byte a part begins first; the greatest number if nowhere."""
    found = read(text).encode().find(read(part).encode())
    return (_NOT_FOUND if found < 0 else found,)


@cheat("contains(string,string)", returns="(bool)")
def contains(_cheats: Cheats, _site: Site, text: bytes, part: bytes) -> tuple[bool]:
    """Tell whether a text has a part."""
    return (read(part) in read(text),)


@cheat("toBase64(bytes)", returns="(string)")
def to_base64(_cheats: Cheats, _site: Site, data: bytes) -> tuple[bytes]:
    """Return bytes in base 64."""
    return (b64encode(data),)


@cheat("toBase64(string)", returns="(string)")
def text_to_base64(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text in base 64."""
    return (b64encode(read(text).encode()),)


@cheat("toBase64URL(bytes)", returns="(string)")
def to_base64_url(_cheats: Cheats, _site: Site, data: bytes) -> tuple[bytes]:
    """Return bytes in the base 64 of addresses of the web."""
    return (urlsafe_b64encode(data),)


@cheat("toBase64URL(string)", returns="(string)")
def text_to_base64_url(_cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text in the base 64 of addresses of the web."""
    return (urlsafe_b64encode(read(text).encode()),)

"""Strings of contracts: any bytes, which Foundry takes for UTF-8."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from echidna_mcp.cheatcodes.errors import CheatError

MOST_TEXT: Final = 1 << 24
"""Bytes of a text that a cheatcode may make. A few calls could ask for any number."""
_ESCAPES: Final[Mapping[str, str]] = MappingProxyType(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
)


def read(data: bytes) -> str:
    """Return a string of a contract; what is not UTF-8 is replaced, as Foundry does."""
    return data.decode("utf-8", "replace")


def not_unicode(data: bytes) -> str:
    """Return why bytes are no text, in the words of Rust; nothing if they are one."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data":
            return f"incomplete utf-8 byte sequence from index {error.start}"
        size = error.end - error.start
        return f"invalid utf-8 sequence of {size} bytes from index {error.start}"
    return ""


def quoted(text: str) -> str:
    """Return a text as messages quote it."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    """Return a character as Rust quotes it."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character < " " or "\x7f" <= character <= "\x9f":
        return f"\\u{{{ord(character):x}}}"
    return character


def check_size(size: int) -> None:
    """Refuse to make a text of more bytes than anything could use.

    Raises:
        CheatError: it is longer than `MOST_TEXT`.
    """
    if size > MOST_TEXT:
        raise CheatError(f"the result would have {size} bytes, more than {MOST_TEXT}")

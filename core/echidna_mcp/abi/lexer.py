"""Tokens of Solidity-like text.

A token that can't be understood is passed on as it is, so that the parser can say which
argument it stands in and what would have been expected there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

TokenKind: TypeAlias = Literal["name", "number", "string", "hex", "mark", "end"]

_SPACE = re.compile(r"\s*")
_LITERAL = re.compile(r"(hex|unicode)?(?=[\"'])")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
# A number reaches to the next delimiter, so that `0x12…` is one wrong word, not three.
_NUMBER = re.compile(r"\.?[0-9][^\s,()\[\]{}\"':;?]*")
_ESCAPE = re.compile(r"\\(?:([nrt\\\"'])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
_SIMPLE = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\", '"': b'"', "'": b"'"}
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}(?:_?[0-9a-fA-F]{2})*)?\Z")


class Problem(Exception):  # noqa: N818 - a note between our modules, not an error class
    """Why text can't be read; `calls` makes a `CallSyntaxError` of it.

    Attributes:
        message: the end of a sentence.
        position: 0-based index of a character.
        function: name of the function that is called, if it is known.
        argument: 1-based number of the argument, if it is known.
        expected: name of the type that was expected, if it is known.
    """

    def __init__(
        self,
        message: str,
        position: int,
        *,
        expected: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.function: str | None = None
        self.argument: int | None = None
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text; `data` holds the bytes of a string or hex literal."""

    kind: TokenKind
    text: str
    position: int
    data: bytes = b""

    @property
    def end(self) -> int:
        """Index of the first character after it."""
        return self.position + len(self.text)


def next_token(source: str, start: int) -> Token:
    """Return the first token at or after `start`.

    Raises:
        Problem: a string or hex literal is broken.
    """
    space = _SPACE.match(source, start)
    at = space.end() if space else start
    if at >= len(source):
        return Token("end", "", len(source))
    if literal := _LITERAL.match(source, at):
        return _literal(source, at, literal[1] or "")
    if name := _NAME.match(source, at):
        return Token("name", name[0], at)
    if number := _NUMBER.match(source, at):
        return Token("number", number[0], at)
    return Token("mark", source[at], at)


def _literal(source: str, start: int, prefix: str) -> Token:
    at = start + len(prefix)
    quote = source[at]
    at += 1
    data = bytearray()
    while at < len(source) and source[at] != quote:
        if source[at] == "\\":
            escape = _ESCAPE.match(source, at)
            if escape is None:
                raise Problem(
                    f"`{source[at : at + 2]}` at position {at} is no escape; write "
                    r"\n, \r, \t, \\, \" or \' or a byte as \xNN or a character "
                    r"as \uNNNN",
                    at,
                )
            data += _escaped(escape)
            at = escape.end()
        else:
            data += _utf8(source[at], at)
            at += 1
    if at >= len(source):
        raise Problem(f"the string at position {start} has no closing {quote}", start)
    text = source[start : at + 1]
    if prefix != "hex":
        return Token("string", text, start, bytes(data))
    digits = text[4:-1]
    if not _HEX.match(digits):
        raise Problem(
            f"the literal at position {start} needs two hex digits for each byte", start
        )
    return Token("hex", text, start, bytes.fromhex(digits.replace("_", "")))


def _escaped(escape: re.Match[str]) -> bytes:
    simple, byte, character = escape.groups()
    if simple:
        return _SIMPLE[simple]
    if byte:
        return bytes.fromhex(byte)
    return _utf8(chr(int(character, 16)), escape.start())


def _utf8(character: str, at: int) -> bytes:
    try:
        return character.encode()
    except UnicodeEncodeError:
        raise Problem(
            f"the character at position {at} is half of a surrogate pair; write the "
            r"whole character, or its bytes as \xNN",
            at,
        ) from None

"""Single values that are written as text, and where they stop being ones.

Source: alloy, `crates/dyn-abi/src/coerce.rs`; winnow, how it shows errors of parsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
from echidna_mcp.abi.types import Elementary, bounds
from echidna_mcp.abi.values import Value

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Unicode says is white space. `str.strip` has four control characters more."""

_LETTERS: Final = re.compile(r"[a-zA-Z]*")
_DIGITS: Final = re.compile(r"[0-9]*")
_HEX_DIGITS: Final = re.compile(r"[0-9a-fA-F]*")
_SPACES: Final = re.compile(r"[ \t]*")
_EXPONENT: Final = re.compile(r"[eE]([+-]?[1-9][0-9]*|0)")
"""As of winnow: no zero in front, and none with a sign."""
_DECIMALS: Final = {"ether": 18, "gwei": 9, "nanoether": 9, "nano": 9, "wei": 0, "": 0}
_BASES: Final = {"0b": 2, "0o": 8, "0x": 16}
_MOST_DECIMALS: Final = 77
"""10^78 is no uint256."""
_MOST_EXPONENT: Final = 1 << 63
_WORD: Final = 1 << 256
_ADDRESS_SIZE: Final = 20
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}

_NO_DIGIT: Final = "expected at least one digit"
_NO_HEX: Final = "expected hex digits or the `0x` prefix for an empty hex string"
_TOO_LARGE: Final = "number too large to fit in target type"
_NO_WORD: Final = "the value is too large to fit the target type"


class UnreadError(Exception):
    """A text that writes no value of the type.

    Attributes:
        at: character where it was found out.
    """

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at

    def shown(self, text: str) -> str:
        """Return why, below the text and a mark at the place, as forge shows it."""
        before = text[: self.at]
        if "\n" not in text:
            return f"{text}\n{' ' * len(before.encode())}^\n{self}"
        line, column = before.count("\n"), self.at - before.rfind("\n") - 1
        if text[-1] == "\n" and self.at == len(text):
            line, column = line - 1, len(text.split("\n")[line - 1]) + 1
        margin = " " * len(str(line + 1))
        return (
            f"parse error at line {line + 1}, column {column + 1}\n{margin} |\n"
            f"{line + 1} | {text.split(chr(10))[line]}\n{margin} | {' ' * column}^\n"
            f"{self}"
        )


def read_literal(text: str, abi_type: Elementary) -> Value:
    """Return the value that a text writes.

    Raises:
        UnreadError: it writes none.
    """
    value, end = _READERS[abi_type.kind](text, abi_type)
    if end != len(text):
        raise UnreadError("", end)
    return value


def _bool(text: str, _abi_type: Elementary) -> tuple[bool, int]:
    found = _BOOLEANS.get(text.lower() if text.isascii() else text)
    if found is not None:
        return found, len(text)
    end = _end(_LETTERS, text, 0)
    if text[:end] not in ("true", "false"):
        raise UnreadError("invalid boolean", end)
    return text[:end] == "true", end


def _int(text: str, abi_type: Elementary) -> tuple[int, int]:
    number, end = _magnitude(text, int(text[:1] in ("+", "-")), _WORD - 1)
    if text.startswith("-"):
        number = -number
    least, greatest = bounds(abi_type)
    if not least <= number <= greatest:
        raise UnreadError(_TOO_LARGE)
    return number, end


def _uint(text: str, abi_type: Elementary) -> tuple[int, int]:
    return _magnitude(text, 0, bounds(abi_type)[1])


def _magnitude(text: str, at: int, greatest: int) -> tuple[int, int]:
    """Return the number without a sign that begins somewhere, and where it ends."""
    base = _BASES.get(text[at : at + 2].lower(), 10)
    start = at if base == 10 else at + 2
    at = _end(_DIGITS if base == 10 else _HEX_DIGITS, text, start)
    whole = text[start:at]
    if not whole:
        raise UnreadError(_NO_DIGIT, start)
    fraction = ""
    if text[at : at + 1] == ".":
        start, at = at + 1, _end(_DIGITS, text, at + 1)
        fraction = text[start:at]
        if not fraction:
            raise UnreadError(_NO_DIGIT, start)
    integer = _integer(whole, base, at)
    exponent = _EXPONENT.match(text, at)
    power = 0 if exponent is None else _power(exponent[1])
    if exponent is not None and -_MOST_EXPONENT <= power < _MOST_EXPONENT:
        at = exponent.end()
    else:
        power = 0
    start = _end(_SPACES, text, at)
    at = _end(_LETTERS, text, start)
    unit = text[start:at]
    if unit not in _DECIMALS:
        raise UnreadError("", at)
    number = _scaled(integer, fraction, _DECIMALS[unit] + power, at)
    if number > greatest:
        raise UnreadError(_TOO_LARGE, at)
    return number, at


def _power(text: str) -> int:
    """Return an exponent, or one that is too large for 64 bits."""
    return int(text) if len(text) <= len(str(-_MOST_EXPONENT)) else _MOST_EXPONENT


def _integer(digits: str, base: int, at: int) -> int:
    """Return the number of some digits in a base, as long as it is a word."""
    number = 0
    for each in digits.lstrip("0"):
        digit = int(each, 16)
        if digit >= base:
            raise UnreadError(f"digit {digit} is out of range for base {base}", at)
        number = number * base + digit
        if number >= _WORD:
            raise UnreadError(_NO_WORD, at)
    return number


def _scaled(integer: int, fraction: str, decimals: int, at: int) -> int:
    """Return a number with a fraction, times a power of ten."""
    if decimals < 0:
        raise UnreadError("negative units not allowed", at)
    part = _integer(fraction, 10, at)
    if part and not decimals:
        raise UnreadError(f"non-zero fraction .{part} not allowed", at)
    if len(fraction) > decimals:
        raise UnreadError(
            f"expected at most {decimals} decimals, got {len(fraction)}", at
        )
    if decimals > _MOST_DECIMALS:
        raise UnreadError(_TOO_LARGE, at)
    digits = integer * 10 ** len(fraction) + part
    number: int = digits * 10 ** (decimals - len(fraction))
    return number


def _hex(text: str) -> tuple[str, int]:
    """Return the hexadecimal digits that a text begins with, and where they end."""
    start = 2 if text.startswith("0x") else 0
    end = _end(_HEX_DIGITS, text, start)
    if not end:
        raise UnreadError(_NO_HEX)
    return text[start:end], end


def _decoded(digits: str, size: int | None, at: int) -> bytes:
    if len(digits) % 2:
        raise UnreadError("odd number of digits", at)
    if size not in (None, len(digits) // 2):
        raise UnreadError("invalid string length", at)
    return bytes.fromhex(digits)


def _bytes(text: str, _abi_type: Elementary) -> tuple[bytes, int]:
    digits, end = _hex(text)
    return _decoded(digits, None, 0), end


def _fixed_bytes(text: str, abi_type: Elementary) -> tuple[bytes, int]:
    digits, end = _hex(text)
    return _decoded(digits, abi_type.size, end), end


def _address(text: str, _abi_type: Elementary) -> tuple[int, int]:
    digits, end = _hex(text)
    return int.from_bytes(_decoded(digits, _ADDRESS_SIZE, 0), "big"), end


def _string(text: str, _abi_type: Elementary) -> tuple[bytes, int]:
    if text[:1] not in ("'", '"'):
        return text.rstrip(WHITE_SPACE).encode(), len(text)
    end = text.find(text[0], 1)
    if end < 0:
        raise UnreadError("invalid string", len(text))
    return text[1:end].encode(), end + 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return where what fits a pattern ends."""
    found = pattern.match(text, at)
    return at if found is None else found.end()


_READERS: Final[Mapping[int, Callable[[str, Elementary], tuple[Value, int]]]] = (
    MappingProxyType(
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
)

"""`console.log`: what calls of the console print.

Source of the functions: `console.sol` of forge-std and `console.sol` of Hardhat, whose
older versions took `uint` and `int` as they stand for selectors. Source of what is
printed: Foundry 1.7.1, section "Logs" of `forge test -vv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final

from echidna_mcp.abi.encoding import decode_arguments
from echidna_mcp.abi.foundry_text import address_text, hex_text
from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.types import Tuple, parse_tuple, type_name
from echidna_mcp.abi.values import Value
from echidna_mcp.errors import InvalidInputError

_MIXED: Final = ("uint256", "string", "bool", "address")
_MOST_ARGUMENTS: Final = 4
_OLD_NAMES: Final = {"uint256": "uint", "int256": "int"}
_SPECIFIER: Final = re.compile(r"%(?:%|s|d|i|o|x|(\d*)e)")


@cache
def console_functions() -> dict[bytes, Tuple]:
    """Return the parameters of all functions of the console, by selector."""
    found: dict[bytes, Tuple] = {}
    for name, types in _signatures():
        inputs = parse_tuple(f"({','.join(types)})")
        old = [_OLD_NAMES.get(each, each) for each in types]
        for written in (types, old):
            found[selector_of(f"{name}({','.join(written)})")] = inputs
    return found


def _signatures() -> Iterator[tuple[str, Sequence[str]]]:
    yield "log", ()
    for count in range(1, _MOST_ARGUMENTS + 1):
        for types in product(_MIXED, repeat=count):
            yield "log", types
    sized = [f"bytes{size}" for size in range(1, 33)]
    for kind in ("int256", "bytes", *sized):
        yield "log", (kind,)
    yield "log", ("string", "int256")
    named = ("Int:int256", "Uint:uint256", "String:string", "Bool:bool")
    for each in (*named, "Address:address", "Bytes:bytes"):
        name, _, kind = each.partition(":")
        yield f"log{name}", (kind,)
    for kind in sized:
        yield f"logB{kind[1:]}", (kind,)


def console_text(data: bytes) -> str | None:
    """Return what a call of the console prints; None if it has no such function.

    A text in the first place may say how the others are written, with `%s`, `%d`, `%i`,
    `%o`, `%x`, `%e`, `%18e`, and `%%` for a per cent sign; those that it does not
    mention follow.
    """
    inputs = console_functions().get(data[:4])
    if inputs is None:
        return None
    try:
        values = decode_arguments(inputs, data[4:])
    except InvalidInputError:
        return None
    kinds = [type_name(each) for each in inputs.members]
    pairs = list(zip(kinds, values, strict=True))
    parts = []
    if len(pairs) > 1 and kinds[0] == "string":
        formatted, pairs = _formatted(_plain("string", values[0]), pairs[1:])
        parts.append(formatted)
    return " ".join([*parts, *(_plain(kind, value) for kind, value in pairs)])


def _formatted(
    text: str, pairs: list[tuple[str, Value]]
) -> tuple[str, list[tuple[str, Value]]]:
    """Fill in a text; return it, and the values that it does not mention."""
    left = list(pairs)

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if not left:
            return match[0]
        kind, value = left.pop(0)
        return _specified(match[0][-1], match[1], kind, value)

    return _SPECIFIER.sub(fill, text), left


def _plain(kind: str, value: Value) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace") if kind == "string" else hex_text(value)
    assert isinstance(value, int), "the console takes no arrays"
    return address_text(value) if kind == "address" else str(value)


def _specified(how: str, digits: str | None, kind: str, value: Value) -> str:
    """Return a value as a specifier asks for it; `NaN` if it is none of that kind."""
    plain = _plain(kind, value)
    if how == "s":
        return plain
    number = kind.startswith(("uint", "int"))
    if how == "o":
        return plain if number else f"'{plain}'"
    if number:
        assert isinstance(value, int), "numbers are"
        return _number(how, digits, value)
    if how == "x" and (kind == "address" or kind.startswith("bytes")):
        return plain
    return str(int(bool(value))) if (how, kind) == ("d", "bool") else "NaN"


def _number(how: str, digits: str | None, value: int) -> str:
    if how == "x":
        return hex(value % (1 << 256))
    if how != "e":
        return str(value)
    sign, size = "-" if value < 0 else "", str(abs(value))
    exponent = int(digits) if digits else len(size) - 1
    size = size.rjust(exponent + 1, "0")
    whole, part = size[: len(size) - exponent], size[len(size) - exponent :]
    part = part.rstrip("0")
    ending = "" if digits else f"e{exponent}"
    return f"{sign}{whole}{'.' if part else ''}{part}{ending}"

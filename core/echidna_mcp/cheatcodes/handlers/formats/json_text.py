"""JSON and TOML as Python values.

Objects are dicts in their order, numbers keep their text (`JsonNumber`). The depth is
limited as in Foundry, before Python's own limit, which depends on who calls, is met.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats import numbers

_DEEPEST: Final = 127
_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TOML_STRINGS: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|'
    r"'''.*?'''|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)
_OPENING, _CLOSING = "[{", "]}"
_BOTH: Final = re.compile(r"[\[\]{}]")
_LEAST_INTEGER, _MOST_INTEGER = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class JsonNumber:
    """A number of JSON, as `numbers.normal` writes it."""

    text: str


def parse(text: str) -> Any:
    """Return what a JSON text says.

    Raises:
        CheatError: it is none.
    """
    _check_depth(_STRINGS.sub("", text), "JSON")
    try:
        found = json.loads(
            text, parse_int=_number, parse_float=_number, parse_constant=_refuse
        )
        json.dumps(found, default=_text_of, ensure_ascii=False).encode()
    except ValueError as error:  # A half of a surrogate pair is one as well.
        raise CheatError(f"failed parsing JSON: {error}") from None
    return found


def parse_toml(text: str) -> Any:
    """Return what a TOML text says, as if it were JSON.

    Raises:
        CheatError: it is none.
    """
    _check_depth(_TOML_STRINGS.sub("", text), "TOML")
    try:
        found = tomllib.loads(text, parse_float=_toml_float)
    except (ValueError, RecursionError) as error:
        raise CheatError(f"failed parsing TOML: {error}") from None
    return _from_toml(found, 0)


def dump(value: Any) -> str:
    """Return the shortest JSON text of a value."""
    match value:
        case JsonNumber(text=text):
            return text
        case list():
            return f"[{','.join(map(dump, value))}]"
        case dict():
            members = (f"{dump(key)}:{dump(each)}" for key, each in value.items())
            return f"{{{','.join(members)}}}"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _check_depth(text: str, language: str) -> None:
    """Refuse brackets in brackets without end; the text has no strings any more."""
    depth = 0
    for found in _BOTH.finditer(text):
        depth += 1 if found[0] in _OPENING else -1
        if depth > _DEEPEST:
            raise CheatError(f"failed parsing {language}: recursion limit exceeded")


def _number(text: str) -> JsonNumber:
    return JsonNumber(numbers.normal(text))


def _text_of(value: JsonNumber) -> str:
    return value.text


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _toml_float(text: str) -> JsonNumber:
    written = None if text.lstrip("+-") in ("nan", "inf") else numbers.written(text)
    if written is None:
        raise ValueError(f"{text} is no number that JSON has")
    return JsonNumber(written)


def _from_toml(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise CheatError("failed parsing TOML: recursion limit exceeded")
    match value:
        case bool() | str() | JsonNumber():
            return value
        case int():
            if not _LEAST_INTEGER <= value <= _MOST_INTEGER:
                raise CheatError(f"failed parsing TOML: {value:#x} is too large")
            return JsonNumber(str(value))
        case list():
            return [_from_toml(each, depth + 1) for each in value]
        case dict():
            return {key: _from_toml(each, depth + 1) for key, each in value.items()}
        case _:
            return _moment(value.isoformat())


def _moment(text: str) -> str:
    """Return a date, a time or both as TOML writes it."""
    head, dot, fraction = text.partition(".")
    if dot:
        digits = re.match(r"\d+", fraction)
        assert digits is not None
        text = f"{head}.{digits[0].rstrip('0')}{fraction[digits.end() :]}"
    return text.replace("+00:00", "Z")

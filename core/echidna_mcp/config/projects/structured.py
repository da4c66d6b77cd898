"""JSON and TOML of configuration files, with exact numbers and no surprises."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from echidna_mcp.config.document import number_of
from echidna_mcp.errors import ConfigError

_MOST_DEPTH = 64
_BRACKETS = re.compile(r"[\[\]{}]")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_QUOTED = re.compile("\"[^\"]*\"|'[^']*'")


def read_json(source: str, path: Path) -> Mapping[str, Any]:
    """Return the object that a JSON file holds; an empty file is an empty one.

    Raises:
        ConfigError: it is no JSON object, repeats a key, or is nested too deeply.
    """
    if not source.strip():
        return {}
    _refuse_deep_brackets(source, path)
    try:
        data = json.loads(
            source.removeprefix("\ufeff"),
            object_pairs_hook=_once,
            parse_int=number_of,
            parse_float=number_of,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}, line {error.lineno}: this is no JSON: {error.msg}."
        ) from None
    except _Unfit as error:
        raise ConfigError(f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: this is no JSON object.")
    _refuse_odd_values(data, path)
    return data


def read_toml(source: str, path: Path) -> Mapping[str, Any]:
    """Return the table that a TOML file holds.

    Raises:
        ConfigError: it is no TOML, or is nested too deeply.
    """
    _refuse_long_keys(source, path)
    try:
        data = tomllib.loads(source.removeprefix("\ufeff"), parse_float=number_of)
    except RecursionError:
        raise ConfigError(f"{path}: the TOML is nested too deeply.") from None
    except ValueError as error:  # Also for numbers of more digits than Python reads.
        raise ConfigError(f"{path} can't be read: it is no TOML: {error}.") from None
    _refuse_odd_values(data, path)
    return data


def _refuse_deep_brackets(source: str, path: Path) -> None:
    """Refuse JSON of a depth that a stack may not have, or some other recursion.

    Raises:
        ConfigError: it is nested so deeply.
    """
    depth = 0
    for bracket in _BRACKETS.findall(_JSON_STRING.sub("", source)):
        depth += 1 if bracket in "[{" else -1
        if depth > _MOST_DEPTH:
            raise ConfigError(f"{path}: the JSON is nested too deeply.")


def _refuse_long_keys(source: str, path: Path) -> None:
    """Refuse `a.a.a…`: tomllib takes minutes for what is deep but small.

    Raises:
        ConfigError: there is a key of more parts than values may be deep.
    """
    for line in source.splitlines():
        bare = _QUOTED.sub("", line).partition("#")[0]
        if bare.count(".") > _MOST_DEPTH:
            raise ConfigError(f"{path}: the TOML is nested too deeply.")


class _Unfit(Exception):  # noqa: N818 - what is wrong, for `read_json`
    """JSON that Python reads and nobody should write."""


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Unfit(f"`{name[:60]}` is set twice; remove one of the two.")
        found[name] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise _Unfit(f"{name} is no number.")


def _refuse_odd_values(data: Mapping[str, Any], path: Path) -> None:
    """Refuse depth that would exhaust the stack of readers, and halves of characters.

    JSON can escape half of a surrogate pair, which no file name and no output can hold.

    Raises:
        ConfigError: there is such a value.
    """
    level: list[Any] = [data]
    depth = 0
    while level:
        if depth > _MOST_DEPTH:
            raise ConfigError(f"{path}: its values are nested too deeply.")
        following: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                following += (*value, *value.values())
            elif isinstance(value, list):
                following += value
            elif isinstance(value, str) and not value.isascii():
                _refuse_surrogates(value, path)
        level, depth = following, depth + 1


def _refuse_surrogates(text: str, path: Path) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(
            f"{path}: {text!a} holds half of a surrogate pair; write the character."
        ) from None

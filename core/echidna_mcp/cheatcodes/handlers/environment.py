"""`setEnv`, `envUint`, `envOr` and the like: variables of the environment.

A variable that nobody has set is asked for once a campaign, and recorded: another
machine gives the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cheatcodes.asking import found_outside
from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.coercion import (
    TYPES,
    coerce,
    coerce_all,
)
from echidna_mcp.cheatcodes.handlers.formats.json_abi import ELEMENTARY
from echidna_mcp.cheatcodes.handlers.formats.literals import WHITE_SPACE
from echidna_mcp.cheatcodes.handlers.formats.text import check_size, quoted, read
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.evm.outside import Request

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_PLACEHOLDER: Final = re.compile(r"\$\{\s*(.*?)\s*\}")


@cheat("setEnv(string,string)")
def set_env(cheats: Cheats, _site: Site, name: bytes, value: bytes) -> None:
    """Set a variable."""
    if not name:
        raise CheatError("environment variable key can't be empty")
    if b"=" in name:
        raise CheatError("environment variable key can't contain equal sign `=`")
    for what, text in (("key", name), ("value", value)):
        if b"\0" in text:
            raise CheatError(
                f"environment variable {what} can't contain NUL character `\\0`"
            )
    held = cheats.held
    held.environment = {**held.environment, read(name): read(value)}


@cheat("envExists(string)", returns="(bool)")
def env_exists(cheats: Cheats, _site: Site, name: bytes) -> tuple[bool]:
    """Tell whether there is a variable."""
    try:
        return (_variable(cheats, "envExists(string)", read(name)) is not None,)
    except UnsupportedError:
        raise
    except CheatError:  # It is no text.
        return (False,)


@cheat("resolveEnv(string)", returns="(string)")
def resolve_env(cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text with the values of variables in place of `${NAME}`."""
    template = read(text)
    names = [found[1] for found in _PLACEHOLDER.finditer(template)]
    values = {name: _variable(cheats, "resolveEnv(string)", name) for name in names}
    for name, value in values.items():
        if value is None:
            raise CheatError(
                f"failed to resolve env var: environment variable `{name}` not found"
            )
    check_size(len(text) + sum(len(values[name] or "") for name in names))
    return (_PLACEHOLDER.sub(lambda found: values[found[1]] or "", template).encode(),)


def _one(
    signature: str, kind: str, cheats: Cheats, _site: Site, name: bytes
) -> tuple[Any]:
    """Return a variable as a value of a type."""
    value = _known(cheats, signature, name)
    with _named(read(name), value):
        return (coerce(value, TYPES[kind]),)


def _many(
    signature: str,
    kind: str,
    cheats: Cheats,
    _site: Site,
    name: bytes,
    delimiter: bytes,
) -> tuple[Any]:
    """Return the values of a type between the delimiters in a variable."""
    value, mark = _known(cheats, signature, name), read(delimiter)
    parts = value.split(mark) if mark else ["", *value, ""]
    with _named(read(name), value):
        return (coerce_all([part.strip(WHITE_SPACE) for part in parts], TYPES[kind]),)


@contextmanager
def _named(name: str, value: str) -> Iterator[None]:
    """Let errors name a variable in place of its value, which may be a secret."""
    try:
        yield
    except CheatError as error:
        text = str(error).replace(f'"{value}"', f"${name}", 1)
        raise CheatError(text.replace(f"\n{value}\n", f"\n${name}\n", 1)) from None


def _one_or(
    signature: str, kind: str, cheats: Cheats, site: Site, name: bytes, default: Any
) -> tuple[Any]:
    """Do the same as `_one`; return another value if there is none."""
    try:
        return _one(signature, kind, cheats, site, name)
    except UnsupportedError:
        raise
    except CheatError:
        return (default,)


def _many_or(
    signature: str,
    kind: str,
    cheats: Cheats,
    site: Site,
    name: bytes,
    delimiter: bytes,
    default: Any,
) -> tuple[Any]:
    """Do the same as `_many`; return other values if there are none."""
    try:
        return _many(signature, kind, cheats, site, name, delimiter)
    except UnsupportedError:
        raise
    except CheatError:
        return (default,)


for _name, _kind in ELEMENTARY:
    for _signature, _handler, _returns in (
        (f"env{_name}(string)", _one, f"({_kind})"),
        (f"env{_name}(string,string)", _many, f"({_kind}[])"),
        (f"envOr(string,{_kind})", _one_or, f"({_kind})"),
        (f"envOr(string,string,{_kind}[])", _many_or, f"({_kind}[])"),
    ):
        _asking: Any = partial(_handler, _signature, _kind)
        cheat(_signature, returns=_returns)(_asking)


def _known(cheats: Cheats, signature: str, name: bytes) -> str:
    value = _variable(cheats, signature, read(name))
    if value is None:
        raise CheatError(f"environment variable {quoted(read(name))} not found")
    return value


def _variable(cheats: Cheats, signature: str, name: str) -> str | None:
    """Return the value of a variable, None if it is not set.

    Raises:
        CheatError: it is no text.
    """
    value = cheats.held.environment.get(name)
    if value is not None:
        return value
    request = Request(kind="variable", arguments=(name,))
    found = found_outside(cheats, signature, request)
    return read(found[0]) if found else None

"""`setEnv`, `envUint`, `envOr` and the like: variables of the environment.

Their values are those that the campaign began with and those that were set since, never
those of the process: another machine must give the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cheatcodes.errors import CheatError
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
    return (_variable(cheats, read(name)) is not None,)


@cheat("resolveEnv(string)", returns="(string)")
def resolve_env(cheats: Cheats, _site: Site, text: bytes) -> tuple[bytes]:
    """Return a text with the values of variables in place of `${NAME}`."""
    template = read(text)
    names = [found[1] for found in _PLACEHOLDER.finditer(template)]
    values = {name: _variable(cheats, name) for name in names}
    for name, value in values.items():
        if value is None:
            raise CheatError(
                f"failed to resolve env var: environment variable `{name}` not found"
            )
    check_size(len(text) + sum(len(values[name] or "") for name in names))
    return (_PLACEHOLDER.sub(lambda found: values[found[1]] or "", template).encode(),)


def _one(kind: str, cheats: Cheats, _site: Site, name: bytes) -> tuple[Any]:
    """Return a variable as a value of a type."""
    value = _known(cheats, name)
    with _named(read(name), value):
        return (coerce(value, TYPES[kind]),)


def _many(
    kind: str, cheats: Cheats, _site: Site, name: bytes, delimiter: bytes
) -> tuple[Any]:
    """Return the values of a type between the delimiters in a variable."""
    value, mark = _known(cheats, name), read(delimiter)
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
    kind: str, cheats: Cheats, site: Site, name: bytes, default: Any
) -> tuple[Any]:
    """Do the same as `_one`; return another value if there is none."""
    try:
        return _one(kind, cheats, site, name)
    except CheatError:
        return (default,)


def _many_or(
    kind: str, cheats: Cheats, site: Site, name: bytes, delimiter: bytes, default: Any
) -> tuple[Any]:
    """Do the same as `_many`; return other values if there are none."""
    try:
        return _many(kind, cheats, site, name, delimiter)
    except CheatError:
        return (default,)


for _name, _kind in ELEMENTARY:
    _single, _array = f"({_kind})", f"({_kind}[])"
    cheat(f"env{_name}(string)", returns=_single)(partial(_one, _kind))
    cheat(f"env{_name}(string,string)", returns=_array)(partial(_many, _kind))
    cheat(f"envOr(string,{_kind})", returns=_single)(partial(_one_or, _kind))
    cheat(f"envOr(string,string,{_kind}[])", returns=_array)(partial(_many_or, _kind))


def _known(cheats: Cheats, name: bytes) -> str:
    value = _variable(cheats, read(name))
    if value is None:
        raise CheatError(f"environment variable {quoted(read(name))} not found")
    return value


def _variable(cheats: Cheats, name: str) -> str | None:
    value = cheats.held.environment.get(name)
    return value if value is not None else dict(cheats.settings.environment).get(name)

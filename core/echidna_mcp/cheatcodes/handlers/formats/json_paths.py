"""Places in JSON, as jsonpath_lib writes them: `.a.b`, `['a']`, `[0]`, `..a`.

What stands behind a complete path is ignored, as that library does. Filters, `[?(…)]`,
are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from echidna_mcp.cheatcodes.errors import CheatError, UnsupportedError
from echidna_mcp.cheatcodes.handlers.formats.text import quoted

_Step: TypeAlias = Callable[[Any], Iterator[Any]]
_KEY: Final = re.compile(
    r"""(?:\$[^\s$.*\[\]()@?,:<>=&|!]|[^\s$.*\[\]()@?,:<>=&|!'"])"""
    r"[^\s$.*\[\]()@?,:<>=&|!]*"
)
_BRACKETS: Final = re.compile(
    r"""\[(?:(?<!\.\[)\s*|(?!\s))(?:
        (?P<all>\*)
        |(?P<slice>(?P<from>[+-]?\d+)?\s*:\s*(?P<to>[+-]?\d+)?\s*
            (?::\s*(?P<by>\d+)?)?)
        |(?P<indices>[+-]?\d+(?:\s*,\s*[+-]?\d+)*)
        |(?P<names>(?:'[^']*'|"[^"]*")(?:\s*,\s*(?:'[^']*'|"[^"]*"))*)
    )\s*\]""",
    re.VERBOSE | re.ASCII,
)
_NAME: Final = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_NUMBER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_BEGINNINGS: Final = re.compile(r"""\$(?:$|[\s.*\[\]()@?,:<>=&|!])""")
_ONE_INDEX: Final = re.compile(r"\.?\[\s*[+-]?\d+\s*\]", re.ASCII)
_SEVERAL: Final = re.compile(r"\[.*[,:].*\]")
_FILTER: Final = re.compile(r"\[\s*\?")
_NO_FILTERS: Final = "does not work with a filter, [?(…)], in the path yet."
_LONGEST_NUMBER: Final = 18


def select(value: Any, path: str) -> list[Any]:
    """Return all that is at a path, in the order of the text.

    Raises:
        CheatError: the path is none.
    """
    text = "$" if path == "." else path if path.startswith("$") else f"${path}"
    found = [value]
    for step in _steps(text):
        found = [each for one in found for each in step(one)]
    return found


def _steps(text: str) -> Iterator[_Step]:
    if not _BEGINNINGS.match(text):
        raise _no_path(text)
    at = 1
    while text.startswith((".", "["), at):
        start, deep = at, text.startswith("..", at)
        dotted = text[at] == "."
        at += 2 if deep else 1 if dotted else 0
        step, at = _step(text, at, dotted=dotted)
        if _ONE_INDEX.fullmatch(text, start, at):
            step = _of_members(step)
        if deep and _SEVERAL.search(text, start, at):
            raise UnsupportedError(
                "parseJson(string,string)",
                "does not work with several places behind two dots in the path yet.",
            )
        yield _below(step) if deep else step


def _step(text: str, at: int, *, dotted: bool) -> tuple[_Step, int]:
    if dotted and text.startswith("*", at):
        return _children, at + 1
    if dotted and (key := _KEY.match(text, at)):
        return _keyed(key[0]), key.end()
    found = _BRACKETS.match(text, at)
    if found is None:
        if _FILTER.match(text, at):
            raise UnsupportedError("parseJson(string,string)", _NO_FILTERS)
        raise _no_path(text)
    return _bracketed(found), found.end()


def _bracketed(found: re.Match[str]) -> _Step:
    if found["all"]:
        return _children
    if found["names"]:
        names = [one or other for one, other in _NAME.findall(found["names"])]
        return _together([_keyed(name) for name in names])
    if found["slice"]:
        start, end, by = (_integer(found[part]) for part in ("from", "to", "by"))
        if by == 0:  # Which ends forge.
            raise CheatError("failed selecting from JSON: a step of zero")
        return _sliced(slice(start, end, by))
    indices = _NUMBER.findall(found["indices"])
    return _together([_indexed(_integer(each) or 0) for each in indices])


def _integer(text: str | None) -> int | None:
    if text is None:
        return None
    if len(text) > _LONGEST_NUMBER:
        raise _no_path(text)
    return int(text)


def _no_path(text: str) -> CheatError:
    return CheatError(f"failed selecting from JSON: path error: {quoted(text)}")


def _together(steps: list[_Step]) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        for each in steps:
            yield from each(value)

    return step


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _keyed(name: str) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _indexed(index: int) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            at = index if index >= 0 else max(len(value) + index, 0)
            yield from value[at : at + 1]

    return step


def _of_members(step: _Step) -> _Step:
    """Return a step that, in an object, is done in each of its members."""

    def of_members(value: Any) -> Iterator[Any]:
        for each in value.values() if isinstance(value, dict) else (value,):
            yield from step(each)

    return of_members


def _sliced(part: slice) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[part]

    return step


def _below(step: _Step) -> _Step:
    """Return a step that is tried at a value and at all that is in it."""

    def deep(value: Any) -> Iterator[Any]:
        yield from step(value)
        for each in _children(value):
            yield from deep(each)

    return deep

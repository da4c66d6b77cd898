"""The two things that must be read from Solidity before compiling: imports, pragmas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<pragma>\bpragma\s+solidity\s+(?P<range>[^;]*);)
    |(?P<import>\bimport\b)
    |(?P<end>;)""",
    re.VERBOSE | re.DOTALL,
)


class Import(NamedTuple):
    """An import statement: its path and its line, from 1."""

    path: str
    line: int


def imports_of(source: str) -> tuple[Import, ...]:
    """Return what `source` imports, in order. Comments and strings are no imports."""
    found = []
    statement = -1
    for token in _TOKEN.finditer(source):
        match token.lastgroup:
            case "import":
                statement = token.start()
            case "string" if statement >= 0:
                line = source.count("\n", 0, statement) + 1
                found.append(Import(token["string"][1:-1], line))
                statement = -1
            case "end":
                statement = -1
    return tuple(found)


def pragmas_of(source: str) -> Iterator[str]:
    """Yield the version range of each `pragma solidity`."""
    for token in _TOKEN.finditer(source):
        if token["pragma"]:
            yield " ".join(token["range"].split())

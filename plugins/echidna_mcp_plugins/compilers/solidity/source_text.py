"""The two things that must be read from Solidity before compiling: imports, pragmas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# What does not end goes to the end of the text or line: solc refuses it anyway, and no
# other try is made from within it.
_TOKEN = re.compile(
    r"""(?P<skip>//[^\n\v\f\r\u2028\u2029]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n]++|\\.)*+(?:"|\\?\Z|(?=\n))
               |'(?:[^'\\\n]++|\\.)*+(?:'|\\?\Z|(?=\n)))
    |(?P<pragma>\bpragma\s+solidity\s+(?P<range>[^;]*+)(?:;|\Z))
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
    line, counted = 1, 0
    for token in _TOKEN.finditer(source):
        match token.lastgroup:
            case "import":
                statement = token.start()
            case "string" if statement >= 0:
                line += source.count("\n", counted, statement)
                counted = statement
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

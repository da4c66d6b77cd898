"""What must be read from Solidity before compiling: imports, pragmas, definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# What does not end goes to the end of the text or line: solc refuses it anyway, and no
# other try is made from within it.
_NO_CODE = r"""(?P<skip>//[^\n\v\f\r\u2028\u2029]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n]++|\\.)*+(?:"|\\?\Z|(?=\n))
               |'(?:[^'\\\n]++|\\.)*+(?:'|\\?\Z|(?=\n)))"""
_TOKEN = re.compile(
    _NO_CODE
    + r"""
    |(?P<pragma>\bpragma\s+solidity\s+(?P<range>[^;]*+)(?:;|\Z))
    |(?P<import>\bimport\b)
    |(?P<end>;)""",
    re.VERBOSE | re.DOTALL,
)

_SKIPPED = re.compile(_NO_CODE, re.VERBOSE | re.DOTALL)

_NAME = r"[A-Za-z_$][A-Za-z0-9_$]*+"
_GAP = r"(?:\s|//[^\n]*|/\*.*?\*/)++"
_DEFINITION = re.compile(
    _NO_CODE
    + rf"""
    |(?P<contract>\b(?P<abstract>abstract{_GAP})?(?P<kind>contract|interface|library)
      {_GAP}(?P<name>{_NAME}))
    |(?P<function>\bfunction{_GAP}(?P<called>{_NAME}))""",
    re.VERBOSE | re.DOTALL,
)


class Import(NamedTuple):
    """An import statement: its path and its line, from 1."""

    path: str
    line: int


def imports_of(source: str) -> tuple[Import, ...]:
    """Return what `source` imports, in order. Comments and strings are no imports."""
    found: list[Import] = []
    if "import" not in source:  # most of the time of large projects is spent here
        return ()
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


def code_of(source: str) -> str:
    """Return `source` without comments, and with all strings empty."""
    return _SKIPPED.sub(lambda found: '""' if found["string"] else " ", source)


class Outline(NamedTuple):
    """What a source defines, as far as its text tells.

    Attributes:
        names: contracts, interfaces and libraries.
        deployable: whether one of them is a contract that does not call itself
            abstract.
        functions: names of all functions.
    """

    names: frozenset[str]
    deployable: bool
    functions: frozenset[str]


def outline_of(source: str) -> Outline:
    """Return what `source` defines."""
    names, functions = set(), set()
    deployable = False
    for token in _DEFINITION.finditer(source):
        match token.lastgroup:
            case "contract":
                names.add(token["name"])
                concrete = token["kind"] == "contract" and not token["abstract"]
                deployable = deployable or concrete
            case "function":
                functions.add(token["called"])
    return Outline(frozenset(names), deployable, frozenset(functions))

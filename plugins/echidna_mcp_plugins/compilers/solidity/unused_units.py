"""Of which sources no other source has code: they name none, or there is none.

Test libraries import consoles and helpers of which a project uses some, and interfaces
of hundreds of functions. The syntax trees of the others are most of what solc prints,
and nobody reads them: no code that runs comes from there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from echidna_mcp_plugins.compilers.solidity.source_text import code_of

_NAME = r"[A-Za-z_$][\w$]*+"
_IMPORT = re.compile(r"\bimport\b[^;]*+;")
_RENAMED = re.compile(rf"({_NAME})\s+as\s+({_NAME})")
_WORD = re.compile(_NAME)
_INNERMOST = re.compile(r"\{[^{}]*+\}")
_LIBRARY = re.compile(rf"\blibrary\s+({_NAME})")
_NO_DEFINITION = r"pragma\b[^;]*+;|import\b[^;]*+;|\s++"
_LIBRARIES = re.compile(rf"(?:{_NO_DEFINITION}|library\s+{_NAME})*+")
_PATH = rf"{_NAME}(?:\s*+\.\s*+{_NAME})*+"
_INTERFACES = re.compile(
    rf"(?:{_NO_DEFINITION}|interface\s+{_NAME}"
    rf"(?:\s+is\s+{_PATH}(?:\s*+,\s*+{_PATH})*+)?+)*+"
)


class _Unit(NamedTuple):
    """What the text of a unit tells.

    Attributes:
        libraries: their names, if it defines nothing else.
        has_code: whether it may define anything but interfaces.
        words: all that stands there outside of imports.
        renamed: what its imports rename, and how.
    """

    libraries: frozenset[str]
    has_code: bool
    words: frozenset[str]
    renamed: tuple[tuple[str, str], ...]


def unused_units(
    sources: Mapping[str, str], entries: Collection[str]
) -> frozenset[str]:
    """Return units of which no code can be in a contract of another unit.

    That is what can be told from text: units that hold interfaces and nothing else; and
    those that hold libraries and nothing else, whose names stand in no other unit, but
    in imports.

    Args:
        sources: text by unit, all that is compiled.
        entries: units that are meant themselves, used or not.
    """
    units = {unit: _read(text) for unit, text in sources.items()}
    aliases: dict[str, set[str]] = {}
    for each in units.values():
        for name, alias in each.renamed:
            aliases.setdefault(name, set()).add(alias)
    found = set()
    for unit in units.keys() - entries:
        names = _with_aliases(units[unit].libraries, aliases)
        others = (each for other, each in units.items() if other != unit)
        is_unused = names and all(names.isdisjoint(each.words) for each in others)
        if is_unused or not units[unit].has_code:
            found.add(unit)
    return frozenset(found)


def _read(text: str) -> _Unit:
    code = code_of(text)
    imports = " ".join(_IMPORT.findall(code))
    outside, found = code, 1
    while found:
        outside, found = _INNERMOST.subn("", outside)
    return _Unit(
        libraries=frozenset(
            _LIBRARY.findall(outside) if _LIBRARIES.fullmatch(outside) else ()
        ),
        has_code=not _INTERFACES.fullmatch(outside),
        words=frozenset(_WORD.findall(_IMPORT.sub(" ", code))),
        renamed=tuple(_RENAMED.findall(imports)),
    )


def _with_aliases(
    names: frozenset[str], aliases: Mapping[str, Collection[str]]
) -> frozenset[str]:
    """Return names with all that imports, one after the other, call them."""
    known = set(names)
    queue = list(names)
    while queue:
        new = set(aliases.get(queue.pop(), ())) - known
        known |= new
        queue += new
    return frozenset(known)

"""Texts that stand in the source of a program: `"mint"`, `hex"beef"`, `unicode"é"`.

A contract that knows a text by its hash has the hash in its code, not the text, and no
comparison tells which text it was. So texts are read where they were written.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from echidna_mcp.program.model import Program

MOST_TEXTS: Final = 512
LONGEST_TEXT: Final = 256
"""Bytes; longer ones are left out."""
_REMEMBERED = 256
"""Sources; a project of test libraries has some thirty."""

# Comments and Vyper's doc strings are matched so that quotes in them begin nothing.
_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/ | \#[^\n]* | (?:\"{3}.*?\"{3})
    | \bassembly\s*\([^)]*\)
    | \b(?:import|from|pragma)\b[^;"'\n]*(?:"[^"\n]*"|'[^'\n]*')
    | (?P<kind>\b(?:hex|unicode|x|b))?
      (?:"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)')
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|\r?\n|.)", re.DOTALL)
_LETTERS: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def literal_texts(program: Program) -> tuple[bytes, ...]:
    """Return the texts of a program's sources, without repetition.

    Those of the file of the main contract come first, then file by file in the order
    of `Program.sources`; at most `MOST_TEXTS`, none of which is empty.
    """
    main = program.main.rpartition(":")[0]
    sources = sorted(program.sources, key=lambda source: source.path != main)
    found: dict[bytes, None] = {}
    for source in sources:
        for text in texts_in(source.content):
            found[text] = None
    return tuple(found)[:MOST_TEXTS]


@lru_cache(_REMEMBERED)
def texts_in(source: str) -> tuple[bytes, ...]:
    """Return the texts of a source of Solidity or Vyper, in their order.

    Paths of imports and flags of assembly are none; what has more than `LONGEST_TEXT`
    bytes is left out.
    """
    found = []
    for match in _TOKEN.finditer(source):
        written = match["double"] if match["double"] is not None else match["single"]
        if not written:
            continue
        text = _meant(written, match["kind"] or "")
        if 0 < len(text) <= LONGEST_TEXT:
            found.append(text)
    return tuple(found)


def _meant(written: str, kind: str) -> bytes:
    """Return what a text between its quotes stands for; nothing, if that is broken."""
    if kind in ("hex", "x"):
        try:
            return bytes.fromhex(written.replace("_", ""))
        except ValueError:
            return b""
    return _ESCAPE.sub(_unescaped, written.encode())


def _unescaped(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if escaped[:1] == b"x" and len(escaped) == 3:
        return bytes([int(escaped[1:], 16)])
    if escaped[:1] == b"u" and len(escaped) == 5:
        return chr(int(escaped[1:], 16)).encode(errors="replace")
    if escaped in (b"\n", b"\r\n"):
        return b""
    return _LETTERS.get(escaped, escaped)

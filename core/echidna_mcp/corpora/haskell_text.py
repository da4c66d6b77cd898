r"""Byte strings as Haskell's `show` writes them, which is how Echidna stores bytes.

Bytes are characters from 0 to 255 between double quotes. Printable ASCII stands for
itself, but for the quote and the backslash; what has a letter or a name in ASCII is
written with that (`\n`, `\NUL`, `\DEL`), all above as a decimal number (`\200`). Where
what follows would be read as part of an escape, `\&` stands between: after a number
before a digit, and after `\SO` before an `H`.

Source: Haskell 2010 Report, 2.6 (Character and String Literals) for what is read, and
`GHC.Show.showLitString` for what is written.
"""

from __future__ import annotations

import re
from typing import Final

from echidna_mcp.corpora.model import EntryError

_NAMES: Final = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "a", "b", "t", "n", "v"),
    *("f", "r", "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB"),
    *("CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"),
)
"""How the characters below the blank are written."""
_SPELLED: Final = ("BEL", "BS", "HT", "LF", "VT", "FF", "CR")
"""What those from 7 to 13 may be called as well."""
_DELETE: Final = 0x7F
_MEANT: Final = {
    **{name: code for code, name in enumerate(_NAMES)},
    **{name: code for code, name in enumerate(_SPELLED, 7)},
    "SP": 0x20,
    "DEL": _DELETE,
    '"': 0x22,
    "'": 0x27,
    "\\": 0x5C,
}
_LONGEST_FIRST: Final = sorted(_MEANT, key=len, reverse=True)
_PIECE: Final = re.compile(
    r"(?P<plain>[ !#-\[\]-~])"
    r"|\\(?:(?P<nothing>&|[ \t\n\r\f\v]+\\)"
    r"|(?P<decimal>[0-9]+)|x(?P<hexadecimal>[0-9a-fA-F]+)|o(?P<octal>[0-7]+)"
    r"|\^(?P<control>[@-_])"
    rf"|(?P<name>{'|'.join(map(re.escape, _LONGEST_FIRST))}))"
)
_DIGITS: Final = "0123456789"
_BASES: Final = {"decimal": 10, "hexadecimal": 16, "octal": 8}


def show_bytes(data: bytes) -> str:
    """Return the text of some bytes, quotes included."""
    parts = ['"']
    for at, code in enumerate(data):
        parts.append(_shown(code))
        following = chr(data[at + 1]) if at + 1 < len(data) else ""
        number = code > _DELETE and following in _DIGITS
        if following and (number or (parts[-1] == "\\SO" and following == "H")):
            parts.append("\\&")
    return "".join([*parts, '"'])


def _shown(code: int) -> str:
    if code > _DELETE:
        return f"\\{code}"
    if code == _DELETE:
        return "\\DEL"
    if code < ord(" "):
        return f"\\{_NAMES[code]}"
    return f"\\{chr(code)}" if chr(code) in '"\\' else chr(code)


def read_bytes(text: str) -> bytes:
    """Return the bytes that a text stands for.

    Raises:
        EntryError: it is no such text, or has a character above 255.
    """
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise EntryError("a text of bytes has no quotes around it")
    found = bytearray()
    at, end = 1, len(text) - 1
    while at < end:
        piece = _PIECE.match(text, at, end)
        if piece is None:
            raise EntryError(f"a text of bytes can't be read at character {at}")
        at = piece.end()
        if piece["nothing"] is None:
            found.append(_code(piece))
    return bytes(found)


def _code(piece: re.Match[str]) -> int:
    match piece.lastgroup:
        case "plain":
            return ord(piece["plain"])
        case "control":
            return ord(piece["control"]) - ord("@")
        case "name":
            return _MEANT[piece["name"]]
        case base:
            digits = piece[base or ""].lstrip("0") or "0"
            # No more digits than a byte has in any base: longer ones cost time.
            code = int(digits, _BASES[base or ""]) if len(digits) <= 3 else 256
            if code > 255:
                raise EntryError(f"a text of bytes has the character {piece[0][:12]}")
            return code

r"""The file `.env` of a project: variables, one a line, as Foundry reads them.

`NAME=value` or `export NAME=value`. Quotes keep white space and ends of lines; between
double quotes and without quotes `\` escapes, and `$NAME` and `${NAME}` stand for other
variables. What follows white space and `#` is a comment. The first variable of a name
counts, and the first line that can't be read ends the file.

Source: the crate dotenvy 0.15, which Foundry uses; `tests/foundry` asks forge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

_REMARK: Final = re.compile(r"[ \t\r]*#[^\n]*(?:\n|\Z)")
_LINE: Final = re.compile(
    r"""
    (?P<line>
        (?: (?: \\. | '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | [^\\'"\#\n\ \t] ) \#*
          | [ \t]+ (?! [ \t\#] | \Z )
        )*
    )
    (?: [ \t]+\#[^\n]* )?
    (?: \n | \Z )
    """,
    re.DOTALL | re.VERBOSE,
)
"""A line, which goes on while a quote is open, and the comment behind it."""
_NAME: Final = re.compile(
    r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*"
)
_PIECE: Final = r"""
    \\(?P<escaped>[\\'"$\ n]|\Z)
    | \$\{(?P<block>[^}]*)\}
    | \$(?!\{)(?P<name>[^\W_]*)(?P<end>[^$]?)
    | (?P<quote>")
"""
_BARE: Final = re.compile(
    _PIECE + r"""| '(?P<plain>[^']*)' | (?P<blank>[ \t]+) | (?P<text>[^\\'"$ \t]+)""",
    re.DOTALL | re.VERBOSE,
)
_QUOTED: Final = re.compile(
    _PIECE + r"""| (?P<text>[^\\"$]+)""", re.DOTALL | re.VERBOSE
)
"""A piece of a value outside of double quotes, and between them. What ends the name of
a variable is text, even a quote."""


def read_dotenv(
    content: bytes, environment: Mapping[bytes, bytes]
) -> dict[bytes, bytes]:
    """Return the variables of a file.

    Args:
        content: of the file.
        environment: variables that values may refer to, before those of the file.
    """
    found: dict[str, str] = {}

    def known(name: str) -> str:
        value = environment.get(name.encode())
        return (
            found.get(name, "") if value is None else value.decode("utf-8", "replace")
        )

    for line in _lines(_text(content)):
        if not line.strip():
            continue
        begin = _NAME.match(line)
        value = None if begin is None else _value(line[begin.end() :], known)
        if begin is None or value is None:
            break
        found.setdefault(begin[1], value)
    return {name.encode(): value.encode() for name, value in found.items()}


def _text(content: bytes) -> str:
    """Return the lines that are text, up to the first one that is not."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        return content[: error.start].rpartition(b"\n")[0].decode()


def _lines(text: str) -> Iterator[str]:
    """Yield lines without comments, up to one that does not end."""
    at = 0
    while at < len(text):
        if remark := _REMARK.match(text, at):
            at = remark.end()
        elif found := _LINE.match(text, at):
            yield found["line"].removesuffix("\r")
            at = found.end()
        else:
            return


def _value(text: str, known: Callable[[str], str]) -> str | None:
    """Return a value without quotes, with the variables that it names.

    None if it can't be read, or something follows it.
    """
    written, pieces, at = "", _BARE, 0
    while at < len(text):
        found = pieces.match(text, at)
        if found is None:
            return None
        at = found.end()
        match found.lastgroup:
            case "quote":
                pieces = _BARE if pieces is _QUOTED else _QUOTED
            case "blank":
                return written if at == len(text) else None
            case "block":
                written += known(found["block"])
            case "name" | "end":
                written += known(found["name"]) + found["end"]
            case "escaped":
                written += "\n" if found["escaped"] == "n" else found["escaped"]
            case kind:
                assert kind is not None, "each piece is of a kind"
                written += found[kind]
    return written if pieces is _BARE else None

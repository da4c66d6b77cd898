"""Text that is safe for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return text on one line that can't move a cursor, change colours or hide.

    Every character that is not printable, line feeds, escapes and bidirectional marks
    included, becomes an escape such as `\x1b`.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

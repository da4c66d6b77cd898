"""Several calls in one text: separated by semicolons, or each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator


def split_calls(text: str) -> Iterator[str]:
    """Yield the calls of a text, as they are written.

    What is quoted separates nothing. A line that begins with # is a comment.
    """
    lines = [each for each in text.splitlines() if not each.lstrip().startswith("#")]
    for part in _parts("\n".join(lines)):
        if part.strip():
            yield part.strip()


def split_sequences(text: str) -> Iterator[list[str]]:
    """Yield the sequences of a text: empty lines separate them."""
    sequence: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            if sequence:
                yield sequence
            sequence = []
            continue
        sequence += split_calls(line)
    if sequence:
        yield sequence


def _parts(text: str) -> Iterator[str]:
    begin, quote, escaped = 0, "", False
    for at, character in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in ";\n":
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]

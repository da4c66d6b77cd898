"""The sources under test, with what ran and what did not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_MARKS = {True: "+", False: "-", None: " "}


def annotated(source: Path, lines: Mapping[str, Mapping[int, bool]]) -> str:
    """Return the sources with a mark before each line: `+` ran, `-` did not.

    Args:
        source: the file that is fuzzed, or the directory of all.
        lines: coverage as `Campaign.lines` returns it.

    Raises:
        FileNotFoundError: none of the campaign's files is there.

    """
    parts = [
        f"// {name}\n{_marked(path, lines[name])}"
        for name in sorted(lines)
        if (path := _find(source, name)) is not None
    ]
    if not parts:
        raise FileNotFoundError(
            f"{source} has none of {', '.join(sorted(lines)) or 'no files'}; "
            "name what the server was started with."
        )
    return "\n\n".join(parts)


def _marked(path: Path, ran: Mapping[int, bool]) -> str:
    text = path.read_text("utf-8").splitlines()
    return "\n".join(
        f"{_MARKS[ran.get(number)]} {number:4} {line}".rstrip()
        for number, line in enumerate(text, 1)
    )


def _find(source: Path, name: str) -> Path | None:
    """Return the file of a name that the server gave; never one outside of ours."""
    if source.is_file():
        return source if Path(name).name == source.name else None
    found = (source / name).resolve()
    inside = found.is_relative_to(source.resolve()) and found.is_file()
    return found if inside else None

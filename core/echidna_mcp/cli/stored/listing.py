"""`echidna-mcp list`: the campaigns of a directory, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from echidna_mcp.cli.console.output import json_text, show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.stored.inventory import Entry, entries_in

_HEADINGS: Final = (
    *("BEGUN (UTC)", "CONTRACTS", "ROUNDS", "CALLS", "FINDINGS"),
    *("VERDICT", "SIZE", "STATE", "DIRECTORY"),
)
_TO_THE_RIGHT: Final = frozenset({"ROUNDS", "CALLS", "FINDINGS", "SIZE"})
_UNITS: Final = ("B", "kB", "MB", "GB")
_STEP: Final = 1000


def list_campaigns(directory: Path, *, as_json: bool) -> None:
    """Print the campaigns of a directory, the newest first.

    Raises:
        UsageError: there is no such directory.
    """
    entries = entries_in(directory)
    if as_json:
        document = {"campaigns": [each.to_json() for each in entries]}
        show(json_text(document), nl=False)
        return
    if not entries:
        show(f"There are no campaigns in {printable(str(directory))}.")
        return
    for line in table([_HEADINGS, *(_cells(each) for each in entries)]):
        show(printable(line))
    for each in entries:
        if each.unreadable:
            show(f"{printable(each.directory.name)}: {printable(each.unreadable)}")


def told_size(number: int) -> str:
    """Return a number of bytes as people read it, such as `1.2 MB`."""
    size, unit = float(number), 0
    # What would be written as 1000.0 is 1.0 of the next.
    while round(size, 1) >= _STEP and unit + 1 < len(_UNITS):
        size, unit = size / _STEP, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{number} B"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with columns; the first one has the headings."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [heading in _TO_THE_RIGHT for heading in rows[0]]
    return [
        "  ".join(
            cell.rjust(width) if to_the_right else cell.ljust(width)
            for cell, width, to_the_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]


def _cells(entry: Entry) -> Sequence[str]:
    found = entry.outcome
    begun = f"{entry.begun:%Y-%m-%d %H:%M:%S}"
    size, name = told_size(entry.size), entry.directory.name or "."
    if found is None:
        return (begun, entry.contract, "", "", "", "", size, entry.state, name)
    more = len(found.contracts) - 1
    state = f"{entry.state}, sealed" if found.sealed else entry.state
    return (
        begun,
        entry.contract + (f" and {more} more" if more else ""),
        f"{found.rounds:,}",
        f"{found.calls:,}",
        str(len(found.findings)),
        found.verdict,
        size,
        state,
        name,
    )

"""`corpus list` and `corpus show`: what sequences there are, and what they call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.console.output import json_text, show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.corpus.subject import Entry, Subject, TargetWish, open_subject
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.errors import UsageError
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.program.target import FuzzTarget


def print_json(document: Any) -> None:
    """Print a JSON document."""
    show(json_text(document), nl=False)


def print_problems(subject: Subject) -> None:
    """Print a warning for each file that holds no sequence, and the like."""
    for problem in subject.problems:
        show(printable(f"Warning: {problem.sentence}"), err=True)


def list_entries(directory: Path, wish: TargetWish, *, as_json: bool) -> None:
    """Run the command `list`; raises as `open_subject`."""
    subject = open_subject(directory, wish)
    if as_json:
        print_json(
            {
                "directory": str(subject.place),
                "formats": list(subject.formats),
                "entries": [_told(*each) for each in enumerate(subject.entries)],
                "problems": [each.sentence for each in subject.problems],
            }
        )
        return
    for number, entry in enumerate(subject.entries):
        calls = counted(entry.length, "call")
        show(printable(f"{number:>5}  {calls:>9}  {entry.name}: {entry.kept}"))
    total = counted(sum(entry.length for entry in subject.entries), "call")
    what = "reproducer"
    found = sum(entry.purpose == what for entry in subject.entries)
    sequences = counted(len(subject.entries), "sequence")
    show(f"{sequences} of {total}, {counted(found, what)} among them.")
    print_problems(subject)


def _told(number: int, entry: Entry) -> dict[str, Any]:
    return {
        "index": number,
        "name": entry.name,
        "calls": entry.length,
        "purpose": entry.purpose,
        "keptFor": entry.kept,
    }


def show_entry(
    directory: Path, number: int, wish: TargetWish, *, as_json: bool
) -> None:
    """Run the command `show`.

    Raises:
        UsageError: there is no such sequence, or no target is known.
        EchidnaMcpError: as `open_subject`.
    """
    subject = open_subject(directory, wish)
    target = subject.on_bench().target
    if not 0 <= number < len(subject.entries):
        known = f"0 to {len(subject.entries) - 1}" if subject.entries else "none"
        raise UsageError(f"{directory} has no sequence {number}; it has {known}.")
    entry = subject.entries[number]
    if as_json:
        texts = _texts(entry, target)
        calls = entry.calls or ()
        print_json(
            {
                **_told(number, entry),
                "remarks": list(entry.remarks),
                "transactions": [
                    {"call": text, **call}
                    for text, call in zip(texts, calls, strict=True)
                ],
            }
        )
        return
    show(printable(f"{entry.name}: {entry.kept}"))
    for line in sequence_lines(target, _texts(entry, target), entry.calls or ()):
        show(f"  {line}")
    for remark in entry.remarks:
        show(printable(f"Warning: {remark}."), err=True)


def _texts(entry: Entry, target: FuzzTarget) -> list[str]:
    return CallCodec(target).texts(entry.calls or ())

"""`corpus replay`: what each sequence still covers and falsifies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.corpus.listing import print_json, print_problems
from echidna_mcp.cli.corpus.subject import Entry, TargetWish, open_subject
from echidna_mcp.cli.corpus.writing import play_all
from echidna_mcp.corpora.minimizing import points_of
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.corpora.playing import Played


def replay(directory: Path, wish: TargetWish, *, as_json: bool) -> bool:
    """Run the command.

    Returns:
        Whether a sequence falsifies a test.

    Raises:
        UsageError: no target is known.
        EchidnaMcpError: as `open_subject`; or the target can't be deployed.
    """
    subject = open_subject(directory, wish)
    played = play_all(subject)
    falsified = {name for each in played for name in each.falsified}
    together: set[tuple[str, int]] = set()
    new = []
    for each in played:
        points = points_of(each)
        new.append(len(points - together))
        together |= points
    rows = list(zip(subject.entries, played, new, strict=True))
    if as_json:
        print_json(
            {
                "directory": str(subject.place),
                "entries": [_told(*row) for row in rows],
                "falsified": sorted(falsified),
                "points": len(together),
                "problems": [each.sentence for each in subject.problems],
            }
        )
        return bool(falsified)
    for number, row in enumerate(rows):
        show(printable(f"{number:>5}  {_line(*row)}"))
        for remark in row[0].remarks:
            show(printable(f"       {remark}"))
    total = counted(len(rows), "sequence")
    covered = counted(len(together), "point")
    tests = f": {', '.join(sorted(falsified))}" if falsified else ""
    found = f"{counted(len(falsified), 'test')} falsified{tests}"
    show(printable(f"{total}, {covered} covered, {found}."))
    print_problems(subject)
    return bool(falsified)


def _line(entry: Entry, played: Played, new: int) -> str:
    did = f"{counted(played.calls, 'call')}, {played.failed} failed"
    covered = f"{counted(len(points_of(played)), 'point')}, {new} of them new"
    tests = f"; falsifies {', '.join(played.falsified)}" if played.falsified else ""
    lost = f"; ended early: {played.lost}" if played.lost else ""
    return f"{entry.name}: {did}; {covered}{tests}{lost}"


def _told(entry: Entry, played: Played, new: int) -> dict[str, Any]:
    return {
        "name": entry.name,
        "purpose": entry.purpose,
        "calls": played.calls,
        "failed": played.failed,
        "points": len(points_of(played)),
        "newPoints": new,
        "falsified": [
            {"test": test, "reason": reason}
            for test, reason in played.falsified.items()
        ],
        "values": {test: str(value) for test, value in played.values.items()},
        "remarks": list(entry.remarks),
        "lost": played.lost or None,
    }

"""Shrinking of the sixty seeded bugs: attempts, and whether the result is minimal."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from bug_lab import lab, littered
from seeded_bugs import BUGS


def main() -> None:
    """Print one line each for the candidates of before and of now."""
    for coupled in (False, True):
        where = lab("compiled", coupled=coupled)
        results = [
            (bug, *where.shrunk(bug, where.encode(bug, littered(bug)))) for bug in BUGS
        ]
        attempts = [tried for _, _, tried in results]
        minimal = sum(
            where.measure(found) == where.measure(where.encode(bug, bug.witness))
            for bug, found, _ in results
        )
        print(
            f"{'coupled' if coupled else 'before'}: {minimal} of {len(BUGS)} minimal; "
            f"attempts: mean {mean(attempts):.0f}, median {median(attempts):.0f}, "
            f"most {max(attempts)}"
        )


if __name__ == "__main__":
    main()

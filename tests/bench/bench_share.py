"""What a campaign gets beside programs that compute all the time.

Two loops that never pause run beside the two threads of a campaign. If the scheduler
treated all alike, the campaign would have half of the processor time of them all;
printed is what it had by that. So it says nearly the same whatever else there is to do.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from serving import seconds_of, seconds_of_tree

from echidna_mcp.events.store import EventStore, store_path

SECONDS = 15.0
WARM_UP = 4.0
LOOPS = 2
CAMPAIGN = (
    *("--seed", "1", "--test-mode", "exploration", "--executor", f"threads:{LOOPS}"),
    *("--round-budget", "40000000", "--test-limit", str(10**12), "--format", "none"),
)


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[int]:
    """Run a command; yield the number of its process."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # No session: Linux shares out among those before threads.
    ) as process:
        try:
            yield process.pid
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)


class Found(NamedTuple):
    """Processor time by an equal share, and calls per second of it."""

    share: float
    rate: float


def calls(directory: str) -> int:
    """Return how many calls a campaign has stored."""
    with EventStore.read_only(store_path(Path(directory))) as store:
        rounds = store.read(types=("RoundCommitted",))
        return sum(event.payload["calls"] for event in rounds)


def beside(loops: int, *words: str) -> Found:
    """Run a campaign that these words start beside so many loops."""
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory())
        code = "from echidna_mcp.cli.entry import main; main()"
        command = [sys.executable, "-c", code, *words, *CAMPAIGN]
        campaign = stack.enter_context(running([*command, "--corpus-dir", place]))
        loop = [sys.executable, "-c", "while True: pass"]
        rivals = [stack.enter_context(running(loop)) for _ in range(loops)]
        time.sleep(WARM_UP * (1 + loops))
        before = [seconds_of_tree(campaign), *map(seconds_of, rivals)]
        done = calls(place)
        time.sleep(SECONDS)
        after = [seconds_of_tree(campaign), *map(seconds_of, rivals)]
        done = calls(place) - done
    had, *others = [end - begin for begin, end in zip(before, after, strict=True)]
    return Found(had / ((had + sum(others)) / 2), done / had)


def main() -> None:
    """Print shares, and what became of a second of processor time."""
    print("| command | time by an equal share | calls a second of it, by alone |")
    print("|---|---|---|")
    for words in (("run",), ("run", "--nice", "5"), ("serve", "--port", "0")):
        alone, loaded = beside(0, *words), beside(LOOPS, *words)
        figures = f"{loaded.share:.2f} | {loaded.rate / alone.rate:.2f}"
        print(f"| `{' '.join(words)}` | {figures} |", flush=True)


if __name__ == "__main__":
    main()

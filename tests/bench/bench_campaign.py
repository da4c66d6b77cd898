"""Whole campaigns: start, throughput with and without a server, executors."""

from __future__ import annotations

import subprocess
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import start_up
import whole_campaign
from serving import PROGRAM

from echidna_mcp.events.store import EventStore, store_path

LIMIT = 40_000
CAMPAIGN = ("--backend", "py-evm", "--seed", "1", "--round-budget", "60000")


def throughput(directory: Path, *, skipped: float = 0.0) -> float:
    """Return calls per second between two commits of a store.

    Args:
        directory: where it is.
        skipped: seconds after its first round that do not count.
    """
    with EventStore.read_only(store_path(directory)) as store:
        rounds = [e for e in store.read() if e.type == "RoundCommitted"]
    times = [datetime.fromisoformat(each.at) for each in rounds]
    begin = times[0] + timedelta(seconds=skipped)
    first = next(at for at, time in enumerate(times) if time >= begin)
    calls = [rounds[at].payload["totalCalls"] for at in (first, -1)]
    return (calls[1] - calls[0]) / (times[-1] - times[first]).total_seconds()


def run(executor: str) -> float:
    """Return calls per second of a campaign without a server."""
    with tempfile.TemporaryDirectory() as directory:
        place = ["--executor", executor, "--corpus-dir", directory, "--format", "none"]
        command = [*PROGRAM, "run", *CAMPAIGN, "--test-limit", str(LIMIT), *place]
        subprocess.run(command, check=False, capture_output=True)
        return throughput(Path(directory))


def main() -> None:
    """Print all figures."""
    start_up.main()
    whole_campaign.main()
    print("Campaign on the demo, calls per second, py-evm")
    for executor in ("inline", "processes:1", "processes:2"):
        print(f"  {executor:<12} {run(executor):8,.0f}")


if __name__ == "__main__":
    main()

"""Whole campaigns: start, throughput, tool latency, cost of the server.

What the server costs is told as its processor time beside that of the campaign, which
does not depend on what else the machine does.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from datetime import datetime
from pathlib import Path

import start_up
import whole_campaign
from serving import PROGRAM, Client, children, seconds_of, seconds_of_tree, server

from echidna_mcp.events.store import EventStore, store_path

LIMIT = 40_000
CAMPAIGN = ("--backend", "py-evm", "--seed", "1", "--round-budget", "60000")
WARM_UP, WINDOW = 4.0, 15.0
CALLS_PER_TOOL = 60
TOOLS: dict[str, dict[str, object]] = {
    "read_logs": {"count": 100},
    "show_coverage": {},
    "dump_lcov": {},
    "get_corpus_size": {},
    "inspect_corpus_transactions": {"limit": 100},
    "find_transaction_in_corpus": {"functionSignature": "deposit"},
    "inject_transaction": {"sequence": ["deposit()", "setFee(1)"]},
    "prioritize_function": {"functionSignature": "deposit()"},
    "clear_priorities": {},
}


def throughput(directory: Path) -> float:
    """Return calls per second between the first and the last commit of a store."""
    with EventStore.read_only(store_path(directory)) as store:
        rounds = [e for e in store.read() if e.type == "RoundCommitted"]
    first, last = rounds[0], rounds[-1]
    seconds = (
        datetime.fromisoformat(last.at) - datetime.fromisoformat(first.at)
    ).total_seconds()
    return (last.payload["totalCalls"] - first.payload["totalCalls"]) / seconds


def run(executor: str) -> float:
    """Return calls per second of a campaign without a server."""
    with tempfile.TemporaryDirectory() as directory:
        place = ["--executor", executor, "--corpus-dir", directory, "--format", "none"]
        command = [*PROGRAM, "run", *CAMPAIGN, "--test-limit", str(LIMIT), *place]
        subprocess.run(command, check=False, capture_output=True)
        return throughput(Path(directory))


def server_share() -> float:
    """Return an idle server's processor time as a share of its campaign's."""
    with (
        tempfile.TemporaryDirectory() as directory,
        server(directory) as (_, process),
    ):
        time.sleep(WARM_UP)
        before = processor_seconds(process)
        time.sleep(WINDOW)
        after = processor_seconds(process)
    spent = {name: after[name] - before[name] for name in after}
    return spent["server"] / spent["campaign"]


def processor_seconds(process: int) -> dict[str, float]:
    """Return the processor seconds of a server, and of the processes below it."""
    below = sum(map(seconds_of_tree, children(process)))
    return {"server": seconds_of(process), "campaign": below}


def latencies() -> dict[str, list[float]]:
    """Return the milliseconds of each call of each tool while a campaign runs."""
    with (
        tempfile.TemporaryDirectory() as directory,
        server(directory) as (url, _),
    ):
        client = Client(url)
        time.sleep(3.0)
        taken: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        for _ in range(CALLS_PER_TOOL):
            for tool, arguments in TOOLS.items():
                taken[tool].append(client.call(tool, arguments))
        return taken


def main() -> None:
    """Print all figures."""
    start_up.main()
    whole_campaign.main()
    print("Campaign on the demo, calls per second, py-evm")
    for executor in ("inline", "processes:1", "processes:2"):
        print(f"  {executor:<12} {run(executor):8,.0f}")
    print(f"Processor time of the idle server / its campaign: {server_share():.2%}")
    print("Tool latency while fuzzing natively, one client, milliseconds")
    print(f"  {'tool':<28} {'p50':>7} {'p95':>7} {'max':>7}")
    everything: list[float] = []
    for tool, taken in latencies().items():
        everything += taken
        show(tool, taken)
    show("all", everything)


def show(name: str, taken: list[float]) -> None:
    """Print a line of the latency table."""
    p95 = statistics.quantiles(taken, n=20)[-1]
    print(f"  {name:<28} {statistics.median(taken):7.1f} {p95:7.1f} {max(taken):7.1f}")


if __name__ == "__main__":
    main()

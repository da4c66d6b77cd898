"""Whole campaigns on the bundled demo: throughput, tool latency, cost of the server.

Throughput is taken from the store itself: calls between the first and the last
committed round, over the time between those commits. Servers and runs without a server
alternate, so that a machine that is getting slower slows both. What the server costs is
also told as its processor time beside that of the campaign, which does not depend on
what else the machine does.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from echidna_mcp.events.store import EventStore, store_path

PROGRAM = [sys.executable, "-m", "echidna_mcp.cli"]
LIMIT = 40_000
CAMPAIGN = ["--seed", "1", "--round-budget", "60000", "--test-limit", str(LIMIT)]
PAIRS = 3
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
        arguments = ["--executor", executor, "--corpus-dir", directory]
        command = [*PROGRAM, "run", *CAMPAIGN, *arguments, "--format", "none"]
        subprocess.run(command, check=False, capture_output=True)
        return throughput(Path(directory))


@contextlib.contextmanager
def server(directory: str, *arguments: str) -> Iterator[str]:
    """Serve the demo; yield the URL."""
    own = ["--port", "0", "--corpus-dir", directory, "--format", "none"]
    process = subprocess.Popen(
        [*PROGRAM, "serve", *own, *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"listening on (\S+)", line):
                yield found[1]
                break
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def serve_idle(executor: str) -> float:
    """Return calls per second of a campaign behind a server that nobody calls."""
    with tempfile.TemporaryDirectory() as directory:
        with server(directory, *CAMPAIGN, "--executor", executor):
            while not ended(Path(directory)):
                time.sleep(1.0)
        return throughput(Path(directory))


def server_share() -> float:
    """Return an idle server's processor time as a share of its campaign's."""
    with tempfile.TemporaryDirectory() as directory, server(directory):
        time.sleep(WARM_UP)
        before = processor_seconds()
        time.sleep(WINDOW)
        after = processor_seconds()
    spent = {name: after[name] - before[name] for name in after}
    return spent["server"] / spent["campaign"]


def processor_seconds() -> dict[str, float]:
    """Return user and system time of our server, and of the processes below it."""
    (child,) = children(os.getpid())
    campaign = children(child)
    below = [*campaign, *(worker for pid in campaign for worker in children(pid))]
    return {"server": seconds_of(child), "campaign": sum(map(seconds_of, below))}


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task")
    return [
        int(c) for t in tasks.iterdir() for c in (t / "children").read_text().split()
    ]


def seconds_of(pid: int) -> float:
    """Return the processor seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended(directory: Path) -> bool:
    """Whether the campaign has stopped."""
    with EventStore.read_only(store_path(directory)) as store:
        last = store.last()
    return last is not None and last.type == "CampaignStopped"


class Client:
    """One keep-alive connection that calls tools without a client library."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._path = parts.path
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def call(self, tool: str, arguments: dict[str, object]) -> float:
        """Call a tool; return the milliseconds until the whole answer was there."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta},
        }
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        begin = time.perf_counter()
        self._connection.request("POST", self._path, json.dumps(body), headers)
        answer = json.loads(self._connection.getresponse().read())
        milliseconds = (time.perf_counter() - begin) * 1000
        assert not answer["result"].get("isError"), answer
        return milliseconds


def latencies() -> dict[str, list[float]]:
    """Return the milliseconds of each call of each tool while a campaign runs."""
    with tempfile.TemporaryDirectory() as directory, server(directory) as url:
        client = Client(url)
        time.sleep(3.0)
        taken: dict[str, list[float]] = {tool: [] for tool in TOOLS}
        for _ in range(CALLS_PER_TOOL):
            for tool, arguments in TOOLS.items():
                taken[tool].append(client.call(tool, arguments))
        return taken


def main() -> None:
    """Print all figures."""
    print("Campaign on the demo, calls per second")
    for executor in ("inline", "processes:1", "processes:2"):
        print(f"  {executor:<12} {run(executor):8,.0f}")
    pairs = [(serve_idle("processes:1"), run("processes:1")) for _ in range(PAIRS)]
    ratios = sorted(served / alone for served, alone in pairs)
    print("Server idle / no server, ratio of calls per second, processes:1")
    print("  " + ", ".join(f"{ratio:.3f}" for ratio in ratios))
    print(f"Processor time of the idle server / its campaign: {server_share():.2%}")
    print("Tool latency while fuzzing with processes, one client, milliseconds")
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

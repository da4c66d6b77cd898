"""The server under load, and what it takes from the campaign.

Latency is measured on raw HTTP while the campaign fuzzes natively on all cores: one
client that calls one tool after the other, then fifty clients with two calls a second
each. What the server costs is told twice: as calls a second of a campaign with an idle
server, and with one that is polled, by those of a campaign without any that runs at the
same time on the other core; and as processor time.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from bench_campaign import throughput
from serving import PROGRAM, Client, children, seconds_of, seconds_of_tree, server

TOOLS: Mapping[str, dict[str, object]] = {
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
WARM_UP = 3.0
CALLS_PER_TOOL = 100
CLIENTS, CALLS_A_SECOND, SECONDS = 50, 2.0, 20.0
DEAF = 300
POLLS_A_SECOND = 5.0
WINDOW = 14.0
PAIRS = 8
CAMPAIGN = (
    *("--seed", "1", "--test-mode", "exploration", "--executor", "threads:1"),
    # The same rounds for both, not what each measures at its start.
    *("--round-budget", "40000000", "--test-limit", str(10**12)),
)

Taken = dict[str, list[float]]
"""Milliseconds of each call, by tool."""


class Cost(NamedTuple):
    """Of a server: calls a second with / without it, its processor time / the rest."""

    ratio: float
    share: float


def one_client(url: str) -> Taken:
    """Call every tool, one call after the other."""
    client = Client(url)
    taken: Taken = {tool: [] for tool in TOOLS}
    for _ in range(CALLS_PER_TOOL):
        for tool, arguments in TOOLS.items():
            taken[tool].append(client.call(tool, arguments))
    return taken


def many_clients(url: str) -> Taken:
    """Let clients call tools at their own pace, each on its own connection."""
    taken: Taken = {tool: [] for tool in TOOLS}
    names = list(TOOLS)

    def work(number: int) -> None:
        client, pause = Client(url), 1 / CALLS_A_SECOND
        due = time.perf_counter() + pause * number / CLIENTS
        end = time.perf_counter() + SECONDS
        turn = number
        while due < end:
            time.sleep(max(0.0, due - time.perf_counter()))
            tool = names[turn % len(names)]
            taken[tool].append(client.call(tool, TOOLS[tool]))
            turn += 1
            due += pause

    threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def beside_deaf_clients(url: str) -> Taken:
    """Call a tool while hundreds of clients that asked for much don't read."""
    call = {"name": "read_logs", "arguments": {"count": 2500}}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    )
    parts = urlsplit(url)
    request = (
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        "Content-Type: application/json\r\nMCP-Protocol-Version: 2025-06-18\r\n"
        "Accept: application/json, text/event-stream\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    )
    taken: Taken = {"get_corpus_size": []}
    with contextlib.ExitStack() as stack:
        for _ in range(DEAF):
            deaf = stack.enter_context(
                socket.create_connection((parts.hostname, parts.port))
            )
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.sendall(request.encode())
        for _ in range(40):
            taken["get_corpus_size"].append(Client(url).call("get_corpus_size", {}))
    return taken


def latencies(clients: Callable[[str], Taken]) -> Taken:
    """Return what clients measured on a server of their own."""
    with tempfile.TemporaryDirectory() as directory, server(directory) as (url, _):
        time.sleep(WARM_UP)
        return clients(url)


def show(title: str, taken: Taken) -> None:
    """Print a table of latencies."""
    print(f"{title}, milliseconds")
    print(f"  {'tool':<28} {'mean':>6} {'p50':>6} {'p95':>6} {'max':>7}")
    rows = [*taken.items(), ("all", [each for some in taken.values() for each in some])]
    for name, times in rows:
        p95 = statistics.quantiles(times, n=20)[-1]
        figures = statistics.mean(times), statistics.median(times), p95
        print(
            f"  {name:<28} "
            + " ".join(f"{each:6.1f}" for each in figures)
            + f" {max(times):7.1f}"
        )


# ---------------------------------------------------------------------- campaigns


def side_by_side(directory: Path, *, polled: bool, served_on: int) -> Cost:
    """Run a campaign with a server and one without, each on a core of its own.

    What else the machine does, and how fast it is, is the same for both, but for what
    comes and goes within a window; so the cores are changed from pair to pair.
    """
    alone, served = directory / "alone", directory / "served"
    cores = sorted(os.sched_getaffinity(0))[:2]
    with only_on(cores[1 - served_on]):
        process = subprocess.Popen(
            [
                *(*PROGRAM, "run", *CAMPAIGN, "--corpus-dir", str(alone)),
                *("--format", "none", "--timeout", str(round(WARM_UP + WINDOW))),
            ],
            stderr=subprocess.DEVNULL,
        )
    with contextlib.ExitStack() as stack:
        with only_on(cores[served_on]):
            url, pid = stack.enter_context(server(str(served), *CAMPAIGN))
        spent = spend(url, pid, polled=polled)
    process.wait()
    rates = [throughput(each, skipped=WARM_UP) for each in (served, alone)]
    return Cost(rates[0] / rates[1], spent)


def spend(url: str, process: int, *, polled: bool) -> float:
    """Let a window pass; return the server's processor time by its campaign's."""
    client = Client(url)
    time.sleep(WARM_UP)
    before = processor_seconds(process)
    end = time.perf_counter() + WINDOW
    while time.perf_counter() < end:
        if polled:
            client.call("read_logs", {"count": 20})
            client.call("show_coverage", {})
        time.sleep(1 / POLLS_A_SECOND)
    after = processor_seconds(process)
    spent = [two - one for one, two in zip(before, after, strict=True)]
    return spent[0] / spent[1]


@contextlib.contextmanager
def only_on(core: int) -> Iterator[None]:
    """Let what this thread starts run on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def processor_seconds(process: int) -> Sequence[float]:
    """Return the processor seconds of a server, and of the processes below it."""
    return seconds_of(process), sum(map(seconds_of_tree, children(process)))


def costs() -> None:
    """Print what a server costs its campaign."""
    print("Calls a second of a campaign with a server / without, pairs side by side")
    found: dict[str, list[Cost]] = {"idle": [], "polled": []}
    for number in range(PAIRS):
        for name, pairs in found.items():
            with tempfile.TemporaryDirectory() as root:
                cost = side_by_side(
                    Path(root), polled=name == "polled", served_on=number % 2
                )
            pairs.append(cost)
    for name, pairs in found.items():
        ratios = [cost.ratio for cost in pairs]
        mean, median = statistics.geometric_mean(ratios), statistics.median(ratios)
        share = statistics.median(cost.share for cost in pairs)
        print(
            f"  {name:<8} geometric mean {mean:.3f}, median {median:.3f}"
            f" ({', '.join(f'{ratio:.2f}' for ratio in ratios)});"
            f" processor time of server / campaign {share:.2%}"
        )


def main() -> None:
    """Print all figures."""
    show("One client", latencies(one_client))
    title = f"{CLIENTS} clients, each {CALLS_A_SECOND:.0f} calls a second"
    show(title, latencies(many_clients))
    title = f"A new client for each call, beside {DEAF} that asked and don't read"
    show(title, latencies(beside_deaf_clients))
    costs()


if __name__ == "__main__":
    main()

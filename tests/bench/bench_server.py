"""The server under load, and what it takes from the campaign.

Latency is measured on raw HTTP while the campaign fuzzes natively on all cores: one
client that calls one tool after the other, then fifty clients with two calls a second
each. What the server costs is told twice: as calls a second of campaigns with an idle
server and with one that is polled beside a campaign without any, in turn; and as
processor time, which does not depend on what else the machine does.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

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
POLLS_A_SECOND = 5.0
WINDOW = 12.0
ROUNDS = 3

Taken = dict[str, list[float]]
"""Milliseconds of each call, by tool."""


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


def without_server(directory: str) -> float:
    """Return calls a second of a campaign alone."""
    seconds = str(round(WARM_UP + WINDOW))
    place = ["--corpus-dir", directory, "--format", "none", "--seed", "1"]
    limits = ["--test-limit", str(10**12), "--timeout", seconds]
    mode = ["--test-mode", "exploration"]
    subprocess.run([*PROGRAM, "run", *place, *limits, *mode], check=True)
    return throughput(Path(directory))


def with_server(directory: str, *, polled: bool) -> tuple[float, float]:
    """Return calls a second, and the server's processor time by its campaign's."""
    mode = ("--seed", "1", "--test-mode", "exploration")
    with server(directory, *mode) as (url, process):
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
    return throughput(Path(directory)), spent[0] / spent[1]


def processor_seconds(process: int) -> Sequence[float]:
    """Return the processor seconds of a server, and of the processes below it."""
    return seconds_of(process), sum(map(seconds_of_tree, children(process)))


def costs() -> None:
    """Print what a server costs its campaign."""
    idle: list[tuple[float, float]] = []
    polled: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as root:
            alone = without_server(f"{root}/alone")
            for name, found in (("idle", idle), ("polled", polled)):
                rate, share = with_server(f"{root}/{name}", polled=name == "polled")
                found.append((rate / alone, share))
    print("Calls a second of campaigns with a server / without, and its processor time")
    for name, found in (("idle", idle), ("polled", polled)):
        ratios = ", ".join(f"{ratio:.3f}" for ratio, _ in found)
        share = statistics.median(share for _, share in found)
        print(f"  {name:<8} {ratios}; server / campaign {share:.2%}")


def main() -> None:
    """Print all figures."""
    show("One client", latencies(one_client))
    title = f"{CLIENTS} clients, each {CALLS_A_SECOND:.0f} calls a second"
    show(title, latencies(many_clients))
    costs()


if __name__ == "__main__":
    main()

"""A long native campaign: its memory stays flat, and the tools answer meanwhile.

`nox -s endurance` runs it for ECHIDNA_MCP_ENDURANCE_SECONDS, half an hour by default.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer, RawClient, live_server, until
from memory_use import MIB, resident_bytes
from tool_results import TOOLS

from echidna_mcp.campaign.verification import verify

pytestmark = [pytest.mark.solc, pytest.mark.slow]

SECONDS = float(os.environ.get("ECHIDNA_MCP_ENDURANCE_SECONDS", "1800"))
PAUSE = 0.05
"""Seconds between two calls of tools: some agents that look often."""
SAMPLE_SECONDS = 0.5
SLACK = 24 * MIB
"""What the campaign process may gain from the second third to the last.

It keeps what it knows: corpus, coverage, dictionary, and some bytes a round of
bookkeeping. That grows slower and slower, while what is lost by a leak of, say, one
sequence in a thousand would be hundreds of MB.
"""
LATENCY = 0.25
"""Seconds within which 95 of 100 answers come even on a busy machine; 10 ms are asked
for on one that has a core to spare, and what it was is printed."""

MOST_LATE = 1_000
"""One answer in so many may miss its deadline of 100 ms, on a busy machine."""

ARGUMENTS = {
    "find_transaction_in_corpus": {"functionSignature": "deposit"},
    "inject_transaction": {"sequence": ["deposit()", "withdraw(1)"], "value": "5"},
    "prioritize_function": {"functionSignature": "deposit()"},
}
RARELY = {"inject_transaction", "dump_lcov"}
"""An injected sequence stays in the corpus: at thousands of them memory must grow."""


@dataclass(slots=True)
class Watch:
    """What was seen of a campaign over time."""

    latencies: dict[str, list[float]] = field(default_factory=dict)
    campaign: list[int] = field(default_factory=list)
    server: list[int] = field(default_factory=list)
    late: int = 0

    def check(self, result: dict[str, Any]) -> None:
        """Accept results, and now and then a deadline that was missed."""
        if result["isError"]:
            error = json.loads(result["content"][0]["text"])["error"]
            assert error["code"] == "EXECUTION_TIMEOUT", error
            self.late += 1

    def third(self, samples: list[int], number: int) -> float:
        """Return the mean of a third of the samples, in MiB."""
        size = len(samples) // 3
        part = samples[number * size : (number + 1) * size]
        return sum(part) / len(part) / MIB

    def lines(self) -> list[str]:
        """Return figures for a person."""
        rows = [
            f"{tool:<28} {len(times):>6} calls"
            f"  p50 {_part(times, 50) * 1e3:6.1f} ms"
            f"  p95 {_part(times, 95) * 1e3:6.1f} ms"
            for tool, times in sorted(self.latencies.items())
        ]
        for name, samples in (("campaign", self.campaign), ("server", self.server)):
            thirds = "  ".join(f"{self.third(samples, n):7.1f}" for n in range(3))
            rows.append(f"MiB of the {name}, by thirds of the time: {thirds}")
        rows.append(f"answers that missed their deadline: {self.late}")
        return rows


def _part(times: list[float], percent: int) -> float:
    return sorted(times)[len(times) * percent // 100]


def watch(server: LiveServer, seconds: float) -> Watch:
    """Call all tools in turn for so long, and look at the processes' memory."""
    found = Watch(latencies={tool: [] for tool in TOOLS})
    process = server.campaign
    end = time.monotonic() + seconds
    sampled, turn = 0.0, 0
    with RawClient(server.url) as client:
        while (now := time.monotonic()) < end:
            for tool in TOOLS:
                if tool in RARELY and turn % 200:
                    continue
                start = time.perf_counter()
                status, answer = client.send(tool, ARGUMENTS.get(tool, {}))
                found.latencies[tool].append(time.perf_counter() - start)
                assert status == 200
                found.check(answer["result"])
                time.sleep(PAUSE)
            turn += 1
            if now - sampled >= SAMPLE_SECONDS:
                sampled = now
                found.campaign.append(resident_bytes(process))
                found.server.append(resident_bytes(server.process.pid))
    assert server.campaign == process, "the campaign process was replaced"
    return found


def test_memory_stays_flat_and_tools_answer_at_once(
    lab_source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "campaign"
    arguments = (lab_source, "--backend", "native", "--executor", "threads:2")
    with live_server(directory, *arguments, "--format", "none") as server:
        with RawClient(server.url) as client:
            until(lambda: client.call("get_corpus_size")["size"] > 0, "the first round")
            begin = client.call("show_coverage")["round"]
            found = watch(server, SECONDS)
            rounds = client.call("show_coverage")["round"] - begin
        assert server.stop() == 0
        assert server.survivors() == []
    verified = verify(directory / "campaign.db")
    everything = [time for times in found.latencies.values() for time in times]
    title = f"{SECONDS:.0f} s, {rounds} rounds, {verified.events} events:"
    total = f"p95 of all calls: {_part(everything, 95) * 1e3:.1f} ms"
    with capsys.disabled():
        print("", title, *found.lines(), total, sep="\n")  # noqa: T201 (for a person)
    assert rounds > SECONDS / 5
    assert all(found.latencies.values())
    grown = found.third(found.campaign, 2) - found.third(found.campaign, 1)
    assert grown * MIB < SLACK, f"{grown:.1f} MiB more from one third to the next"
    assert _part(everything, 95) < LATENCY
    assert found.late * MOST_LATE <= len(everything)

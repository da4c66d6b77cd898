"""Latency of the tools while the campaign runs (FR-015); `nox -s bench` judges it."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest
from live_server import RawClient
from tool_results import TOOLS

from echidna_mcp.server.address import listen

pytestmark = pytest.mark.servers

CALLS = 40
ARGUMENTS = {
    "find_transaction_in_corpus": {"functionSignature": "deposit"},
    "inject_transaction": {"sequence": ["deposit()"]},
    "prioritize_function": {"functionSignature": "deposit()"},
}


@pytest.mark.solc
def test_every_tool_is_timed_during_fuzzing(lab, capsys):
    with RawClient(lab.url) as client:
        begin = client.call("show_coverage")["round"]
        rows = []
        for tool in TOOLS:
            times = []
            for _ in range(CALLS):
                start = time.perf_counter()
                status, answer = client.send(tool, ARGUMENTS.get(tool, {}))
                times.append(time.perf_counter() - start)
                assert status == 200
                assert not answer["result"]["isError"], answer
            times.sort()
            p50, p95 = times[CALLS // 2], times[CALLS * 95 // 100]
            rows.append(f"{tool:<28} p50 {p50 * 1e3:6.1f} ms  p95 {p95 * 1e3:6.1f} ms")
        assert client.call("show_coverage")["round"] > begin
        client.call("clear_priorities")
    with capsys.disabled():
        title = f"{CALLS} calls a tool, one client, while fuzzing:"
        print("", title, *rows, sep="\n")  # noqa: T201 (figures are for a person)


async def test_no_answer_waits_for_an_acknowledgement():
    """Nagle's algorithm is off; with it each answer took 40 ms more."""
    seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        seen.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listening = listen("127.0.0.1", 0)
    async with await asyncio.start_server(connected, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        assert await seen
        writer.close()

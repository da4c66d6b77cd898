"""`echidna-mcp serve` as a process of its own, a client of it, and what both cost."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PROGRAM = [sys.executable, "-m", "echidna_mcp.cli"]


@contextlib.contextmanager
def server(
    directory: str, *arguments: str, environment: Mapping[str, str] = os.environ
) -> Iterator[tuple[str, int]]:
    """Serve a campaign in a directory; yield the URL and the process."""
    own = ["--port", "0", "--corpus-dir", directory, "--format", "none"]
    process = subprocess.Popen(
        [*PROGRAM, "serve", *own, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(environment),
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"listening on (\S+)", line):
                yield found[1], process.pid
                break
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


class Client:
    """One keep-alive connection that calls tools without a client library."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._path = parts.path
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def call(self, tool: str, arguments: dict[str, object]) -> float:
        """Call a tool; return the milliseconds until the whole answer was there."""
        begin = time.perf_counter()
        self.answer(tool, arguments)
        return (time.perf_counter() - begin) * 1000

    def answer(self, tool: str, arguments: dict[str, object]) -> Any:
        """Call a tool; return the result, as the protocol has it."""
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
        self._connection.request("POST", self._path, json.dumps(body), headers)
        answer = json.loads(self._connection.getresponse().read())
        assert not answer["result"].get("isError"), answer
        return answer["result"]


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task")
    return [
        int(c) for t in tasks.iterdir() for c in (t / "children").read_text().split()
    ]


def seconds_of(pid: int) -> float:
    """Return the processor seconds of a process, user and system."""
    return sum(_times(pid)[:2])


def seconds_of_tree(pid: int) -> float:
    """Return the processor seconds of a process and of all below it, ended or not."""
    return sum(_times(pid)) + sum(map(seconds_of_tree, children(pid)))


def _times(pid: int) -> list[float]:
    """Return user and system seconds of a process, then those of ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(each) / os.sysconf("SC_CLK_TCK") for each in fields[11:15]]

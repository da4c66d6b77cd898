"""`echidna-mcp serve` as a process of its own, for tests that act as its clients.

Every server leads a process group, so that nothing it starts can outlive a test: what
is left of the group is killed at the end, and `survivors` tells a test what that was.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from select import select
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from mcp.client.stdio import StdioServerParameters

from echidna_mcp.events.event import Event
from echidna_mcp.events.payloads import EventType
from echidna_mcp.events.store import EventStore, store_path

READY = "MCP server listening on "
START_SECONDS = 120.0
STOP_SECONDS = 120.0
"""Nothing takes as long; on a machine with too much to do, much takes its time."""
POLL_SECONDS = 0.02
_PROTOCOL = "2026-07-28"


def command(*arguments: object) -> list[str]:
    """Return the console script of this environment with arguments."""
    script = Path(sys.executable).with_name("echidna-mcp")
    return [str(script), *map(str, arguments)]


def run_cli(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run another command of the program to its end."""
    return subprocess.run(  # noqa: PLW1510 (tests look at the exit code)
        command(*arguments), capture_output=True, text=True, timeout=600
    )


def until(
    condition: Callable[[], bool], what: str, seconds: float = STOP_SECONDS
) -> None:
    """Wait until `condition` holds; fail if it doesn't within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(POLL_SECONDS)


def stored(directory: Path, *types: EventType) -> list[Event]:
    """Return the events of some types that a campaign has committed.

    `read_logs` has the newest 2,500 of any type, which is half a minute of a campaign.
    """
    with EventStore.read_only(store_path(directory)) as store:
        return list(store.read(types=types))


# ------------------------------------------------------------------- processes


def survivors(group: int) -> list[int]:
    """Return the live processes of a process group."""
    if Path("/proc/self/stat").exists():
        return [pid for pid, _, of, alive in _processes() if of == group and alive]
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return [group]
    return []


def children(parent: int) -> list[int]:
    """Return the live processes that a process has spawned to run Python code."""
    return [
        pid
        for pid, of, _, alive in _processes()
        if of == parent and alive and b"spawn_main" in _arguments(pid)
    ]


def leader_of(directory: Path) -> int:
    """Return the process that serves a corpus directory."""
    wanted = str(directory).encode()
    (found,) = [
        pid
        for pid, _, group, _ in _processes()
        if pid == group and wanted in _arguments(pid).split(b"\0")
    ]
    return found


def _processes() -> Iterator[tuple[int, int, int, bool]]:
    """Yield process, parent, group, and whether it runs (a zombie does not)."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("looks for processes in /proc, which this system lacks")
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                state, parent, group, *_ = process_stat(entry)
                yield int(entry.name), int(parent), int(group), state != "Z"


def process_stat(entry: Path) -> list[str]:
    """Return what /proc tells of a process or a thread, from its state on."""
    # The name, in parentheses, may hold anything; the rest is a letter and numbers.
    return (entry / "stat").read_text().rpartition(")")[2].split()


def _arguments(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def suspend(pid: int) -> None:
    """Stop a process, and wait until each of its threads stands still.

    The signal is for one thread, which stops the others as soon as it sees it: while
    that one waits for the disk they go on.
    """
    os.kill(pid, signal.SIGSTOP)
    threads = Path(f"/proc/{pid}/task")

    def stopped() -> bool:
        with suppress(FileNotFoundError, ProcessLookupError):  # One has just ended.
            return all(process_stat(thread)[0] == "T" for thread in threads.iterdir())
        return False

    until(stopped, f"process {pid} to stop")


def resume(pid: int) -> None:
    """Let a process that was suspended go on."""
    os.kill(pid, signal.SIGCONT)


def kill_group(group: int) -> None:
    """Kill whatever is left of a process group."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


# ---------------------------------------------------------------------- server


@dataclass(slots=True)
class LiveServer:
    """A server that listens.

    Attributes:
        url: of Streamable HTTP.
        directory: of the campaign.
    """

    process: subprocess.Popen[bytes]
    directory: Path
    errors: Path
    url: str = ""

    @property
    def sse_url(self) -> str:
        """URL of the legacy event stream."""
        return self.url.removesuffix("/mcp") + "/sse"

    @property
    def stderr(self) -> str:
        """What was printed so far."""
        return self.errors.read_text("utf-8", errors="replace")

    @property
    def campaign(self) -> int:
        """The process of the campaign."""
        (found,) = children(self.process.pid)
        return found

    @property
    def command_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the command log."""
        path = self.directory / "mcp-commands.jsonl"
        text = path.read_text("utf-8") if path.exists() else ""
        assert not text or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def commands(self) -> list[dict[str, Any]]:
        """Return the lines of those that were accepted."""
        return [line for line in self.command_lines if line["result"] == "success"]

    def stop(self, number: int = signal.SIGINT) -> int:
        """Send a signal and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)

    def survivors(self, seconds: float = STOP_SECONDS) -> list[int]:
        """Return what is left of the server's processes, after a moment of grace."""
        deadline = time.monotonic() + seconds
        while (left := survivors(self.process.pid)) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        return left


@contextmanager
def started_server(
    directory: Path, *arguments: object, errors: Path | None = None
) -> Iterator[LiveServer]:
    """Start a server and don't wait for it; kill it at the end if it still runs.

    Args:
        directory: of the campaign; made by the server.
        arguments: of `serve`, beside port and directory.
        errors: file for standard error; beside `directory` if not given.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    errors = errors or directory.with_name(directory.name + ".stderr")
    words = command("serve", *arguments, "--port", 0, "--corpus-dir", directory)
    with errors.open("wb") as file:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield LiveServer(process, directory, errors)
    finally:
        with suppress(subprocess.TimeoutExpired):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(STOP_SECONDS)
        kill_group(process.pid)
        process.wait()


@contextmanager
def live_server(
    directory: Path, *arguments: object, errors: Path | None = None
) -> Iterator[LiveServer]:
    """Start a server, wait until it listens, and interrupt it at the end."""
    with started_server(directory, *arguments, errors=errors) as server:
        wait_until_ready(server)
        yield server


def wait_until_ready(server: LiveServer) -> None:
    """Wait for the line that names the URL."""

    def ready() -> bool:
        assert server.process.poll() is None, f"the server ended: {server.stderr}"
        whole_lines = server.stderr.rpartition("\n")[0].split("\n")
        found = [line for line in whole_lines if line.startswith(READY)]
        server.url = found[0].removeprefix(READY) if found else ""
        return bool(found)

    until(ready, f"the server to listen; it printed {server.stderr}", START_SECONDS)


def stdio_parameters(directory: Path, *arguments: object) -> StdioServerParameters:
    """Return how the official client starts a server on standard streams."""
    words = command(
        "serve", *arguments, "--transport", "stdio", "--corpus-dir", directory
    )
    return StdioServerParameters(
        command=words[0], args=words[1:], env=dict(os.environ), cwd=directory.parent
    )


# ------------------------------------------------------------------ raw client


class RawClient:
    """One keep-alive HTTP connection that speaks the current protocol by hand.

    The official client costs more than the server; figures and floods need this one.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._path = parts.path
        self._connection = HTTPConnection(
            parts.hostname or "", parts.port, timeout=STOP_SECONDS
        )
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def post(self, body: bytes, tool: str) -> tuple[int, dict[str, Any]]:
        """Send a body as a call of `tool`; return status and JSON."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _PROTOCOL,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        sock = self._connection.sock
        if sock is not None and select([sock], [], [], 0)[0]:
            self._connection.close()  # The server leaves connections that are idle.
        self._connection.request("POST", self._path, body, headers)
        response = self._connection.getresponse()
        answer = response.read()
        assert answer.startswith(b"{"), (response.status, answer[:200])
        return response.status, json.loads(answer)

    def send(
        self, tool: str, arguments: Any, **more: Any
    ) -> tuple[int, dict[str, Any]]:
        """Call a tool with any JSON; return status and JSON-RPC answer.

        Args:
            more: members of `_meta`.
        """
        self._number += 1
        meta = {
            "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
            "io.modelcontextprotocol/clientCapabilities": {},
            **more,
        }
        request = {
            "jsonrpc": "2.0",
            "id": self._number,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta},
        }
        return self.post(json.dumps(request).encode(), tool)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must answer, and return its structured content."""
        status, answer = self.send(tool, arguments)
        assert status == 200, answer
        result = answer["result"]
        assert not result.get("isError"), result
        structured = result["structuredContent"]
        assert isinstance(structured, dict)
        return structured

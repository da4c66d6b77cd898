"""A client that starts the server is answered while the target is being compiled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from live_server import STOP_SECONDS, command, kill_group, survivors, until
from solc import require_solc

pytestmark = pytest.mark.servers

VERSION = "2025-11-25"


class StdioClient:
    """Speaks MCP with a server that it starts, and looks at the clock."""

    def __init__(self, directory: Path, *arguments: object, path: str) -> None:
        words = command(
            "serve",
            *arguments,
            "--transport",
            "stdio",
            "--corpus-dir",
            directory / "corpus",
        )
        self.errors = directory / "stderr"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PATH": path},
            )
        self._number = 0

    def send(self, method: str, **params: Any) -> int:
        """Send a request; return its number."""
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        return self._number

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def hear(self, number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the answer to a request, and the notifications before it."""
        assert self.process.stdout is not None
        before = []
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message["result"], before
            before.append(message)
        raise AssertionError(self.errors.read_text())

    def greet(self) -> None:
        """Shake hands."""
        client = {"name": "test", "version": "0"}
        number = self.send(
            "initialize", protocolVersion=VERSION, capabilities={}, clientInfo=client
        )
        self.hear(number)
        self._write({"method": "notifications/initialized"})

    def call(self, tool: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Call a tool without arguments; ask for progress."""
        return self.hear(
            self.send("tools/call", name=tool, arguments={}, _meta={"progressToken": 7})
        )

    def leave(self) -> int:
        """Close the stream; return the exit code of the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(STOP_SECONDS)


@pytest.fixture
def slow_node(tmp_path: Path) -> Iterator[str]:
    """Return a PATH on which node, and with it solc, waits for a file `go`."""
    require_solc()
    node = shutil.which("node")
    assert node is not None
    shim = tmp_path / "bin" / "node"
    shim.parent.mkdir()
    shim.write_text(
        f'#!/bin/sh\nuntil [ -e "{tmp_path}/go" ]; do sleep 0.05; done\n'
        f'exec "{node}" "$@"\n'
    )
    shim.chmod(0o755)
    # No solc of the system, which would not wait.
    yield f"{shim.parent}:/usr/bin:/bin"
    (tmp_path / "go").touch()


@pytest.fixture
def wrapped_node(tmp_path: Path) -> str:
    """Return a PATH on which node is a wrapper: what it starts never ends."""
    require_solc()
    shim = tmp_path / "bin" / "node"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nsleep 600\nexit 1\n")
    shim.chmod(0o755)
    return f"{shim.parent}:/usr/bin:/bin"


def compilers(target: Path) -> list[int]:
    """Return the processes of `wrapped_node`, which are told where they work."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (entry / "environ").read_bytes().split(b"\0")
            arguments = (entry / "cmdline").read_bytes()
            mine = f"PATH={target.parent / 'bin'}:/usr/bin:/bin".encode()
            if mine in environment and arguments.startswith((b"sleep", b"/bin/sh")):
                found.append(int(entry.name))
    return found


@contextmanager
def client_of(directory: Path, target: Path, path: str) -> Iterator[StdioClient]:
    client = StdioClient(directory, target, path=path)
    try:
        yield client
    finally:
        kill_group(client.process.pid)
        client.process.wait()
        for stream in (client.process.stdin, client.process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    path = tmp_path / "Counter.sol"
    # Compiled by nobody before: else the compiler is not even started.
    path.write_text(
        f"// {uuid4()}\n"
        "pragma solidity >=0.8.0; contract Counter { uint public n;"
        " function add(uint by) public { n += by % 3; }"
        " function echidna_small() public view returns (bool) { return n < 1e9; } }"
    )
    return path


def test_a_client_is_answered_during_the_compilation_and_its_call_waits(
    tmp_path, counter, slow_node
):
    with client_of(tmp_path, counter, slow_node) as client:
        client.greet()
        tools, _ = client.hear(client.send("tools/list"))
        assert len(tools["tools"]) == 9
        resources, _ = client.hear(client.send("resources/list"))
        assert "echidna://campaign" in [each["uri"] for each in resources["resources"]]
        assert not (tmp_path / "corpus").exists()

        number = client.send(
            "tools/call",
            name="get_corpus_size",
            arguments={},
            _meta={"progressToken": 7},
        )
        time.sleep(1.5)
        (tmp_path / "go").touch()
        result, before = client.hear(number)
        assert result["structuredContent"]["size"] >= 0
        assert not result["isError"]
        told = [each for each in before if each["method"] == "notifications/progress"]
        assert told[0]["params"]["message"] == (
            f"The campaign starts: {counter} is being compiled."
        )
        assert len(told) > 1
        assert client.leave() == 0
        assert "echidna_small: passing" in client.errors.read_text()
        until(lambda: not survivors(client.process.pid), "all processes to end")


def test_a_client_is_told_why_its_target_can_not_be_fuzzed(tmp_path):
    require_solc()
    target = tmp_path / "Broken.sol"
    target.write_text("contract Broken {")
    with client_of(tmp_path, target, os.environ["PATH"]) as client:
        client.greet()
        result, _ = client.call("show_coverage")
        assert result["isError"]
        error = json.loads(result["content"][0]["text"])["error"]
        assert error["code"] == "CAMPAIGN_TERMINATED"
        assert "Broken.sol:1" in error["message"]
        assert "restart this server" in error["message"]
        assert client.leave() == 2
        printed = client.errors.read_text()
        assert printed.startswith("Error: ")
        assert "Traceback" not in printed
        assert not (tmp_path / "corpus").exists()


def test_a_client_that_leaves_during_the_compilation_leaves_nothing(
    tmp_path, counter, slow_node
):
    with client_of(tmp_path, counter, slow_node) as client:
        client.greet()
        before = survivors(client.process.pid)
        assert len(before) > 1
        assert client.leave() == 0
        until(lambda: not survivors(client.process.pid), "the compiler to end")
        assert client.errors.read_text() == ""
        assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_compilation_ends_the_server(
    tmp_path, counter, slow_node, number
):
    with client_of(tmp_path, counter, slow_node) as client:
        client.greet()
        client.process.send_signal(number)
        assert client.process.wait(STOP_SECONDS) == 0, client.errors.read_text()
        until(lambda: not survivors(client.process.pid), "the compiler to end")
        assert "Traceback" not in client.errors.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, None])
def test_nothing_of_a_compiler_is_left_however_early_the_server_ends(
    tmp_path, counter, wrapped_node, number
):
    with client_of(tmp_path, counter, wrapped_node) as client:
        # Before the server can even answer.
        until(lambda: len(compilers(counter)) == 2, "the compiler")
        if number is None:
            client.leave()
        else:
            client.process.send_signal(number)
            client.process.wait(STOP_SECONDS)
        until(lambda: not compilers(counter), "the compiler to end")
        until(lambda: not survivors(client.process.pid), "the server to end")
        assert "Traceback" not in client.errors.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_over_http_ends_during_the_compilation_as_well(
    tmp_path, counter, wrapped_node, number
):
    words = command("serve", counter, "--port", 0, "--corpus-dir", tmp_path / "corpus")
    process = subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PATH": wrapped_node},
    )
    try:
        until(lambda: len(compilers(counter)) == 2, "the compiler")
        process.send_signal(number)
        _, errors = process.communicate(timeout=STOP_SECONDS)
        assert process.returncode == 130
        assert errors.decode().endswith("Interrupted.\n")
        until(lambda: not compilers(counter), "the compiler to end")
        until(lambda: not survivors(process.pid), "the server to end")
    finally:
        kill_group(process.pid)
        process.wait()

"""MCP over the standard streams of a child process."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

PATIENCE = 60.0
"""Seconds after which a process will not end any more, on any machine."""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


def line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


@pytest.mark.parametrize(
    ("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")]
)
async def test_the_official_client_is_served_and_no_print_reaches_it(
    sample_program: Path, mode: Any, version: str
):
    parameters = StdioServerParameters(
        command=sys.executable, args=[str(sample_program)]
    )
    with tempfile.TemporaryFile("w+") as errors:
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, mode=mode) as client:
            assert client.protocol_version == version
            assert len((await client.list_tools()).tools) == 9
            for _ in range(3):
                shouted = await client.call_tool("shout")
                assert shouted.structured_content == {"child": 0}
            words = await client.call_tool("count_words", {"text": "ü" * 200_000})
            assert words.structured_content == {"words": 1, "longest": "ü" * 200_000}
            wrong = await client.call_tool("nothing")
            assert wrong.is_error
            calls = [client.call_tool("items") for _ in range(50)]
            answers = await asyncio.gather(*calls)
            assert not any(answer.is_error for answer in answers)
        errors.seek(0)
        # Prints went to standard error; the child found standard input empty.
        assert errors.read().split() == ["shout", "shout", "0"] * 3


@pytest.fixture
def program(sample_program: Path):
    """Start the sample server; it gets ready while the test writes to it."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**streams: Any) -> subprocess.Popen[bytes]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [sys.executable, str(sample_program)]
        process = subprocess.Popen(command, **{**pipes, **streams})
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def greet(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line(INITIALIZE))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1


def test_a_stop_does_not_wait_for_the_client_to_say_something(program):
    process = program()
    greet(process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert process.stderr.read() == b"stopped\n"


def test_the_server_ends_quietly_when_the_client_dies(program):
    process = program()
    greet(process)
    process.stdout.close()
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    process.stdin.write(line(ping))
    process.stdin.flush()
    assert process.wait(PATIENCE) == 0
    assert b"Traceback" not in process.stderr.read()


def test_only_the_end_of_input_ends_the_server_and_not_garbage(program):
    process = program()
    greet(process)
    process.stdin.write(b"{\n\xff\xfe\n\n[]\n")
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    process.stdin.write(line(ping))
    process.stdin.flush()
    for raw in process.stdout:
        if json.loads(raw).get("id") == 2:
            break
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    assert process.stdout.read() == b""
    assert process.stderr.read() == b""


def test_input_may_come_from_a_file(program, tmp_path):
    script = tmp_path / "script"
    script.write_bytes(line(INITIALIZE).removesuffix(b"\n"))
    with script.open("rb") as stdin:
        process = program(stdin=stdin)
        assert process.wait(PATIENCE) == 0
    assert json.loads(process.stdout.read())["id"] == 1
    assert process.stderr.read() == b""

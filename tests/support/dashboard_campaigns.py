"""Campaigns whose dashboard is looked at, and how to ask it what it knows."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from live_server import STOP_SECONDS, LiveServer, command, kill_group, until

SHORT = (
    *("--workers", 4, "--round-budget", 20_000, "--seq-len", 20, "--seed", 7),
    *("--executor", "threads:1", "--format", "none"),
)
"""Rounds of some milliseconds, on one core."""

HOSTILE_FILE = "<img src=x onerror=hacked=1>.sol"
HOSTILE_TEXT = "<img src=x onerror=hacked=1>"
HOSTILE_SOURCE = f"""\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
// <script>window.hacked = 1</script> </script><script>window.hacked = 1</script>
// from right to left: \u202etxet\u202c and back
contract Hostile {{
    bool seen;
    function note(string calldata text) external {{
        seen = keccak256(bytes(text)) == keccak256("{HOSTILE_TEXT}");
        require(bytes(text).length < 1000, "<b onclick=hacked=1>too long</b>");
    }}
    function echidna_unseen() external view returns (bool) {{
        return !seen;
    }}
}}
"""


INCOMPLETE_SOURCE = """\
pragma solidity >=0.8.0;
contract Incomplete {
    uint n;
    function first(uint x) public {
        if (keccak256(abi.encode(x)) == bytes32(uint(1)))
            n = 1;
    }
    function second(uint x) public {
        if (keccak256(abi.encode(x)) == bytes32(uint(2)))
            n = 2;
    }
    function echidna_none() public view returns (bool) {
        return n == 0;
    }
}
"""


def base(server: LiveServer) -> str:
    """Return the address of the dashboard."""
    parts = urlsplit(server.url)
    return f"{parts.scheme}://{parts.netloc}/"


def read(server: LiveServer, uri: str) -> Any:
    """Read a resource as the dashboard does."""
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    try:
        connection.request("GET", f"/dashboard/read?uri={quote(uri, safe='')}")
        response = connection.getresponse()
        body = json.loads(response.read())
        assert response.status == 200, body
        return body
    finally:
        connection.close()


def until_stopped(server: LiveServer) -> None:
    """Wait for the end of a campaign; its server goes on."""
    until(lambda: bool(read(server, "echidna://campaign")["stopped"]), "its end")


def failed_tests(server: LiveServer) -> list[str]:
    """Return the names of the tests that have failed."""
    tests = read(server, "echidna://campaign")["tests"]
    return [test["name"] for test in tests if test["state"] != "open"]


@contextmanager
def served_again(directory: Path, port: int, *arguments: object) -> Iterator[None]:
    """Serve a campaign that was stopped once more, on a port that is known."""
    words = command("serve", *arguments, "--port", port, "--corpus-dir", directory)
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)
        kill_group(process.pid)

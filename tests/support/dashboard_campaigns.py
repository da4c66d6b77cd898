"""Campaigns whose dashboard is looked at, and how to ask it what it knows."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from live_server import STOP_SECONDS, LiveServer, command, kill_group, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

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

FINDINGS_PATH = f"{'packages-with-a-long-name/' * 4}Findings.sol"
FINDINGS_SOURCE = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
/* What is tried: several findings of one test, a value, calls that fail
   and a contract beside the target. */
contract Counter {
    error TooMuch(uint256 given, uint256 most);
    event Added(address indexed by, uint256 amount);
    uint256 public total;

    function add(uint256 amount) external {
        if (amount > 1000) revert TooMuch({given: amount, most: 1000});
        total += amount;
        emit Added(msg.sender, amount);
    }
}

contract Findings {
    Counter public counter = new Counter();
    int256 public least = -9000000000000000000000;

    function twice(uint256 amount) external {
        counter.add(amount);
        assert(amount != 7);
        if (counter.total() > 20) {
            require(amount < 900, "more than anybody has, and said in a sentence "
                "that is much longer than the screen of any telephone is wide");
            assert(amount % 2 == 0);
        }
    }

    function raise(int256 by) external {
        require(by > 0 && by < 1e21, "no step");
        least += by;
    }

    function never(uint256 key) external view returns (uint256) {
        require(uint256(keccak256(abi.encode(key))) == 1);
        return guarded(key);
    }

    function guarded(uint256 key) internal pure returns (uint256) {
        return key + 1;
    }

    function optimize_least() external view returns (int256) {
        return least;
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


def fulfil(page: Page, uri: str, value: Any) -> None:
    """Let the server answer otherwise: with what no short campaign has."""
    query = uri.replace(":", "%3A").replace("/", "%2F")
    page.route(
        re.compile(rf"/dashboard/read\?uri={re.escape(query)}$"),
        lambda route: route.fulfill(json=value),
    )


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

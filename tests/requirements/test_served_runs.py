"""FR-011: `run --mcp-port` serves while it runs; `run` alone serves nothing."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from live_server import READY, STOP_SECONDS, RawClient, command, until

from echidna_mcp.views.command_log import command_log_path

pytestmark = pytest.mark.servers

CAMPAIGN = ("run", "--workers", 2, "--executor", "inline", "--format", "json")


def listening(pid: int) -> int:
    """Return how many sockets of a process listen."""
    states = {}
    for table in ("tcp", "tcp6"):
        path = Path("/proc/net", table)
        for line in path.read_text().splitlines()[1:] if path.exists() else ():
            fields = line.split()
            states[fields[9]] = fields[3]
    found = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            name = str(link.readlink())
        except FileNotFoundError:  # Closed meanwhile.
            continue
        inode = name.removeprefix("socket:[").removesuffix("]")
        found += name.startswith("socket:") and states.get(inode) == "0A"
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks into /proc")
def test_fr_011_run_alone_serves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "c"
    words = command(*CAMPAIGN, "--test-limit", 10**9, "--corpus-dir", place)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until((place / "campaign.db").exists, "the campaign")
        assert listening(process.pid) == 0
    finally:
        process.terminate()
        process.communicate(timeout=STOP_SECONDS)


@pytest.mark.parametrize("ended", ["by its limit", "by a signal"])
def test_fr_011_run_serves_on_a_port_for_as_long_as_it_runs(
    tmp_path: Path, ended: str
) -> None:
    place, errors = tmp_path / "c", tmp_path / "stderr"
    limit = 15 if ended == "by its limit" else 600
    words = command(
        *(*CAMPAIGN, "--mcp-port", 0, "--test-limit", 10**9),
        *("--timeout", limit, "--corpus-dir", place, "--round-budget", 20_000),
    )
    with errors.open("wb") as file:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=file)
    try:
        url = ready(process, errors)
        with RawClient(url) as client:
            client.call("inject_transaction", sequence=["deposit()"], value="77")
            if ended == "by a signal":
                process.terminate()
        output, _ = process.communicate(timeout=STOP_SECONDS)
    finally:
        process.kill()
        process.wait()
    report: dict[str, Any] = json.loads(output)
    assert report["reason"] == (
        "TimeLimitReached" if ended == "by its limit" else "Killed"
    )
    falsified = any(test["status"] == "falsified" for test in report["tests"])
    assert process.returncode == (1 if falsified else 0)
    with pytest.raises(ConnectionRefusedError), RawClient(url) as client:
        client.call("get_corpus_size")
    (line,) = command_log_path(place).read_text("utf-8").splitlines()
    assert json.loads(line)["tool"] == "inject_transaction"
    assert "Traceback" not in errors.read_text("utf-8")


def ready(process: subprocess.Popen[bytes], errors: Path) -> str:
    """Return the URL when it is served."""
    found: list[str] = []

    def look() -> bool:
        assert process.poll() is None, errors.read_text("utf-8")
        found[:] = re.findall(f"{READY}(.+)\n", errors.read_text("utf-8"))
        return bool(found)

    until(look, "the server")
    return found[0]

"""Worker processes that are killed: the work is done again, or the campaign stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from live_server import children, command, kill_group

from echidna_mcp.errors import StoreError
from echidna_mcp.events.store import EventStore, store_path

FIXED = ("--seed", 9, "--workers", 4, "--round-budget", 20_000, "--test-limit", 1_200)


def events(directory: str, kind: Any) -> int:
    """Return how many events of a type a store holds."""
    with (
        suppress(StoreError),  # It is not there yet, or being made.
        EventStore.read_only(store_path(Path(directory))) as store,
    ):
        return sum(1 for _ in store.read(types=(kind,)))
    return 0


def run_and_kill(
    directory: str, executor: str, enough: Callable[[int], bool]
) -> tuple[int, int, str, str]:
    """Run a campaign and kill every worker process, until there were enough.

    Returns:
        How many were killed, the exit code, and what was printed on both streams.
    """
    killed: set[int] = set()
    process = subprocess.Popen(
        command(
            *("run", *FIXED, "--executor", executor, "--format", "json"),
            *("--corpus-dir", directory),
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while process.poll() is None and not enough(len(killed)):
            for worker in set(children(process.pid)) - killed:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    killed.add(worker)
                if enough(len(killed)):
                    break
            time.sleep(0.05)
        out, err = process.communicate(timeout=120)
        assert "Traceback" not in err
        return len(killed), process.returncode, out, err
    finally:
        kill_group(process.pid)
        process.communicate()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of the same campaign without any loss."""
    directory = tmp_path_factory.mktemp("undisturbed") / "s"
    words = ("run", *FIXED, "--executor", "inline", "--format", "json")
    done = invoke(*words, "--corpus-dir", directory)
    return json.loads(done.out)


def test_a_round_that_lost_its_worker_gives_the_same(here, undisturbed):
    killed, code, out, _ = run_and_kill("s", "processes:2", lambda count: count == 1)
    report = json.loads(out)
    falsified = [t for t in undisturbed["tests"] if t["status"] == "falsified"]
    assert (killed, code) == (1, int(bool(falsified)))
    assert report["stateDigest"] == undisturbed["stateDigest"]


def test_workers_that_die_for_ever_stop_the_campaign_with_a_bundle(here, undisturbed):
    _, code, out, err = run_and_kill("s", "processes:2", lambda _: False)
    assert (code, out) == (3, "")
    (bundle,) = Path("s").glob("echidna-mcp-crash-round-*.zip")
    (line,) = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert "failed, in a fresh process as well: the process ended with code -9" in line
    assert str(bundle) in line
    assert "This is a defect of echidna-mcp, not of the contract" in line
    assert invoke("verify", "s").code == 0
    last = events("s", "RoundCommitted")
    assert f"The campaign is stored up to round {last}." in line

    # What was killed by somebody does not die by itself.
    replayed = invoke("replay", bundle)
    assert replayed.code == 1
    assert f"Not reproduced: the task of round {last + 1}, worker " in replayed.err

    # Nothing that was committed is lost: it goes on, to the same end.
    words = ("run", *FIXED, "--executor", "inline", "--format", "json")
    done = invoke(*words, "--corpus-dir", "s")
    assert json.loads(done.out)["stateDigest"] == undisturbed["stateDigest"]


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18), b"not a zip"])
def test_a_file_that_is_no_crash_bundle_is_refused_in_a_sentence(here, content):
    Path("other.zip").write_bytes(content)
    refused = invoke("replay", "other.zip")
    assert refused.code == 2
    assert "other.zip is no crash bundle of echidna-mcp that can be read" in refused.err

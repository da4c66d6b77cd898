"""Worker processes that are killed: the work is done again, or its loss is a fact."""

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
) -> tuple[int, dict[str, Any]]:
    """Run a campaign and kill every worker process, until there were enough.

    Returns:
        How many were killed, and the report.
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
        return len(killed), json.loads(out)
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
    killed, report = run_and_kill("s", "processes:2", lambda count: count == 1)
    assert killed == 1
    assert events("s", "TaskAbandoned") == 0
    assert report["stateDigest"] == undisturbed["stateDigest"]


def test_a_task_that_is_lost_twice_is_recorded_and_replays(here, undisturbed):
    def enough(_: int) -> bool:
        return events("s", "TaskAbandoned") > 0

    killed, report = run_and_kill("s", "processes:1", enough)
    assert killed >= 2
    assert events("s", "TaskAbandoned") >= 1
    assert report["stateDigest"] != undisturbed["stateDigest"]
    assert invoke("verify", "s").code == 0
    replayed = invoke("replay", "s", "--executor", "inline")
    assert replayed.code == 0, replayed.err
    assert report["stateDigest"] in replayed.out


def test_workers_that_die_for_ever_end_the_campaign(here):
    with pytest.raises(json.JSONDecodeError):  # there is no report
        run_and_kill("s", "processes:2", lambda _: False)
    assert events("s", "RoundCommitted") == 2
    assert invoke("verify", "s").code == 0

"""A disk that is full: one sentence, and the store is as the last commit left it."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest
from command_line import invoke
from live_server import command, live_server, until

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.store import store_path

pytestmark = pytest.mark.servers

LARGEST = 250_000
"""Bytes that a file may have; the store of the demo soon wants more."""

FIXED = ("--seed", 1, "--round-budget", 20_000, "--executor", "inline")


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))


def test_a_run_ends_with_a_sentence_and_goes_on_later(here):
    words = ("run", *FIXED, "--corpus-dir", "s", "--format", "none")
    done = subprocess.run(
        command(*words),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=limited,
    )
    assert (done.returncode, done.stdout) == (2, "")
    note, told = done.stderr.splitlines()
    assert "this is the demo" in note
    assert told.startswith("Error: The store s/campaign.db ")
    found = verify(store_path(Path("s")))
    assert found.rounds > 0
    replayed = invoke("replay", "s", "--executor", "inline")
    assert replayed.out.startswith(f"Reproduced: {found.rounds} round")
    assert invoke(*words, "--timeout", 3).code in (0, 1)
    assert verify(store_path(Path("s"))).rounds > found.rounds


def test_a_server_goes_on_answering(here, monkeypatch: pytest.MonkeyPatch):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, hard))
    try:
        with live_server(here / "s", *FIXED) as server:
            until(lambda: "it stays stopped" in server.stderr, "it to give up")
            assert server.process.poll() is None
            assert server.stop() == 3
            assert "Traceback" not in server.stderr
            assert "The store " in server.stderr
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert verify(store_path(here / "s")).rounds > 0

"""Hot code is parsed and compiled at once while two threads search.

Python 3.11 counts the depth of a syntax tree for the whole interpreter while it makes
objects of it. When a garbage collection gives another thread its turn there, and that
one parses too, both fail. Here each collection gives way, and there are many.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

RUN = """
import gc, threading, time

def give_way(phase, _info):
    if threading.current_thread() is not threading.main_thread():
        time.sleep(1e-6)

gc.callbacks.append(give_way)
gc.set_threshold(500, 1000, 1000)

from echidna_mcp.cli.entry import main
main()
"""
SETTINGS = (
    *("--seed", "7", "--workers", "4", "--round-budget", "100000"),
    *("--test-limit", "2000", "--shrink-limit", "99", "--format", "json"),
)


def digest_of(directory: Path, executor: str, mode: str) -> str:
    """Fuzz the demo; no task may have failed."""
    words = ("run", *SETTINGS, "--executor", executor, "--corpus-dir", str(directory))
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        env={**os.environ, HOT_VARIABLE: mode},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in {0, 1}, done
    assert "Traceback" not in done.stderr, done
    with EventStore.read_only(store_path(directory)) as store:
        assert "TaskAbandoned" not in {event.type for event in store.read()}
    return str(json.loads(done.stdout)["stateDigest"])


def test_threads_that_ask_for_hot_code_at_once_disturb_nothing(tmp_path):
    expected = digest_of(tmp_path / "alone", "inline", "off")
    assert digest_of(tmp_path / "threads", "threads:2", "at-once") == expected

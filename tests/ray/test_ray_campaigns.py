"""Campaigns on the command line with a Ray of their own: begin, ctrl-C, end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from dashboard_campaigns import read
from live_server import command, kill_group, live_server, stored, until
from ray_clusters import nothing_left

from echidna_mcp.errors import StoreError
from echidna_mcp_plugins.executors.ray.cluster import Cluster

RAY = ("--executor", "ray:2", "--format", "json", "--plugins", "default")
ENDLESS = (*RAY, "--test-limit", 10**9, "--test-mode", "exploration")
AT_ONCE = 120.0
"""Seconds within which a campaign must have ended that was asked to, on any machine."""


@contextmanager
def running(place: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a directory, leader of a process group as in a terminal."""
    process = subprocess.Popen(
        command(*arguments, "--corpus-dir", "corpus"),
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        kill_group(process.pid)


def begun(place: Path) -> bool:
    """Return whether the campaign there has a round."""
    with suppress(StoreError):  # It is being made.
        return bool(stored(place / "corpus", "RoundCommitted"))
    return False


def test_standard_output_has_the_report_alone(tmp_path):
    limit = ("--test-limit", 20_000, "--seed", 3)
    with nothing_left(), running(tmp_path, "run", *RAY, *limit) as process:
        out, err = process.communicate(timeout=AT_ONCE)
    assert json.loads(out)
    assert "Traceback" not in err


def test_it_is_told_what_each_machine_did(tmp_path):
    limit = ("--test-limit", 20_000, "--executor", "ray:2", "--format", "text")
    with nothing_left(), running(tmp_path, "run", *limit) as process:
        _, err = process.communicate(timeout=AT_ONCE)
    work = r"\d+ tasks, [\d.]+ s of work, [\d.]+ a second"
    assert re.search(rf"^.+ \(node \w{{8}}\): {work}$", err, re.MULTILINE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_campaign_and_all_of_ray(tmp_path, number):
    with nothing_left(), running(tmp_path, "run", *ENDLESS) as process:
        until(lambda: begun(tmp_path), "the first round")
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=AT_ONCE)
    assert json.loads(out)
    assert "Traceback" not in err


def test_a_cluster_is_connected_to_once(tmp_path, monkeypatch, address):
    monkeypatch.chdir(tmp_path)
    connected = []
    init = Cluster._init
    monkeypatch.setattr(
        Cluster, "_init", lambda self, *args: connected.append(init(self, *args))
    )
    # How many CPUs it has is asked for the warning about too few logical workers.
    words = ("--executor", "ray", "--workers", 1, "--test-limit", 500)
    done = invoke("run", *words, "--format", "none", "--plugins", "default")
    assert "leaves 5 physical ones idle for 80 % of the time" in done.err
    assert len(connected) == 1


def test_clients_of_a_server_are_told_of_its_machines(tmp_path, address):
    with live_server(tmp_path / "corpus", *ENDLESS, "--format", "none") as server:

        def machines() -> dict[str, Any]:
            told = read(server, "echidna://campaign").get("machines")
            return told if told and told["nodes"] else {}

        until(machines, "machines to be told of")
        nodes = machines()["nodes"]
    assert sum(node["workers"] for node in nodes) <= 2
    assert all("(node " in node["name"] for node in nodes)

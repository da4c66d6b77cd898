"""Coverage of campaigns that are served."""

from __future__ import annotations

import pytest
from evidence_stores import QUICK
from live_server import live_server, run_cli, stored, until

pytestmark = pytest.mark.servers

FILES = {"covered.html", "covered.lcov", "covered.txt"}


def covered(directory):
    return {path.name for path in directory.glob("*covered*")}


def test_a_served_campaign_ends_with_its_coverage(tmp_path):
    directory = tmp_path / "campaign"
    with live_server(directory, *QUICK) as server:
        until(lambda: bool(stored(directory, "CampaignStopped")), "its end")
        assert covered(directory) == set()
        assert server.stop() == 0
        assert f"Coverage: {directory}: covered.txt" in server.stderr
    assert covered(directory) == FILES
    text = (directory / "covered.txt").read_bytes()
    # The command makes the same of what is stored.
    done = run_cli("coverage", directory, "--format", "txt", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "covered.txt").read_bytes() == text


def test_a_server_that_only_reads_writes_no_report(tmp_path):
    directory = tmp_path / "campaign"
    with live_server(directory, *QUICK, "--read-only") as server:
        until(lambda: bool(stored(directory, "CampaignStopped")), "its end")
        assert server.stop() == 0
    assert covered(directory) == set()

"""`--seal` of campaigns that are served."""

from __future__ import annotations

import subprocess

import pytest
from evidence_stores import FALSIFIED, QUICK, evidence_files, kinds
from live_server import command, live_server, run_cli, stored, until

pytestmark = pytest.mark.servers


def held(directory):
    """Check that the one finding of a campaign is sealed."""
    assert kinds(directory) == ["EvidenceSealed"]
    [path] = evidence_files(directory)
    done = run_cli("verify", path)
    assert done.returncode == 0, done.stderr
    [seal] = stored(directory, "EvidenceSealed")
    assert seal.payload["test"] == FALSIFIED


def test_findings_of_a_served_campaign_are_sealed_when_it_is_stopped(tmp_path):
    directory = tmp_path / "campaign"
    with live_server(directory, "--seed", 7, "--seal", "findings") as server:
        until(lambda: bool(stored(directory, "ReproducerShrunk")), "a finding")
        assert server.stop() == 0
        assert f"{FALSIFIED} up to event " in server.stderr
        assert "Traceback" not in server.stderr
    held(directory)


def test_findings_of_a_served_campaign_that_has_ended_are_sealed(tmp_path):
    directory = tmp_path / "campaign"
    with live_server(directory, *QUICK, "--seal", "findings") as server:
        until(lambda: bool(stored(directory, "CampaignStopped")), "its end")
        assert kinds(directory) == []
        assert server.stop() == 0
    held(directory)


def test_run_tells_the_result_of_a_served_campaign_before_it_seals(tmp_path):
    directory = tmp_path / "campaign"
    done = subprocess.run(
        command(
            *("run", *QUICK, "--corpus-dir", directory, "--mcp-port", 0),
            *("--seal", "findings"),
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.index("Campaign: ") < done.stdout.index(" up to event ")
    held(directory)

"""The whole project as campaigns of ours: of each test we say what forge says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from foundry_suite import GAPS, OF_A_CAMPAIGN

OURS = {"passed": "pass", "failed": "fail", "skipped": "skip"}
REFUSED = "not exercised"

NOT_HERE = ("ArtifactsTest.test_WithoutCode", "ArtifactsTest.test_DeployLinked")
"""Tests about what no campaign's program has: abstract contracts, and libraries of
contracts that only a cheatcode names."""
WORK_HERE = GAPS[OF_A_CAMPAIGN]
"""Tests that single messages can't run as forge does, but campaigns can."""


@pytest.fixture(scope="session")
def ours(project: Path, verdicts: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """Return what `echidna-mcp run` says of "Contract.test"; forge has run before."""
    assert verdicts
    done = subprocess.run(
        [
            *(sys.executable, "-m", "echidna_mcp.cli", "run", "."),
            *("--solc", "./solc", "--seed", "1", "--format", "json", "--allow-ffi"),
        ],
        cwd=project,
        env={k: v for k, v in os.environ.items() if "FOUNDRY" not in k},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = {}
    for test in json.loads(done.stdout)["tests"]:
        contract = test["contract"].rpartition(":")[2]
        found[f"{contract}.{test['name'].partition('(')[0]}"] = test
    return found


def test_our_campaigns_say_what_forge_says(
    solidity_test: str,
    ours: Mapping[str, Mapping[str, Any]],
    verdicts: Mapping[str, str],
) -> None:
    contract = solidity_test.partition(".")[0]
    said = ours.get(solidity_test) or ours[f"{contract}.setUp"]
    if said["status"] == REFUSED:
        assert " calls vm." in said["reason"]
        return
    same = OURS[said["status"]] == verdicts[solidity_test]
    gaps = {*NOT_HERE, *(test for tests in GAPS.values() for test in tests)}
    known = solidity_test in gaps and solidity_test not in WORK_HERE
    assert same != known, said

"""Hundreds of findings in one campaign: none is lost, and they take little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from solc import require_solc

pytestmark = [pytest.mark.solc, pytest.mark.witnesses]

FUNCTIONS, SITES = 50, 10
RATIO = 1.5


def source(*, failing: bool) -> str:
    """Return a contract whose functions reach places that are assertions or not."""
    ending = " assert(false);" if failing else ""
    functions = []
    for function in range(FUNCTIONS):
        places = "".join(
            f"if (x % 1000 == {SITES * function + place}) "
            f"{{ sum += {place + 1};{ending} }}\n"
            for place in range(SITES)
        )
        functions.append(f"function f{function}(uint256 x) external {{\n{places}}}\n")
    body = "".join(functions)
    return (
        "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n"
        f"contract Many {{\nuint256 public sum;\n{body}}}\n"
    )


def run(directory: Path, *, failing: bool) -> tuple[dict[str, Any], int]:
    """Run the same campaign; return its report, and the most memory it had, in KiB."""
    directory.mkdir()
    (directory / "Many.sol").write_text(source(failing=failing), "utf-8")
    words = ("--test-mode", "assertion", "--seed", "3", "--test-limit", "800000")
    few = ("--shrink-limit", "50", "--format", "json", "--corpus-dir", "campaign")
    with Path(directory, "report.json").open("w", encoding="utf-8") as report:
        child = subprocess.Popen(
            [sys.executable, "-m", "echidna_mcp.cli", "run", "Many.sol", *words, *few],
            cwd=directory,
            stdout=report,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == int(failing)
    text = Path(directory, "report.json").read_text("utf-8")
    return json.loads(text), usage.ru_maxrss


def test_five_hundred_findings_take_at_most_half_of_the_memory_more(tmp_path):
    require_solc()
    clean, few = run(tmp_path / "none", failing=False)
    report, many = run(tmp_path / "all", failing=True)
    assert not [t for t in clean["tests"] if t["status"] == "falsified"]
    found = [t for t in report["tests"] if t["status"] == "falsified"]
    assert len(found) == FUNCTIONS * SITES
    assert len({test["id"] for test in found}) == len(found)
    assert many <= RATIO * few

"""`echidna-mcp` without a command says what would be run, and runs nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import artifact, files, invoke
from solc import require_solc

SUITE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Pot {
    uint256 public total;

    function put(uint8 amount) external {
        total += amount;
    }
}

contract MixedTest {
    Pot pot = new Pot();

    function invariant_A() external view {}
    function invariant_B() external view {}
    function test_A() external pure {}
    function testFuzz_A(uint256 x) external pure { assert(x >= 0); }
}

contract UnitTest {
    function test_B() external pure {}
}
"""


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_in_a_project_it_tells_what_would_be_run_and_writes_nothing(tmp_path):
    artifact(tmp_path / "T.json")
    (tmp_path / "echidna.yaml").write_text(
        "target: T.json\ntestMode: [property, assertion]\ntestLimit: 1234\n"
        "seqLen: 7\nseed: 42\ntimeout: 60\ncorpusDir: kept\n"
    )
    before = files(tmp_path)
    done = invoke()
    assert done.code == 0
    assert files(tmp_path) == before
    lines = [line.strip() for line in done.out.splitlines()]
    assert "property: echidna_holds" in lines
    assert "assertion: poke(uint256)" in lines
    assert "T.json:T" in lines
    assert any(line.startswith("Mode: property,assertion ") for line in lines)
    assert "Seed: 42 (--seed)" in lines
    assert "1,234 calls, 7 a sequence" in done.out
    assert "60 seconds at most" in done.out
    assert "Campaigns: kept (--corpus-dir)" in lines
    assert "echidna-mcp run --dry-run" in done.out


def test_a_kind_without_a_file_is_told_as_well(tmp_path):
    artifact(tmp_path / "crytic-export" / "T.json")
    (tmp_path / "remappings.txt").touch()
    assert "Project: plain sources, without a configuration." in invoke().out


def test_all_tests_of_a_project_of_foundry_are_told(tmp_path):
    require_solc()
    (tmp_path / "foundry.toml").write_text("[fuzz]\nruns = 70\n[invariant]\nruns = 2\n")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "Pot.t.sol").write_text(SUITE)
    done = invoke()
    assert done.code == 0, done
    told = [line.strip() for line in done.out.splitlines()]
    first = told.index("test/Pot.t.sol:MixedTest")
    assert sorted(told[first + 1 : first + 4]) == [
        "fuzz: testFuzz_A(uint256)",
        "invariant: invariant_B(), invariant_A()",
        "unit: test_A()",
    ]
    second = told.index("test/Pot.t.sol:UnitTest")
    assert told[second + 1] == "unit: test_B()"
    assert any(line.startswith("Mode: foundry ") for line in told)
    assert "1,000 calls, 500 a sequence" in done.out
    assert "70 runs of each fuzz test" in done.out
    # All of these are run, and nothing else.
    report = json.loads(invoke("run", "--format", "json", "--seed", 1).out)
    names = {test["name"] for test in report["tests"]}
    assert names == set(re.findall(r"\w+\([\w,]*\)", " ".join(told)))


def test_what_would_stop_a_run_is_told_as_there(tmp_path):
    Path("echidna.yaml").write_text("testLimits: 5\n")
    artifact(tmp_path / "crytic-export" / "T.json")
    done = invoke()
    assert done.code == 2
    assert "did you mean `testLimit`?" in done.err
    assert invoke("run").err == done.err


def test_elsewhere_it_is_the_help():
    done = invoke()
    assert done.code == 0
    assert done.out == invoke("--help").out
    assert "Commands:" in done.out

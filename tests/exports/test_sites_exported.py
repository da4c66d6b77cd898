"""Each finding of a test is exported, shown and named by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SOURCE = """\
pragma solidity ^0.8.20;
contract Doors {
    uint8 public open;
    function knock(uint8 at) external {
        open = at;
        assert(at != 7);
        assert(at != 9);
    }
}
"""
TWO = ["knock(uint8)", "knock(uint8) #2"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_solc()
    directory = tmp_path_factory.mktemp("sites")
    (directory / "Doors.sol").write_text(SOURCE)
    done = invoke(
        *("run", directory / "Doors.sol", "--corpus-dir", directory / "c"),
        *("--test-mode", "assertion", "--test-limit", "4000", "--workers", "1"),
        *("--round-budget", "90000", "--executor", "inline", "--seed", "1"),
        *("--format", "json", "--export-foundry", directory / "exported"),
    )
    assert done.code == 1, done
    (directory / "report.json").write_text(done.out, "utf-8")
    return directory


def test_a_run_exports_every_finding_of_a_test(place: Path):
    files = {each.name: each.read_text() for each in (place / "exported").iterdir()}
    assert len(files) == 2
    contracts = [
        line for f in files.values() for line in f.split("\n") if "_Test" in line
    ]
    assert len({line for line in contracts if line.startswith("contract ")}) == 2
    assert sum("7" in f for f in files.values()) >= 1


def test_findings_are_meant_by_name_and_by_id(place: Path):
    report = json.loads((place / "report.json").read_text("utf-8"))
    tests = {each["name"]: each for each in report["tests"]}
    assert [name for name in tests if name.startswith("knock")] == TWO
    for name in TWO:
        by_name = invoke("show", place / "c", name)
        by_id = invoke("show", place / "c", tests[name]["id"])
        assert (by_name.code, by_name.out) == (0, by_id.out)
        assert tests[name]["site"]["text"] in by_name.out
        exported = invoke("export", place / "c", name, "--as", "foundry")
        assert exported.code == 0, exported
    # The name alone means the first one.
    assert f"Trace of {TWO[0]}:" in invoke("show", place / "c", "knock").out


def test_the_corpus_tells_of_each_finding_whether_it_is_still_broken(place: Path):
    again = invoke(
        *("run", place / "Doors.sol", "--corpus-dir", place / "c", "--seed", "2"),
        *("--test-mode", "assertion", "--test-limit", "100", "--workers", "1"),
        *("--round-budget", "90000", "--executor", "inline"),
    )
    assert again.code == 1, again
    told = [line for line in again.out.splitlines() if "Failed before" in line]
    assert len(told) == 2
    assert all("still broken" in line for line in told)

"""Without a target: the project in the working directory, never the demo in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

from echidna_mcp.config.project_files import BUILD_FILES, FUZZING_FILES

CONTRACT = """contract Mine {
    uint public x; function set(uint y) external { x = y; }
    function echidna_true() external pure returns (bool) { return true; }
}"""
WORDS = ("run", "--dry-run", "--executor", "inline")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_outside_of_a_project_it_is_the_demo(here):
    (here / "Mine.sol").write_text(CONTRACT)
    done = invoke(*WORDS)
    assert (done.code, "Vault.sol:Vault at" in done.out) == (0, True)
    assert "--contract needs a target" in invoke(*WORDS, "--contract", "Mine").err


@pytest.mark.solc
@pytest.mark.parametrize("file", [*BUILD_FILES, *FUZZING_FILES])
def test_in_a_project_it_is_the_project(here, file):
    require_solc()
    (here / file).write_text("")
    Path("src").mkdir()
    Path("src/Mine.sol").write_text(CONTRACT)
    done = invoke(*WORDS)
    assert (done.code, "src/Mine.sol:Mine at" in done.out) == (0, True), done.err
    assert invoke(*WORDS, "--contract", "Mine").out == done.out


def test_a_project_without_contracts_is_no_demo_either(here):
    (here / "foundry.toml").write_text("")
    done = invoke(*WORDS)
    assert (done.code, done.out) == (2, "")
    assert "no .sol or .vy file" in done.err

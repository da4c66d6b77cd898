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


def test_outside_of_a_project_it_is_the_demo_and_says_so(here):
    Path("notes").mkdir()
    (here / "notes/Mine.sol").write_text(CONTRACT)
    done = invoke(*WORDS)
    assert (done.code, "Vault.sol:Vault at" in done.out) == (0, True)
    assert "there is no project here: this is the demo." in done.err
    assert "--contract needs a target" in invoke(*WORDS, "--contract", "Mine").err


@pytest.mark.solc
@pytest.mark.parametrize("place", [".", "src", "contracts", "test"])
def test_a_directory_with_contracts_is_a_project(here, place):
    require_solc()
    Path(place).mkdir(exist_ok=True)
    Path(place, "Mine.sol").write_text(CONTRACT)
    done = invoke(*WORDS)
    assert (done.code, "Mine.sol:Mine at" in done.out) == (0, True), done.err
    assert "demo" not in done.err


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


@pytest.mark.solc
@pytest.mark.parametrize("name", ["Taker", "T.sol:Taker"])
def test_arguments_of_the_command_line_win_over_the_file(here, name):
    require_solc()
    Path("T.sol").write_text(
        "contract Taker { uint x; constructor(uint y) { x = y; } "
        "function set(uint y) external { x = y; } }"
    )
    Path("c.yaml").write_text(f'constructorArgs: {{"{name}": "17"}}')
    words = (*WORDS, "T.sol", "--config", "c.yaml", "--test-mode", "assertion")
    assert f"arguments 0x{17:064x}\n" in invoke(*words).out
    for given in ("18", "Taker(18)", "T.sol:Taker(18)"):
        done = invoke(*words, "--constructor-args", given)
        assert f"arguments 0x{18:064x}\n" in done.out, given
    done = invoke(*words, "--constructor-args", "18", "--constructor-args", "Taker(19)")
    assert "--constructor-args gives those of T.sol:Taker twice." in done.err


def test_a_project_without_contracts_is_no_demo_either(here):
    (here / "foundry.toml").write_text("")
    done = invoke(*WORDS)
    assert (done.code, done.out) == (2, "")
    assert "no .sol or .vy file" in done.err

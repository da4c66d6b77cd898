"""A project whose tests ask for what is outside, on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SUITE = """
interface Vm {
    function envUint(string calldata) external returns (uint256);
    function readFile(string calldata) external returns (string memory);
    function ffi(string[] calldata) external returns (bytes memory);
    function toString(uint256) external returns (string memory);
}
contract AskingTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 limit;
    function setUp() public {
        limit = vm.envUint("LIMIT");
        shell("echo >> set-ups");
    }
    function test_File() public { require(bytes(vm.readFile("data.txt")).length == 4); }
    function testFuzz_Program(uint8 x) public {
        string memory script = string.concat("printf %064x ", vm.toString(uint256(x)));
        bytes memory found = shell(script);
        require(abi.decode(found, (uint256)) < limit);
    }
    function shell(string memory script) internal returns (bytes memory) {
        string[] memory command = new string[](3);
        (command[0], command[1], command[2]) = ("sh", "-c", script);
        return vm.ffi(command);
    }
}
"""
TOML = """[profile.default]
fs_permissions = [{ access = "read", path = "data.txt" }]
[fuzz]
runs = 20
"""
RUN = ("run", ".", "--seed", "1", "--workers", "2", "--executor", "inline")


@pytest.fixture
def project(here: Path) -> Path:
    require_solc()
    (here / "test").mkdir()
    (here / "test" / "Asking.t.sol").write_text(SUITE)
    (here / "foundry.toml").write_text(TOML)
    (here / ".env").write_text("LIMIT=300\n")
    (here / "data.txt").write_text("data")
    return here


def test_programs_of_a_deployment_are_refused_with_what_allows_them(project):
    done = invoke(*RUN)
    assert done.code == 1
    assert (
        "setUp() calls vm.ffi(string[]), which runs a program of this machine; if it "
        "may, give --allow-ffi. To go on without" in done.out
    )


def test_what_is_asked_for_is_found_once_and_replays_without(project, tmp_path):
    done = invoke(*RUN, "--allow-ffi", "--format", "json", "--corpus-dir", "corpus")
    assert done.code == 0, done
    tests = {each["name"]: each["status"] for each in json.loads(done.out)["tests"]}
    assert tests == {"test_File()": "passed", "testFuzz_Program(uint8)": "passed"}
    assert (project / "set-ups").read_text() == "\n"
    for name in (".env", "data.txt"):
        (project / name).unlink()
    shutil.rmtree(project / "test")
    replayed = invoke("replay", "corpus", "--executor", "inline")
    assert replayed.code == 0, replayed
    assert replayed.out.startswith("Reproduced: ")
    assert (project / "set-ups").read_text() == "\n"


def test_a_dry_run_asks_as_a_campaign_does_and_shows_no_answer(project):
    (project / ".env").write_text("LIMIT=1234567890123\n")
    done = invoke(*RUN, "--allow-ffi", "--dry-run", "--format", "json")
    assert done.code == 0, done
    assert "1234567890123" not in done.out

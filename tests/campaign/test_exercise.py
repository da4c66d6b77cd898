"""What was not exercised is not passing: the verdict, its reason and the exit code."""

from __future__ import annotations

import json

import pytest
from campaigns import small_config, started
from command_line import invoke
from solc import compile_solidity, require_solc

from echidna_mcp.plugins.manager import PluginManager

SOURCE = """
contract Guarded {
    address owner = address(0xdead);
    uint public total;
    function locked(uint x) external {
        require(msg.sender == owner, "only the owner");
        assert(x != 1);
        total = x;
    }
    function busy(uint x) external { require(x % 2 == 0, "odd"); total = x; }
    function broken(uint x) external { if (x > 5) revert(); else revert("low"); }
}
contract Deaf {
    function f(uint x) external pure { require(x > 5 && x < 5, "never"); }
    function g() external pure { revert("never"); }
    function echidna_good() external pure returns (bool) { return true; }
}
"""

pytestmark = pytest.mark.solc
BACKENDS = ("native", "py-evm")


@pytest.fixture
def source(tmp_path, monkeypatch):
    require_solc()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "A.sol"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_never_succeeds_is_not_exercised(tmp_path, backend):
    program = compile_solidity(SOURCE, "Guarded")
    plugin = PluginManager.load().backends[backend]
    config = small_config(test_mode="assertion")
    with started(tmp_path, program, config, "inline", plugin) as running:
        assert running.views.not_exercised() == {}
        running.rounds(2)
        found = running.views.not_exercised()
        totals = running.events[-1].payload
    assert {*found} == {"locked(uint256)", "broken(uint256)"}
    assert found["locked(uint256)"].startswith("all calls of locked(uint256) failed (")
    assert found["locked(uint256)"].endswith('most often with: Error("only the owner")')
    assert 0 < totals["failed"]["busy(uint256)"] < totals["functions"]["busy(uint256)"]
    failed = totals["failed"]["locked(uint256)"]
    assert failed == totals["functions"]["locked(uint256)"]
    # Variants that were undone are calls of no function.
    assert sum(totals["failed"].values()) <= totals["reverts"]


def test_a_property_is_not_exercised_if_no_call_succeeds(source):
    words = ("run", source, "--contract", "Deaf", "--executor", "inline", "--seed", 3)
    done = invoke(*words, "--test-limit", 2000, "--format", "json")
    assert done.code == 4
    (test,) = json.loads(done.out)["tests"]
    assert test["status"] == "not exercised"
    assert test["reason"].startswith("all calls failed (")
    done = invoke(*words, "--test-limit", 2000, "--allow-not-exercised", "echidna_good")
    assert done.code == 0
    assert "echidna_good: not exercised!\n  Reason: all calls failed" in done.out


def test_what_may_be_not_exercised_is_named_by_name_or_signature(source):
    words = ("run", source, "--contract", "Guarded", "--test-mode", "assertion")
    words = (*words, "--executor", "inline", "--test-limit", 5000, "--seed", 3)
    assert invoke(*words).code == 4
    allow = ("--allow-not-exercised", "locked", "--allow-not-exercised")
    assert invoke(*words, *allow, "broken(uint256)").code == 0
    done = invoke(*words, "--allow-not-exercised", "lockd")
    assert done.code == 2
    assert "there is no test lockd; did you mean locked?" in done.err

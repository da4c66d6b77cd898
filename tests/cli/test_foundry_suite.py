"""Foundry's tests as campaigns: verdicts, selection, settings, exit codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import Outcome, invoke
from foundry_project import STATUSES, write_project
from solc import require_solc

pytestmark = pytest.mark.solc

WORDS = (
    *("--executor", "inline", "--workers", "2"),
    *("--round-budget", "30000", "--seed", "7"),
)


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    require_solc()
    monkeypatch.chdir(tmp_path)
    write_project(tmp_path)


def run(*words: str) -> Outcome:
    return invoke("run", ".", *WORDS, *words)


def result(*words: str) -> dict[str, Any]:
    done = run("--format", "json", *words)
    assert done.out.startswith("{"), done.err
    return json.loads(done.out)


def refusal(done: Outcome) -> str:
    """Return the sentence of a refused command, without the line on the project."""
    assert (done.code, done.out) == (2, ""), done
    project, told = done.err.splitlines()
    assert project == "Project: Foundry; reads foundry.toml."
    return told


def statuses(document: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{test['contract'].rpartition(':')[2]}.{test['name']}": test["status"]
        for test in document["tests"]
    }


def reason(document: Mapping[str, Any], test: str) -> str:
    return next(t["reason"] for t in document["tests"] if t["name"] == test)


def test_each_test_has_its_verdict():
    done = run("--format", "json")
    document = json.loads(done.out)
    assert statuses(document) == STATUSES
    assert done.code == 1
    assert reason(document, "setUp()") == (
        'setUp() failed: it reverted (Error("no world")).'
    )
    why = reason(document, "test_NeedsAFork()")
    assert "vm.createSelectFork(string), which needs a live chain" in why
    assert "large" in reason(document, "invariant_Fails_Largest()")


def test_a_failure_of_a_handler_is_told_once_and_fails_the_invariants():
    done = run("--match-contract", "^HandlerInvariants$")
    assert done.code == 1
    assert "  invariant_OfAHandlerThatAsserts(): failed!\n" in done.out
    assert "    Reason: AssertingHandler.step(uint8) failed: reverted" in done.out
    assert done.out.count("Call sequence:") == 1
    assert "Tests: 1 failed, of 1 contract" in done.out


def test_what_comes_after_invariants_is_asked_at_the_end_of_whole_sequences():
    document = result("--match-contract", "^AfterBank$")
    [campaign] = document["campaigns"]
    after = next(t for t in campaign["tests"] if t["name"] == "afterInvariant()")
    assert after["status"] == "falsified"
    assert "afterInvariant() failed: " in reason(document, "invariant_Holds()")


VALUES = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Box {
    int256 public best;

    function put(int256 value) external {
        if (value > best && value < 1_000_000) best = value;
    }
}

contract Values {
    Box private box = new Box();

    function targetContracts() external view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(box);
    }

    function invariant_Best() external view returns (int256) {
        return box.best();
    }

    function invariant_IsSmall() external view {
        assert(box.best() < 1_000_000);
    }
}
"""


def test_an_invariant_that_returns_a_number_is_maximized(tmp_path):
    (tmp_path / "test" / "Values.t.sol").write_text(VALUES, "utf-8")
    words = ("--match-contract", "^Values$", "--test-limit", "3000")
    done = run(*words)
    assert done.code == 0
    assert "  invariant_Best(): value 999999 (calls: 3000)\n" in done.out
    assert "      Box.put(999999)\n" in done.out
    assert "  invariant_IsSmall(): passed" in done.out
    document = result(*words)
    assert reason(document, "invariant_Best()") == "value 999999"
    assert statuses(document) == {
        "Values.invariant_Best()": "passed",
        "Values.invariant_IsSmall()": "passed",
    }


def test_discarded_calls_are_no_reverts():
    document = result("--mc", "^BankInvariants$", "--mt", "TotalIsPositive")
    [campaign] = document["campaigns"]
    counts = {each["function"]: each for each in campaign["functions"]}
    assert counts["Bank.deposit(uint96)"]["discards"] > 0
    assert counts["Bank.deposit(uint96)"]["reverts"] == 0
    assert counts["Bank.withdraw(uint96)"]["reverts"] > 0
    assert campaign["calls"] == 60 * 12


def test_comments_beside_a_test_make_a_campaign_of_its_own():
    document = result("--mc", "^BankInvariants$")
    calls = {
        test["name"]: campaign["calls"]
        for campaign in document["campaigns"]
        for test in campaign["tests"]
    }
    assert calls["invariant_TotalIsPositive()"] == 60 * 12
    assert calls["invariant_Fails_NothingReverts()"] <= 60 * 4


TABLES = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Tables {
    uint256[] public fixtureValue = [7, 8, 9];
    uint256[] public fixtureTwice = [14, 16, 18];
    uint256[] public fixtureWrong = [14, 16, 19];

    function table_Holds(uint256 value, uint256 twice) external pure {
        require(2 * value == twice, "not twice");
    }

    function table_Fails(uint256 value, uint256 wrong) external pure {
        require(2 * value == wrong, "wrong");
    }

    function testFuzz_Holds(uint256) external pure {}
}
"""


def test_a_table_is_its_rows_and_fails_by_one_of_them(tmp_path):
    (tmp_path / "test" / "Tables.t.sol").write_text(TABLES, "utf-8")
    # Neither what goes on from a row that is new, nor what is simpler than one that
    # fails is a row.
    words = ("--match-contract", "^Tables$")
    document = result(*words)
    assert statuses(document) == {
        "Tables.table_Holds(uint256,uint256)": "passed",
        "Tables.table_Fails(uint256,uint256)": "failed",
        "Tables.testFuzz_Holds(uint256)": "passed",
    }
    calls = {test["name"]: test["calls"] for test in document["tests"]}
    assert calls["table_Fails(uint256,uint256)"] == 3
    assert "    Tables.table_Fails(9, 19)\n" in run(*words).out


def test_tests_have_their_runs():
    document = result("--mc", "^StatelessTest$", "--fuzz-runs", "40")
    runs = {test["name"]: test["calls"] for test in document["tests"]}
    assert runs["test_Unit()"] == 1
    assert 40 <= runs["testFuzz_Holds(uint128,uint128)"] < 120
    assert 9 <= runs["testFuzz_Nine(uint256)"] < 60


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["--match-test", "test_Unit|Doubles"], ["test_Unit()", "table_Doubles("]),
        (
            ["--mt", "^test_", "--nmt", "Fails|Fork|Skip|NoStep"],
            ["test_Unit()", "test_Each"],
        ),
        (["--mc", "Stateless", "--mt", "test_Unit"], ["test_Unit()"]),
        (["--mp", "test/*.t.sol", "--mt", "test_Unit"], ["test_Unit()"]),
        (["--contract", "StatelessTest", "--mt", "test_Unit"], ["test_Unit()"]),
    ],
)
def test_tests_are_selected_as_by_forge(words, kept):
    names = [test["name"] for test in result("--nmc", "SetUp", *words)["tests"]]
    assert len(names) == len(kept)
    for each in kept:
        assert any(name.startswith(each) for name in names), names


@pytest.mark.parametrize(
    "words",
    [
        ["--mt", "nothing"],
        ["--mc", "Nobody"],
        ["--no-match-path", "test/*"],
        ["--contract", "Bank", "--test-mode", "foundry"],
    ],
)
def test_a_selection_without_tests_is_refused(words):
    told = refusal(run(*words))
    assert "There is no test of Foundry" in told


@pytest.mark.parametrize("option", ["--match-test", "--no-match-path", "--mc"])
def test_a_selection_where_no_test_of_foundry_runs_is_refused(option):
    told = refusal(run(option, "Bank", "--test-mode", "assertion"))
    assert "chooses among Foundry's tests, and this campaign runs none" in told


def test_a_wrong_expression_is_refused():
    assert "--match-test must be a regular expression" in run("--mt", "(").refusal()


def test_what_passed_ends_with_0_and_what_was_not_exercised_with_4():
    assert run("--mt", "test_Unit|Skipped").code == 0
    assert run("--mt", "test_Unit|test_NeedsAFork").code == 4
    words = ("--mt", "test_Unit|test_NeedsAFork", "--allow-not-exercised")
    for name in ("test_NeedsAFork", "StatelessTest.test_NeedsAFork()"):
        assert run(*words, name).code == 0
    assert "there is no test test_Nobody" in refusal(run(*words, "test_Nobody"))


def test_a_campaign_of_tests_is_reproduced():
    done = run("--mc", "^(StatelessTest|BankInvariants)$", "--corpus-dir", "kept")
    assert done.code == 1
    stores = sorted(Path("kept").glob("**/campaign.db"))
    assert len(stores) == 3
    for store in stores:
        again = invoke("replay", str(store.parent), "--executor", "inline")
        assert again.code == 0, again
        assert "Reproduced" in again.out + again.err


def test_a_harness_of_another_tool_is_fuzzed_if_there_is_no_test():
    Path("test/Suite.t.sol").write_text(
        "contract C { uint x; function f() external { x++; } "
        "function echidna_x() external view returns (bool) { return x < 3; } }"
    )
    done = run("--test-limit", "500")
    assert done.code == 1
    assert "echidna_x: failed!" in done.out


def test_one_campaign_is_served_and_several_have_to_be_named():
    told = refusal(invoke("doctor", ".", *WORDS))
    assert "name a contract with --contract" in told
    done = invoke("doctor", ".", *WORDS, "--contract", "AfterBank")
    assert done.code == 1, done


def test_what_does_not_work_is_a_failure_of_its_contract():
    Path("test/Suite.t.sol").write_text(
        "contract B { function testFailY() external {} } "
        "contract C { function test_z() external {} }"
    )
    document = result()
    found = {test["contract"].rpartition(":")[2]: test for test in document["tests"]}
    assert found["B"]["status"] == "failed"
    assert "use vm.expectRevert" in found["B"]["reason"]
    assert found["C"]["status"] == "passed"


STEPS = """
contract StepsTest {
    uint256 internal n;

    function beforeTestSetup(bytes4 test) external view returns (bytes[] memory steps) {
        steps = new bytes[](test == this.test_NotReady.selector ? 2 : 1);
        steps[0] = abi.encodeCall(this.add, (3));
        if (steps.length == 2) steps[1] = abi.encodeCall(this.broken, ());
    }

    function add(uint256 more) external { n += more; }
    function broken() external pure { revert("not today"); }
    function test_Three() external view { require(n == 3); }
    function test_NotReady() external {}
    function testFuzz_Three(uint8 x) external view { require(n == 3 || x == 77); }
    function testFuzz_Not77(uint8 x) external view { require(x != 77 || n != 3); }
}
"""


def test_steps_before_a_test_are_those_of_its_campaign():
    Path("test/Suite.t.sol").write_text(STEPS)
    done = run("--format", "json", "--corpus-dir", "kept")
    document = json.loads(done.out)
    assert statuses(document) == {
        "StepsTest.test_Three()": "passed",
        "StepsTest.test_NotReady()": "failed",
        "StepsTest.testFuzz_Three(uint8)": "passed",
        "StepsTest.testFuzz_Not77(uint8)": "failed",
    }
    assert reason(document, "test_NotReady()") == (
        "broken(), with which the test begins (beforeTestSetup(bytes4)), failed: it "
        'reverted (Error("not today")).'
    )
    stores = sorted(Path("kept").glob("**/campaign.db"))
    assert len(stores) == 3
    for store in stores:
        again = invoke("replay", str(store.parent), "--executor", "inline")
        assert again.code == 0, again


def test_a_reproducer_tells_what_reenters():
    document = result("--mc", "^ReenteredInvariants$")
    [campaign] = document["campaigns"]
    [test] = [each for each in campaign["tests"] if each["status"] == "falsified"]
    assert test["transactions"][-1]["override"] == {
        "function": "Purse.take()",
        "calldata": "0x159090bd",
        "after": 0,
    }
    done = run("--mc", "^ReenteredInvariants$")
    assert "\n      Purse.take() Call override: Purse.take()\n" in done.out


def planned(*words: str) -> tuple[list[Any], str]:
    done = run("--dry-run", "--format", "json", *words)
    assert done.code == 0, done
    found = json.loads(done.out)
    return (found if isinstance(found, list) else [found]), done.err


@pytest.mark.parametrize("value", ["foundry", "[foundry]", "' foundry '"])
def test_a_file_that_asks_for_foundrys_tests_has_foundrys_presets(tmp_path, value):
    silent, asking = tmp_path / "silent.yaml", tmp_path / "asking.yaml"
    silent.write_text("seqLen: 30\n")
    asking.write_text(f"seqLen: 30\ntestMode: {value}\n")
    one = ("--mc", "StatelessTest")
    wanted, _ = planned("--config", silent, "--test-mode", "foundry", *one)
    of_file, told = planned("--config", asking, *one)
    assert of_file == wanted
    assert of_file[0]["block"] == {"number": 1, "timestamp": 1, "chainId": 31337}
    assert "Project: Foundry; reads " in told


def test_the_mode_of_the_command_line_takes_foundrys_presets_away(tmp_path):
    asking = tmp_path / "asking.yaml"
    asking.write_text("testMode: foundry\n")
    other = ("--test-mode", "exploration", "--contract", "StatelessTest")
    found, _ = planned("--config", asking, *other)
    assert found[0]["block"]["chainId"] != 31337

"""Tests of Foundry stop a campaign of another mode, or are listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

SET = "uint public x; function set(uint y) external { x = y; }"
TRUE = "function echidna_true() external pure returns (bool) { return true; }"
IS_TEST = "bool public IS_TEST = true;"
WORDS = ("run", ".", "--executor", "inline", "--test-limit", "100", "--seq-len", "10")
IGNORE = "--ignore-unsupported"
ONE = "C.invariant_x(), tests of Foundry, are not run in this test mode"
THREE = "C.testA() and 2 more, tests of Foundry, are not run in this test mode"
TESTS = {
    ONE: "function invariant_x() external pure { assert(false); }",
    THREE: "function testA() external {} function statefulFuzzB() external {} "
    "function invariant_x() external {}",
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    require_solc()
    monkeypatch.chdir(tmp_path)


def write(body: str, *, foundry: bool) -> None:
    Path("C.sol").write_text(f"contract C {{ {SET} {body} }}")
    if foundry:
        Path("foundry.toml").write_text("[profile.default]\nsrc = '.'\n")


@pytest.mark.parametrize("told", TESTS)
@pytest.mark.parametrize("mode", ["property", "assertion"])
@pytest.mark.parametrize("foundry", [True, False])
def test_tests_of_foundry_stop_the_campaign(told, mode, foundry):
    write(TESTS[told] + TRUE + ("" if foundry else IS_TEST), foundry=foundry)
    done = invoke(*WORDS, "--test-mode", mode)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert IGNORE in done.err
    done = invoke(*WORDS, "--test-mode", mode, IGNORE, "--format", "text")
    assert f"Not honoured: {told}" in done.out


def test_doctor_lists_them():
    write(TESTS[THREE] + TRUE, foundry=True)
    done = invoke("doctor", *WORDS[1:], "--test-mode", "property")
    assert done.code == 4
    assert THREE in done.out


def test_elsewhere_they_are_functions_as_in_echidna():
    write(TESTS[THREE] + TRUE, foundry=False)
    done = invoke(*WORDS)
    assert done.code == 0, done.err
    assert "Foundry" not in done.out + done.err


def test_a_set_up_that_is_not_called_before_is_told():
    write("function setUp() external { x = 1; }" + TRUE, foundry=False)
    told = "C.setUp() is not called before the sequences, but in them"
    done = invoke(*WORDS)
    assert done.code == 0, done.err
    assert f"Not honoured: {told}" in done.out
    write("function setUp() external { x = 1; }" + TRUE, foundry=True)
    done = invoke(*WORDS)
    assert done.code == 2
    assert told in done.err
    itself = (
        "function targetContracts() external view returns (address[] memory a) "
        "{ a = new address[](1); a[0] = address(this); }"
    )
    set_up = "function setUp() external { x = 1; }"
    write(set_up + itself + TRUE + IS_TEST, foundry=True)
    done = invoke(*WORDS)
    assert done.code == 0, done.err
    assert "setUp" not in done.out + done.err


def test_properties_that_assertion_mode_leaves_out_are_told():
    write(TRUE, foundry=False)
    told = "Properties are not checked in assertion mode: C.echidna_true;"
    assert told in invoke(*WORDS, "--test-mode", "assertion").out
    assert told not in invoke(*WORDS).out
    assert told not in invoke(*WORDS, "--test-mode", "exploration").out


def test_values_that_a_mode_does_not_maximize_are_told():
    value = "function optimize_x() external view returns (int256) { return int256(x); }"
    write(value, foundry=False)
    Path("echidna.yaml").write_text("testMode: assertion\nprefix: optimize_\n")
    told = "Nothing is maximized in assertion mode: C.optimize_x; --test-mode "
    out = invoke(*WORDS).out
    assert f"{told}assertion,optimization does that as well." in out
    assert "Properties are not checked" not in out
    done = invoke(*WORDS, "--test-mode", "assertion,optimization")
    assert done.code == 0, done.err
    assert "optimize_x: max value: " in done.out
    assert "Nothing is maximized" not in done.out + done.err

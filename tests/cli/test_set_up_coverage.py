"""Coverage counts what sequences may get to, and nothing that only `setUp()` runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import invoke
from solc import require_solc

pytestmark = pytest.mark.solc

WORLD = """
contract Bank {
    uint total;
    constructor() {
        total = 1;
    }
    function deposit(uint amount) external {
        total = amount;
    }
    function fork() external {
        new Branch();
    }
}
contract Branch {
    uint kept;
    constructor() {
        kept = 2;
    }
}
contract BankTest {
    bool public IS_TEST = true;
    Bank public bank;
    function setUp() public {
        bank = new Bank();
    }
    function targetContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(bank);
    }
    function echidna_true() public pure returns (bool) {
        return true;
    }
}
"""
WORDS = ("run", "T.sol", "--executor", "inline", "--test-limit", "500", "--seed", "1")


def coverage_of(source: str) -> dict[str, float]:
    Path("T.sol").write_text(source)
    done = invoke(*WORDS, "--format", "json", "--contract", "BankTest")
    assert done.code == 0, done.err
    contracts = json.loads(done.out)["coverage"]["contracts"]
    return {each["name"]: each["lineCoverage"] for each in contracts}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    require_solc()
    monkeypatch.chdir(tmp_path)


def test_handlers_are_covered_and_their_test_contract_takes_no_part():
    assert coverage_of(WORLD) == {"T.sol:Bank": 100.0, "T.sol:Branch": 100.0}


def test_what_a_sequence_can_create_has_a_constructor_to_be_covered():
    never = WORLD.replace(
        "new Branch();", "if (keccak256(abi.encode(total)) == 0) new Branch();"
    )
    assert coverage_of(never)["T.sol:Branch"] == 0.0


def test_a_test_contract_that_is_called_takes_part_without_its_set_up():
    called = WORLD.replace("targetContracts()", "other()").replace(
        "function echidna_true",
        "function move() public { bank.deposit(5); }\n    function echidna_true",
    )
    found = coverage_of(called)
    assert found["T.sol:BankTest"] == 100.0

from __future__ import annotations

import pytest
from eth_abi import encode
from hypothesis import given, settings
from hypothesis import strategies as st
from lcov_reader import parse
from py_evm_runner import Runner
from solc import compile_solidity

from echidna_mcp.demo import load_demo
from echidna_mcp.program.identity import runtime_key
from echidna_mcp.program.model import Program
from echidna_mcp.reports.files import file_coverage
from echidna_mcp.reports.lcov import lcov
from echidna_mcp.reports.lines import CoverageIndex, Covered

SOURCE = """contract Shared {
    uint t;
    function f(uint x) public { if (x > 3) { t = 1; } }
    function f(uint x, uint y) public { t = x + y; }
}
contract Other is Shared {
    function g() public { t = 3; }
}
contract Main is Shared {
    Other o = new Other();
    function go() public { o.g(); o.f(7); }
}
"""


def tracefile(program: Program, covered: Covered) -> str:
    return lcov(file_coverage(CoverageIndex(program), covered))


@pytest.mark.solc
def test_contracts_that_share_source_are_merged():
    program = compile_solidity(SOURCE, "Main")
    runner = Runner(program)
    runner.call("go()")
    runner.call("f(uint256)", encode(["uint256"], [1]))
    records = parse(tracefile(program, runner.covered))
    record = records["Test.sol"]
    assert set(records) == {"Test.sol"}
    assert record.functions == {"f:3": 3, "f:4": 4, "g": 7, "go": 11}
    assert record.hits == {"f:3": 1, "f:4": 0, "g": 1, "go": 1}
    # One contract went one way, the other contract went the other.
    assert record.branches == {(3, 0, 0): "1", (3, 0, 1): "1"}
    assert record.lines[4] == 0
    assert record.lines[7] == record.lines[11] == record.lines[3] == 1


def test_nothing_executed():
    records = parse(tracefile(load_demo(), {}))
    record = records["Vault.sol"]
    assert set(record.lines.values()) == {0}
    assert set(record.branches.values()) == {"-"}
    assert record.totals["LH"] == record.totals["FNH"] == 0


def test_lines_agree_with_the_report():
    program = load_demo()
    runner = Runner(program)
    runner.call("deposit()", value=5)
    runner.call("requestWithdrawal(uint256)", encode(["uint256"], [3]))
    index = CoverageIndex(program)
    (contract,) = index.report(runner.covered).contracts
    record = parse(lcov(file_coverage(index, runner.covered)))["Vault.sol"]
    assert set(record.lines) == {line for _, line in contract.lines}
    assert {n for n, count in record.lines.items() if count} == {
        line for _, line in contract.covered_lines
    }
    source = program.sources[0].content.split("\n")
    executed = {source[n - 1].strip() for n, count in record.lines.items() if count}
    assert any(line.startswith("withdrawals.push(") for line in executed)
    assert not any("transfer failed" in line for line in executed)


@given(st.sets(st.integers(0, 9000)))
@settings(max_examples=50, deadline=None)
def test_any_coverage_makes_a_tracefile_that_can_be_read(counters: set[int]):
    program = load_demo()
    key = runtime_key(program.main_contract)
    text = tracefile(program, {key: counters, "0xabc": {1}})
    assert set(parse(text)) == {"Vault.sol"}
    shuffled = sorted(counters, reverse=True)
    assert tracefile(program, {"0xabc": {1}, key: shuffled}) == text

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from eth_abi import encode
from hypothesis import given, settings
from hypothesis import strategies as st
from py_evm_runner import Runner
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.program.identity import creation_key, runtime_key
from echidna_mcp.program.model import Program, Span
from echidna_mcp.program.target import build_target
from echidna_mcp.reports.files import file_coverage
from echidna_mcp.reports.lcov import lcov
from echidna_mcp.reports.lines import (
    ContractCoverage,
    CoverageIndex,
    Jumps,
    percentage,
)
from echidna_mcp.reports.uncovered import uncovered_functions

SOURCE = """contract Base {
    uint public total;
    modifier small(uint x) {
        require(x < 100);
        _;
    }
    function _add(uint x) internal {
        total += x;
    }
}
library Lib {
    function twice(uint x) internal pure returns (uint) {
        return x * 2;
    }
}
contract Child {
    uint public x = 1;
}
contract Target is Base {
    Child child;
    constructor() {
        total = 1;
    }
    function go(uint x, bool flag) external small(x) {
        if (x > 10) {
            _add(1);
        } else {
            _add(2);
        }
        total = flag && x > 5 ? 1 : 2;
        for (uint i = 0; i < x; i++) {
            total += Lib.twice(i);
        }
    }
    function other() external small(1) {
        total = 5;
    }
    function make() external {
        child = new Child();
    }
}
contract Unrelated {
    function f() external { assert(false); }
}
"""
LINES = dict(enumerate(SOURCE.split("\n"), 1))


def line_of(text: str) -> int:
    (found,) = (number for number, line in LINES.items() if text in line)
    return found


def go(runner: Runner, x: int, *, flag: bool) -> None:
    runner.call("go(uint256,bool)", encode(["uint256", "bool"], [x, flag]))


def target_of(runner: Runner, program: Program) -> ContractCoverage:
    index = CoverageIndex(program)
    return index.contract(program.main_contract, runner.covered)


@pytest.fixture(scope="module", params=["", "--via-ir"])
def program(request: pytest.FixtureRequest) -> Program:
    return compile_solidity(SOURCE, "Target", solc_args=request.param)


@pytest.fixture
def runner(program: Program) -> Runner:
    return Runner(program)


def branch(contract: ContractCoverage, text: str) -> tuple[bool, int]:
    """Whether the branches with this text were reached, and outcomes seen."""
    source = SOURCE.encode()
    found = [
        b
        for b in contract.branches
        if source[b.branch.span.start :][: b.branch.span.length]
        .decode()
        .startswith(text)
    ]
    assert found
    return any(b.reached for b in found), sum(b.fell_through + b.jumped for b in found)


@pytest.mark.solc
def test_deployment_covers_the_constructor(runner: Runner, program: Program):
    contract = target_of(runner, program)
    covered = {line for _, line in contract.covered_lines}
    assert line_of("total = 1;") in covered
    assert line_of("total = 5;") not in covered
    assert contract.points == sum(len(v) for v in runner.covered.values())


@pytest.mark.solc
def test_executed_lines_are_covered_and_others_are_not(
    runner: Runner, program: Program
):
    go(runner, 11, flag=True)
    contract = target_of(runner, program)
    covered = {line for _, line in contract.covered_lines}
    executable = {line for _, line in contract.lines}
    for text in ("if (x > 10)", "_add(1);", "total += x", "return x * 2"):
        assert line_of(text) in covered, text
    for text in ("_add(2);", "total = 5;", "child = new Child();"):
        assert line_of(text) in executable - covered, text
    for text in ("contract Unrelated", "contract Base", "Child child;"):
        assert line_of(text) not in executable, text


@pytest.mark.solc
def test_branch_outcomes_follow_execution(runner: Runner, program: Program):
    assert branch(target_of(runner, program), "if (x > 10)") == (False, 0)
    go(runner, 11, flag=True)
    assert branch(target_of(runner, program), "if (x > 10)") == (True, 1)
    assert branch(target_of(runner, program), "flag && x > 5 ?") == (True, 1)
    go(runner, 0, flag=False)
    assert branch(target_of(runner, program), "if (x > 10)") == (True, 2)
    assert branch(target_of(runner, program), "flag && x > 5 ?") == (True, 2)


@pytest.mark.solc
def test_failed_requirement_is_an_outcome():
    program = compile_solidity(SOURCE, "Target")
    runner = Runner(program)
    go(runner, 1, flag=True)
    assert branch(target_of(runner, program), "require(x < 100)") == (True, 1)
    go(runner, 100, flag=True)
    assert branch(target_of(runner, program), "require(x < 100)") == (True, 2)
    # The code of the modifier stands in two functions; it is one branch.
    spans = [b.branch.span for b in target_of(runner, program).branches]
    assert len(spans) == len(set(spans))


SKIPPED = """contract Skipped {
    uint total;
    function go(uint x) external {
        if (x > 10) { total = 1; }
        total += 2;
    }
    function twice(uint x) external {
        if (x > 10) { total = 3; }
        total += 4;
    }
}
"""


@pytest.mark.solc
@pytest.mark.parametrize("solc_args", ["", "--optimize", "--via-ir"])
def test_with_edges_the_outcomes_of_an_if_without_else_are_exact(solc_args: str):
    """Its end was executed, but only from its body: it has not been jumped over."""
    program = compile_solidity(SKIPPED, "Skipped", solc_args=solc_args)
    runner, index = Runner(program), CoverageIndex(program)

    def outcomes(*jumps: Jumps) -> list[tuple[bool, int]]:
        contract = index.contract(program.main_contract, runner.covered, *jumps)
        text = SKIPPED.encode()
        return [
            (b.reached, b.fell_through + b.jumped)
            for b in contract.branches
            if text[b.branch.span.start :].startswith(b"if (x > 10)")
        ]

    def go(x: int) -> None:
        runner.call("go(uint256)", encode(["uint256"], [x]))

    assert outcomes(runner.jumps) == [(False, 0), (False, 0)]
    go(11)
    assert outcomes(runner.jumps) == [(True, 1), (False, 0)]
    if not solc_args:
        assert outcomes()[0] == (True, 2), "without edges it looks as if both happened"
    go(1)
    assert outcomes(runner.jumps) == [(True, 2), (False, 0)]
    assert "BRDA:4,0,0,1" in lcov(file_coverage(index, runner.covered, runner.jumps))


@pytest.mark.solc
def test_functions_know_their_own_lines(runner: Runner, program: Program):
    go(runner, 11, flag=True)
    functions = {f.signature: f for f in target_of(runner, program).functions}
    assert functions["other()"].covered_lines == 0
    assert functions["other()"].line_percent == 0.0
    assert 0 < functions["go(uint256,bool)"].line_percent < 100
    assert functions["_add"].line_percent == 100.0
    assert functions["twice"].line_percent == 100.0
    assert functions["go(uint256,bool)"].line == line_of("function go")
    assert functions["small"].covered_lines > 0


@pytest.mark.solc
def test_contracts_that_take_part(runner: Runner, program: Program):
    index = CoverageIndex(program)
    names = [c.name for c in index.report({}).contracts]
    assert names == ["Child", "Target"]
    unrelated = next(c for c in program.contracts if c.name == "Unrelated")
    covered = {**runner.covered, runtime_key(unrelated): {0}}
    assert [c.name for c in index.report(covered).contracts] == [
        "Child",
        "Target",
        "Unrelated",
    ]
    before = index.report(runner.covered)
    assert before.contracts[0].line_percent == 0.0
    runner.call("make()")
    assert index.report(runner.covered).contracts[0].covered_lines


@pytest.mark.solc
def test_overall_is_weighted_by_lines(runner: Runner, program: Program):
    go(runner, 11, flag=True)
    report = CoverageIndex(program).report(runner.covered)
    lines = sum(len(c.lines) for c in report.contracts)
    hit = sum(len(c.covered_lines) for c in report.contracts)
    assert 0 < hit < lines
    assert report.line_percent == percentage(hit, lines)


@pytest.mark.parametrize(
    ("covered", "total", "expected"),
    [
        (0, 0, 0.0),
        (0, 7, 0.0),
        (7, 7, 100.0),
        (1, 3, 33.3),
        (2, 3, 66.7),
        (1, 2000, 0.1),
    ],
)
def test_percentages_round_half_up(covered: int, total: int, expected: float):
    assert percentage(covered, total) == expected


@given(
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
)
def test_percentages_are_nearest_tenths(pair: tuple[int, int]):
    covered, total = pair
    tenths = round(percentage(covered, total) * 10)
    assert abs(2 * covered * 1000 - 2 * tenths * total) <= total
    assert percentage(covered, total) == tenths / 10


@given(st.sets(st.integers(0, 9000)), st.sets(st.integers(0, 9000)))
@settings(max_examples=50, deadline=None)
def test_more_execution_never_covers_less(first: set[int], second: set[int]):
    program = load_demo()
    main = program.main_contract
    index = CoverageIndex(program)

    def report(runtime: set[int]) -> ContractCoverage:
        return index.contract(main, {runtime_key(main): runtime})

    less, more = report(first), report(first | second)
    assert set(less.covered_lines) <= set(more.covered_lines) <= set(more.lines)
    assert less.branch_percent <= more.branch_percent
    assert less.lines == more.lines
    for before, after in zip(less.functions, more.functions, strict=True):
        assert before.covered_lines <= after.covered_lines <= after.lines


def test_everything_executed_is_everything_covered():
    program = load_demo()
    main = program.main_contract
    covered = {
        runtime_key(main): range(len(main.runtime_code)),
        creation_key(main): range(len(main.creation_code)),
    }
    report = CoverageIndex(program).report(covered)
    assert report.line_percent == 100.0
    (contract,) = report.contracts
    assert contract.branch_percent == 100.0
    assert all(f.line_percent == 100.0 for f in contract.functions)


@pytest.mark.solc
def test_without_syntax_tree_every_mapped_jump_is_a_branch():
    program = compile_solidity(SOURCE, "Target")
    main = replace(program.main_contract, functions=(), branches=())
    bare = replace(program, contracts=(main,))
    known = CoverageIndex(program).map(program.main_contract).branches
    every = CoverageIndex(bare).map(main).branches
    assert {b.span for b in known} < {b.span for b in every}


@pytest.mark.solc
def test_query_on_a_large_contract_costs_a_fraction_of_mapping_it():
    functions = "".join(
        f"function f{i}(uint x) external returns (uint) {{\n"
        f"if (x > {i}) {{ t[x] += {i}; }}\nrequire(t[{i}] != 7);\n"
        f"return t[x] * {i} + 1; }}\n"
        for i in range(125)
    )
    program = compile_solidity(
        f"contract Big {{ mapping(uint => uint) t; {functions} }}"
    )
    main = program.main_contract
    assert 20_000 < len(main.runtime_code) < 40_000
    covered = {runtime_key(main): list(range(0, len(main.runtime_code), 2))}
    start = time.thread_time()  # what others do meanwhile does not count
    index = CoverageIndex(program)
    index.map(main)
    mapping = time.thread_time() - start
    times = []
    for _ in range(9):
        start = time.thread_time()
        index.report(covered)
        times.append(time.thread_time() - start)
    assert min(times) < mapping / 8  # It is a thirtieth.


def test_properties_have_no_coverage_and_miss_none():
    program = load_demo()
    main = program.main_contract
    checks = uncovered_functions(build_target(program, CampaignConfig()))
    names = {f.signature for f in main.functions if f.span in checks}
    assert names == {"echidna_solvent()", "echidna_fee_is_bounded()"}
    everything = {runtime_key(main): range(len(main.runtime_code))}
    everything[creation_key(main)] = range(len(main.creation_code))
    whole = CoverageIndex(program).contract(main, everything)
    rest = CoverageIndex(program, checks).contract(main, everything)
    shown = {function.signature for function in rest.functions}
    assert shown == {function.signature for function in whole.functions} - names
    text = program.sources[0].content.splitlines()
    left_out = {
        text[line - 1].strip() for _, line in set(whole.lines) - set(rest.lines)
    }
    assert left_out
    assert all("return" in line or "echidna_" in line for line in left_out)
    assert rest.covered_lines == rest.lines
    assert rest.branches == whole.branches
    assert rest.instructions == whole.instructions


def test_branches_of_properties_are_no_branches_of_the_contract():
    program = compile_solidity(
        "contract Checked { uint n; function set(uint x) public { if (x > 5) n = x; }"
        " function echidna_small() public view returns (bool) {"
        " if (n > 100) { return n < 200; } return true; } }"
    )
    main = program.main_contract
    checks = uncovered_functions(build_target(program, CampaignConfig()))
    assert len(CoverageIndex(program).contract(main, {}).branches) == 2
    (branch,) = CoverageIndex(program, checks).contract(main, {}).branches
    assert branch.branch.line == 1


def test_a_helper_that_only_looks_like_a_property_is_to_be_covered():
    program = compile_solidity(
        "contract Helped { uint n; function echidna_step(uint x) internal {"
        " if (x > 5) n = x; } function set(uint x) public { echidna_step(x); }"
        " function echidna_ok() public pure returns (bool) { return true; } }"
    )
    main = program.main_contract
    checks = uncovered_functions(build_target(program, CampaignConfig()))
    found = CoverageIndex(program, checks).contract(main, {})
    assert "echidna_step" in {each.signature for each in found.functions}
    assert "echidna_ok()" not in {each.signature for each in found.functions}
    assert len(found.branches) == 1


@given(*[st.integers(0, 20)] * 3, st.integers(1, 20))
def test_a_range_holds_those_whose_bytes_are_all_in_it(start, length, other, size):
    inner, outer = range(other, other + size), range(start, start + length)
    holds = Span(0, start, length).holds(Span(0, other, size))
    assert holds == (set(inner) <= set(outer))
    assert not Span(1, start, length).holds(Span(0, other, size))

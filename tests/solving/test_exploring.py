"""What a job does with its budget, which counts and looks at no clock."""

from __future__ import annotations

from typing import Any

import pytest
from campaigns import small_config
from native_backends import named
from solc import compile_solidity
from stored_calls import stored_call

from echidna_mcp.campaign.start_state import start_state
from echidna_mcp.program.target import build_target
from echidna_mcp.solving.exploring import Exploration
from echidna_mcp.solving.jobs import Answer, Job, Origin
from echidna_mcp.solving.running import Shadow
from echidna_mcp.solving.solver import Solution
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA

pytestmark = pytest.mark.solc
pytest.importorskip("bitwuzla")

PROPERTY = """
    function echidna_{0}() external view returns (bool) {{
        uint256 sum = {0};
        for (uint256 i; i < 25; i++) sum = sum * 3 + kept;
        return sum != 77;
    }}
"""
DOOR = """
contract Door {
    uint256 kept; bool opened;
    function open(uint256 a) external { if (a * 3 == 0x123456789) opened = true; }
%s
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""
STEPS = """
contract Steps {
    bool opened;
    function open(uint256 a) external {
        uint256 x = a;
        unchecked {
            for (uint256 i; i < 40; i++) {
                if (x % 1000003 == 5) opened = true;
                x = (x ^ (x >> 9)) * 5 + 1;
            }
        }
    }
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""


def answered(source: str, name: str, solve: Any, number: int = 0) -> Answer:
    """Return what a job makes of one call of the first function."""
    target = build_target(compile_solidity(source, name), small_config())
    start = start_state(named("compiled"), target)
    function = target.functions[0]
    job = Job(
        number=number,
        round=4,
        origin=Origin((0,)),
        calls=(stored_call(function.signature, function.selector + bytes(32)),),
        covered={},
        tests=tuple(range(len(target.tests))),
        spared=frozenset(),
    )
    return Exploration(Shadow(target, start), solve, job).answer()


@pytest.mark.parametrize("number", [0, 41])
def test_many_tests_leave_a_job_something_for_branches(number: int) -> None:
    source = DOOR % "".join(PROPERTY.format(each) for each in range(150))
    answer = answered(source, "Door", BITWUZLA.solve, number)
    door = [verdict for goal, verdict in answer.tried if goal[0]]
    assert "sat" in door
    assert answer.sequences


def test_a_query_costs_what_its_text_takes_to_read() -> None:
    asked: list[int] = []

    def solve(text: str, names: object, budget: int) -> Solution:
        asked.append(len(text))
        return Solution("unsat", work=1)

    answer = answered(STEPS, "Steps", solve)
    # 32 bytes are a step of the solver, of which 160 are one of the cost.
    assert max(asked) > 100 * 32
    assert answer.cost >= sum(asked) // 32 // 160

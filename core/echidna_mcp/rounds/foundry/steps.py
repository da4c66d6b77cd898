"""What a test of Foundry begins with: `beforeTestSetup(bytes4)` is asked for it.

The test contract answers with calldata for itself. As forge 1.7.1 does it: the question
leaves no trace, and an answer that is no such list, or none at all, means no steps.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.abi.function import selector_of
from echidna_mcp.abi.types import parse_tuple
from echidna_mcp.evm.backend import EvmBackend
from echidna_mcp.program.foundry_tests import BEFORE_TEST, foundry_tests, has_steps
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.foundry.asking import answer_of

_ANSWER: Final = parse_tuple("(bytes[])")
_WORD: Final = 32


def may_have_steps(target: FuzzTarget) -> bool:
    """Whether the target's campaign is of tests that may begin with steps."""
    stateless = target.config.checks("stateless")
    return stateless and has_steps(target.program.main_contract)


def steps_of(evm: EvmBackend, target: FuzzTarget) -> tuple[bytes, ...]:
    """Return the calldata of the steps that the one test of a campaign begins with.

    Args:
        evm: in the start state, which stays.
        target: its plan has been carried out.
    """
    wanted = target.config.tests
    tests = [
        function
        for function, kind in foundry_tests(target.program.main_contract)
        if kind != "invariant" and (not wanted or function.signature in wanted)
    ]
    assert len(tests) == 1, "each test that may have steps has its campaign"
    question = selector_of(BEFORE_TEST) + tests[0].selector.ljust(_WORD, b"\0")
    answer = answer_of(evm, target, question, _ANSWER)
    return () if answer is None else tuple(answer[0])

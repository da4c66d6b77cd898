"""The campaigns of `FoundrySuite.t.sol`."""

from __future__ import annotations

from functools import cache

from foundry_project import SOURCE
from solc import compile_solidity

from echidna_mcp.config.projects.choice import Choice
from echidna_mcp.config.projects.foundry import FOUNDRY
from echidna_mcp.config.projects.loader import load_choice
from echidna_mcp.program.suite import SuiteCampaign, Wanted, suite_of

BROKEN = ("BrokenSetUpTest", "SkippedSetUpTest")
REENTERED = "ReenteredInvariants invariant"
NAMES = (
    "AfterBank invariant",
    "BankInvariants invariant",
    "BankInvariants invariant again",
    "ClosedInvariants invariant",
    "ExcusedTest stateless",
    "HandlerInvariants invariant",
    "PickyInvariants invariant",
    "PickyInvariants invariant again",
    REENTERED,
    "StatelessTest stateless",
    "StepsTest stateless",
    "StepsTest stateless again",
)


@cache
def campaigns() -> dict[str, SuiteCampaign]:
    """Return the campaigns of the suite by contract, mode and number."""
    program = compile_solidity(SOURCE.read_text(), "StatelessTest")
    given = {
        "workers": 2,
        "roundBudget": 20_000,
        "seqLen": 20,
        "testLimit": 4_000,
        "fuzzRuns": 200,
        "maxTestRejects": 300,
    }
    loaded = load_choice(Choice(kind=FOUNDRY), given)
    suite = suite_of(program, Wanted(config=loaded.campaign, given=loaded.given))
    found: dict[str, SuiteCampaign] = {}
    for each in suite:
        name = f"{each.contract.name} {each.config.test_mode}"
        if each.contract.name not in BROKEN:
            found[name if name not in found else f"{name} again"] = each
    return found

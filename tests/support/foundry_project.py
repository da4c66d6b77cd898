"""A project of Foundry with tests of all kinds, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("FoundrySuite.t.sol")
TOML: Final = """\
[profile.default]

[fuzz]
runs = 300
max_test_rejects = 500

[invariant]
runs = 60
depth = 12
"""
STATUSES: Final = {
    "AfterBank.invariant_Holds()": "failed",
    "BankInvariants.invariant_Fails_Largest()": "failed",
    "BankInvariants.invariant_Fails_Needs()": "not exercised",
    "BankInvariants.invariant_Fails_NothingReverts()": "failed",
    "BankInvariants.invariant_TotalIsPositive()": "passed",
    "BrokenSetUpTest.setUp()": "failed",
    "ClosedInvariants.invariant_NobodyTakesMore()": "passed",
    "ExcusedTest.testFuzz_Fails_ACheatcode(uint8)": "failed",
    "ExcusedTest.testFuzz_Fails_OfACreation(uint8)": "failed",
    "ExcusedTest.testFuzz_Fails_Own(uint8)": "failed",
    "ExcusedTest.testFuzz_OfACreator(uint8)": "passed",
    "ExcusedTest.testFuzz_OfAnother(uint8)": "passed",
    "ExcusedTest.testFuzz_WasCaught(uint8)": "passed",
    "ExcusedTest.testFuzz_WasNotPaid(uint8)": "passed",
    "HandlerInvariants.invariant_OfAHandlerThatAsserts()": "failed",
    "PickyInvariants.invariant_Fails_TooManyRejects()": "failed",
    "PickyInvariants.invariant_Holds()": "passed",
    "ReenteredInvariants.invariant_Fails_NobodyTakesMore()": "failed",
    "SkippedSetUpTest.setUp()": "skipped",
    "StatelessTest.table_Doubles(uint256,uint256)": "passed",
    "StatelessTest.table_Fails_Second(uint256)": "failed",
    "StatelessTest.testFuzz_Fails(uint256)": "failed",
    "StatelessTest.testFuzz_Fails_Fixture(uint256)": "failed",
    "StatelessTest.testFuzz_Fails_TextFixture(string)": "failed",
    "StatelessTest.testFuzz_Fails_TooManyRejects(uint256)": "failed",
    "StatelessTest.testFuzz_Holds(uint128,uint128)": "passed",
    "StatelessTest.testFuzz_Nine(uint256)": "passed",
    "StatelessTest.testFuzz_SenderIsFoundrys(uint8)": "passed",
    "StatelessTest.test_EachStartsAfterSetUp()": "passed",
    "StatelessTest.test_Fails_Unit()": "failed",
    "StatelessTest.test_NeedsAFork()": "not exercised",
    "StatelessTest.test_Skipped()": "skipped",
    "StatelessTest.test_Unit()": "passed",
    "StepsTest.testFuzz_Fails_AfterAStep(uint8)": "failed",
    "StepsTest.test_NoStep()": "passed",
}
"""By `Contract.test`, as forge says it too, but for what it can't run."""


def write_project(directory: Path) -> None:
    """Write the project."""
    (directory / "foundry.toml").write_text(TOML)
    (directory / "test").mkdir()
    (directory / "test" / "Suite.t.sol").write_text(SOURCE.read_text())

"""The tests that forge finds in a contract: it goes by names of functions.

Source: Foundry, `crates/common` (`TestFunctionKind`). `IS_TEST()`, which forge-std's
`Test` has, makes a contract a test for other tools; forge does not ask for it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.program.model import Contract

FoundryKind: TypeAlias = Literal["unit", "fuzz", "table", "invariant"]
"""A unit test is run once, a fuzz test with many arguments, a table test with each row
of its fixtures; an invariant is asked after each call of a sequence."""

SET_UP: Final = "setUp()"
AFTER_INVARIANT: Final = "afterInvariant()"
BEFORE_TEST: Final = "beforeTestSetup(bytes4)"

_INVARIANTS: Final = ("invariant", "statefulFuzz")


def foundry_kind(function: AbiFunction) -> FoundryKind | None:
    """Return what kind of test a function is; None if it is none."""
    if function.kind != "function":
        return None
    if function.name.startswith(_INVARIANTS):
        return "invariant"
    if function.name.startswith("test"):
        return "fuzz" if function.inputs.members else "unit"
    if function.name.startswith("table") and function.inputs.members:
        return "table"
    return None


def foundry_tests(contract: Contract) -> list[tuple[AbiFunction, FoundryKind]]:
    """Return the tests of a contract, in selector order, with their kinds."""
    found = ((each, foundry_kind(each)) for each in functions_of(contract.abi))
    return [(function, kind) for function, kind in found if kind is not None]


def has_steps(contract: Contract) -> bool:
    """Whether each test of a contract, but for invariants, may begin with steps."""
    return any(f.signature == BEFORE_TEST for f in functions_of(contract.abi))


def is_test_contract(contract: Contract) -> bool:
    """Whether forge would run a contract: it has tests, and can be deployed."""
    takes_arguments = any(
        entry.get("type") == "constructor" and entry.get("inputs")
        for entry in contract.abi
    )
    return bool(
        contract.creation_code and not takes_arguments and foundry_tests(contract)
    )


def is_foundry_test(contract: Contract) -> bool:
    """Whether a contract is a test of Foundry, by what forge-std's `Test` declares."""
    return any(f.signature == "IS_TEST()" for f in functions_of(contract.abi))


def is_reserved(function: AbiFunction) -> bool:
    """Whether a function of a test contract is there for forge alone.

    That are its tests, what is called around them, and what they take values from.
    """
    return (
        foundry_kind(function) is not None
        or function.plain_signature in RESERVED
        or function.plain_signature in (AFTER_INVARIANT, BEFORE_TEST)
        or function.name.startswith("fixture")
    )


RESERVED: Final = frozenset(
    {
        "IS_TEST()",
        SET_UP,
        "excludeArtifacts()",
        "excludeContracts()",
        "excludeSelectors()",
        "excludeSenders()",
        "failed()",
        "targetArtifactSelectors()",
        "targetArtifacts()",
        "targetContracts()",
        "targetInterfaces()",
        "targetSelectors()",
        "targetSenders()",
    }
)
"""What a test contract of Foundry has for Foundry alone (forge-std, StdInvariant)."""


def unrun_tests(contract: Contract, *, of_foundry: bool) -> str | None:
    """Return a sentence about the tests of Foundry that another mode does not run.

    Args:
        of_foundry: whether the project is one of Foundry. In others, only a contract
            with `IS_TEST()` has such tests.
    """
    tests = [function.plain_signature for function, _ in foundry_tests(contract)]
    if not tests or not (of_foundry or is_foundry_test(contract)):
        return None
    more = "" if len(tests) == 1 else f" and {len(tests) - 1} more"
    return (
        f"{contract.name}.{tests[0]}{more}, tests of Foundry, are not run in this test "
        "mode; --test-mode foundry runs them."
    )


def unsupported_tests(contract: Contract, wanted: Collection[str]) -> tuple[str, ...]:
    """Return a sentence for all of a test contract that does not work yet.

    Args:
        wanted: signatures of the tests that are run; empty for all.
    """
    sentences = []
    for function, _ in foundry_tests(contract):
        name = f"{contract.name}.{function.signature}"
        if wanted and function.signature not in wanted:
            continue
        if function.name.startswith("testFail"):
            sentences.append(
                f"{name} is to fail, by its name; forge has removed that: use "
                "vm.expectRevert, and another name."
            )
    return tuple(sentences)


def uncalled_set_up(contract: Contract) -> str | None:
    """Return a sentence if a target's `setUp()` is a function like any other.

    As in Echidna, only that of a contract with `IS_TEST()` is called before sequences.
    """
    signatures = {f.plain_signature for f in functions_of(contract.abi)}
    if is_foundry_test(contract) or SET_UP not in signatures:
        return None
    return (
        f"{contract.name}.setUp() is not called before the sequences, but in them, "
        f"because {contract.name} has no IS_TEST(): inherit Test of forge-std, or "
        "declare bool public IS_TEST = true."
    )


def unseen_failures(contract: Contract) -> str | None:
    """Return a sentence if assertions of a target may do no more than set a flag.

    Those of ds-test, and of forge-std before 1.8, set what `failed()` tells.
    """
    signatures = {f.plain_signature for f in functions_of(contract.abi)}
    if not is_foundry_test(contract) or "failed()" not in signatures:
        return None
    return (
        f"{contract.name}.failed() is not asked: an assertion that only sets a flag of "
        "the contract, and none of the cheatcodes, fails unseen."
    )

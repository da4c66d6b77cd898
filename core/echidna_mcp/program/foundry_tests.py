"""What forge would run of a contract, and we don't yet: it is told, never passed over.

Source: Foundry, `crates/common` (`TestFunctionKind`): forge goes by names of functions.
`IS_TEST()`, which forge-std's `Test` has, makes a contract a test for other tools.
"""

from __future__ import annotations

import re
from typing import Final

from echidna_mcp.abi.function import functions_of
from echidna_mcp.program.callees import is_foundry_test
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.wording import counted

_INLINE: Final = re.compile(r"(?://|\*)[/*\s]*forge-config:")
_TEST: Final = re.compile("test|invariant|statefulFuzz")


def unrun_tests(contract: Contract, *, of_foundry: bool) -> str | None:
    """Return a sentence about the tests of Foundry that a target has; None without any.

    Args:
        of_foundry: whether the project is one of Foundry. In others, only a contract
            with `IS_TEST()` has such tests.
    """
    tests = [each for each in _signatures(contract) if _TEST.match(each)]
    if not tests or not (of_foundry or is_foundry_test(contract)):
        return None
    more = counted(len(tests) - 1, "more function")
    tests_are = f"and {more} are tests" if len(tests) > 1 else "is a test"
    return (
        f"{contract.name}.{tests[0]} {tests_are} of Foundry; such tests "
        "are not run yet."
    )


def uncalled_set_up(contract: Contract) -> str | None:
    """Return a sentence if a target's `setUp()` is a function like any other.

    As in Echidna, only that of a contract with `IS_TEST()` is called before sequences.
    """
    if is_foundry_test(contract) or "setUp()" not in _signatures(contract):
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
    if not is_foundry_test(contract) or "failed()" not in _signatures(contract):
        return None
    return (
        f"{contract.name}.failed() is not asked yet: an assertion that only sets a "
        "flag, as those of ds-test, fails unseen."
    )


def unread_inline_config(program: Program) -> str | None:
    """Return a sentence if the source of the target holds inline configuration."""
    contract = program.main_contract
    text = next((s.content for s in program.sources if s.path == contract.source), "")
    if not _INLINE.search(text):
        return None
    return (
        f"{contract.source} has comments that begin with forge-config:, which are not "
        "read; write their settings into foundry.toml."
    )


def _signatures(contract: Contract) -> list[str]:
    return [f.plain_signature for f in functions_of(contract.abi)]

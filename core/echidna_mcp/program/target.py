"""The target: the calls and tests of a campaign, from its program and config.

Everything here is a function of the two, so every process that has them agrees on the
index of each function and test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.abi.revert import AbiError, errors_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import ConfigError, TargetError
from echidna_mcp.evm.fork import (
    NEWEST,
    ForkName,
    is_older,
    most_gas,
    rules_for,
)
from echidna_mcp.program.model import Program, Span
from echidna_mcp.program.plan import Plan, plan_of
from echidna_mcp.wording import closest, did_you_mean

TestKind: TypeAlias = Literal["property", "assertion", "assertion_log"]

ASSERTION_LOG_TEST = "AssertionFailed(..)"
"""Name of the test that any `AssertionFailed` log falsifies, as in Echidna."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One thing that can be falsified.

    Attributes:
        name: function name of a property, signature of an assertion test.
        kind: how it is judged (`rounds.judge`).
        selector: four bytes; empty for a test that no function stands for.
        inverted: a property that must revert (`<prefix>revert_…`).
    """

    name: str
    kind: TestKind
    selector: bytes = b""
    inverted: bool = False

    __test__ = False  # not a pytest class


@dataclass(frozen=True)
class FuzzTarget:
    """The main contract as a fuzzer sees it.

    Attributes:
        plan: what is deployed before.
        functions: functions that sequences may call; calls refer to them by index.
        tests: what is checked, in selector order.
    """

    program: Program
    config: CampaignConfig
    plan: Plan
    functions: tuple[AbiFunction, ...]
    tests: tuple[TestCase, ...]

    @cached_property
    def function_index(self) -> dict[str, int]:
        """Index of each callable function by canonical signature."""
        return {f.signature: index for index, f in enumerate(self.functions)}

    @cached_property
    def test_index(self) -> dict[str, int]:
        """Index of each test by name."""
        return {test.name: index for index, test in enumerate(self.tests)}

    @cached_property
    def checks(self) -> frozenset[Span]:
        """Where the public functions with the prefix of properties stand."""
        main = self.program.main_contract
        prefixed = {f.signature for f in _prefixed(functions_of(main.abi), self.config)}
        return frozenset(
            function.span
            for function in main.functions
            if function.signature in prefixed
        )

    @cached_property
    def errors(self) -> tuple[AbiError, ...]:
        """Custom errors of all contracts: a call may pass on those of others."""
        return errors_of(e for each in self.program.contracts for e in each.abi)

    @cached_property
    def modifiers(self) -> dict[str, tuple[str, ...]]:
        """Signatures of the callable functions that carry each modifier."""
        carriers: dict[str, tuple[str, ...]] = {}
        for function in self.program.main_contract.functions:
            if function.signature in self.function_index:
                for modifier in function.modifiers:
                    carriers[modifier] = (
                        *carriers.get(modifier, ()),
                        function.signature,
                    )
        return carriers


def build_target(program: Program, config: CampaignConfig) -> FuzzTarget:
    """Decide what is called and what is checked (Echidna's rules).

    Raises:
        TargetError: nothing can be called, nothing is to be checked, a property has
            the wrong shape, the program is for a newer fork, or what is to be deployed
            can't be. The message says which.
        ConfigError: a call has more gas than a transaction can have.
    """
    main = program.main_contract
    functions = functions_of(main.abi)
    prefixed = _prefixed(functions, config)
    callable_functions = tuple(
        f for f in functions if f not in prefixed and _wanted(f, main.name, config)
    )
    _refuse_newer_code(program, config)
    _refuse_gas(config)
    _refuse_test_arguments(main.name, prefixed, config.prefix)
    if not callable_functions:
        raise TargetError(
            f"{main.name} has no function that can be called; "
            "check --contract and filterFunctions."
        )
    tests = _tests(main.name, prefixed, callable_functions, config)
    plan = plan_of(program, config)
    return FuzzTarget(program, config, plan, callable_functions, tests)


def _prefixed(
    functions: Iterable[AbiFunction], config: CampaignConfig
) -> list[AbiFunction]:
    """Return the functions that are named as properties are."""
    return [f for f in functions if f.name.startswith(config.prefix)]


def unmatched_filters(target: FuzzTarget) -> tuple[str, ...]:
    """Return a sentence for each entry of `filterFunctions` that filters nothing."""
    main = target.program.main_contract
    known = [f"{main.name}.{f.signature}" for f in functions_of(main.abi)]
    sentences = []
    for entry in target.config.filter_functions:
        if entry not in known:
            hint = did_you_mean(closest(entry, known, 1), f"write {known[0]}.")
            sentences.append(
                f"filterFunctions: {entry} is no function of {main.name}; {hint}"
            )
    return tuple(sentences)


def _wanted(function: AbiFunction, contract: str, config: CampaignConfig) -> bool:
    if config.exclude_view_pure and function.mutability in ("view", "pure"):
        return False
    listed = f"{contract}.{function.signature}" in config.filter_functions
    return listed != config.filter_blacklist


def rules_wanted(program: Program) -> ForkName:
    """Return the rules for a program if nobody asks for others: those of its compiler.

    The newest if it is unknown what the program was compiled for.
    """
    return rules_for(program.evm_version) or NEWEST


def _refuse_newer_code(program: Program, config: CampaignConfig) -> None:
    compiled, rules = program.evm_version, config.evm_version
    if not compiled:
        return
    wanted = rules_for(compiled)
    if wanted is None or is_older(rules, wanted):
        choice = f"choose --evm-version {wanted} or " if wanted else ""
        raise TargetError(
            f"{program.main_contract.name} was compiled for {compiled}, which is newer "
            f"than the rules of this campaign, {rules} (evmVersion); {choice}compile "
            f"it for {rules}."
        )


def _refuse_gas(config: CampaignConfig) -> None:
    """Refuse calls that are no transactions any more (EIP-7825).

    Properties are asked as by `eth_call`, which has no such limit.
    """
    rules, gas = config.evm_version, config.test_max_gas
    limit = most_gas(rules)
    if limit is not None and gas > limit:
        raise ConfigError(
            f"testMaxGas is {gas}, but by the rules of {rules} a transaction has at "
            f"most {limit} gas (EIP-7825); lower it, or choose evmVersion prague."
        )


def _refuse_test_arguments(
    contract: str, prefixed: list[AbiFunction], prefix: str
) -> None:
    for function in prefixed:
        if function.inputs.members:
            raise TargetError(
                f"{contract}.{function.signature} takes arguments; a function that "
                f"starts with {prefix!r} must take none."
            )


def _tests(
    contract: str,
    prefixed: list[AbiFunction],
    callable_functions: tuple[AbiFunction, ...],
    config: CampaignConfig,
) -> tuple[TestCase, ...]:
    match config.test_mode:
        case "exploration":
            return ()
        case "assertion":
            return (
                *(
                    TestCase(f.signature, "assertion", f.selector)
                    for f in callable_functions
                    if f.kind == "function"
                ),
                TestCase(ASSERTION_LOG_TEST, "assertion_log"),
            )
        case "property":
            return _properties(contract, prefixed, config)


def _properties(
    contract: str, prefixed: list[AbiFunction], config: CampaignConfig
) -> tuple[TestCase, ...]:
    if not prefixed:
        raise TargetError(
            f"{contract} has no function that starts with {config.prefix!r}; add "
            "properties, or choose --test-mode assertion or exploration."
        )
    for function in prefixed:
        if type_name(function.outputs) != "(bool)":
            raise TargetError(
                f"The property {contract}.{function.signature} must return one bool."
            )
    return tuple(
        TestCase(
            function.name,
            "property",
            function.selector,
            inverted=function.name.startswith(f"{config.prefix}revert_"),
        )
        for function in prefixed
    )

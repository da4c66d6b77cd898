"""The target: the calls and tests of a campaign, from its program, config and world.

Everything here is a function of the three, so every process that has them agrees on the
index of each function and test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Final, Literal, TypeAlias

from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.abi.revert import AbiError, errors_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.cheatcodes.addresses import CHEATCODES, CONSOLE
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.prefixes import has_prefix, told_prefixes
from echidna_mcp.errors import ConfigError, TargetError
from echidna_mcp.evm.created import CREATE2_FACTORY
from echidna_mcp.evm.fork import (
    NEWEST,
    PRECOMPILE_ADDRESSES,
    ForkName,
    is_older,
    most_gas,
    rules_for,
)
from echidna_mcp.program.callees import (
    Callee,
    asked_functions,
    callees_of,
    is_value,
    misshapen_values,
    prefixed_functions,
    value_functions,
)
from echidna_mcp.program.fixtures import rows_of
from echidna_mcp.program.foundry_tests import (
    AFTER_INVARIANT,
    foundry_kind,
    foundry_tests,
)
from echidna_mcp.program.model import Contract, Deriving, Program
from echidna_mcp.program.plan import Plan, plan_of
from echidna_mcp.program.world import ALONE, World
from echidna_mcp.wording import closest, did_you_mean, some

TestKind: TypeAlias = Literal[
    "property",
    "assertion",
    "assertion_log",
    "invariant",
    "after_invariant",
    "discards",
    "optimization",
    "overflow",
    "destruction",
    "any_destruction",
]

ASKED: Final = ("property", "invariant", "after_invariant", "optimization")
"""Kinds of tests that are functions which are asked about the state."""

ASSERTION_LOG_TEST = "AssertionFailed(..)"
"""Name of the test that any `AssertionFailed` log falsifies, as in Echidna."""
OVERFLOW_TEST: Final = "Integer (over/under)flow"
"""Name of the test that arithmetic falsifies which reverts, as in Echidna."""
DESTRUCTION_TEST: Final = "Target contract is not self-destructed"
ANY_DESTRUCTION_TEST: Final = "No contract can be self-destructed"
"""Names of the tests of `testDestruction`, as in Echidna."""
DISCARDS_TEST: Final = "max_assume_rejects"
"""Name of the test that too many discarded calls in a sequence falsify (Foundry)."""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One thing that can be falsified.

    Attributes:
        name: function name of a property or of a value that is maximized, signature of
            any other function, the sentence of a test that no function stands for;
            qualified as functions are, but for those of the target that are asked.
        kind: how it is judged (`rounds.judge`).
        selector: four bytes; empty for a test that no function stands for.
        inverted: a property that must fail (`<prefix>revert_…`).
        callee: number of the contract whose function it is.
    """

    name: str
    kind: TestKind
    selector: bytes = b""
    inverted: bool = False
    callee: int = 0

    __test__ = False  # not a pytest class


@dataclass(frozen=True)
class FuzzTarget(Deriving):
    """The contracts under test as a fuzzer sees them.

    Attributes:
        plan: what is deployed before.
        world: what is called beside the target, and by whom, where that is not known
            from program and config.
        callees: the contracts that are called; the target is the first.
        functions: functions that sequences may call; calls refer to them by index.
        tests: what is checked: the target's in selector order, then those of others.
    """

    program: Program
    config: CampaignConfig
    plan: Plan
    world: World
    callees: tuple[Callee, ...]
    functions: tuple[AbiFunction, ...]
    tests: tuple[TestCase, ...]

    @cached_property
    def function_index(self) -> dict[str, int]:
        """Index of each callable function by its signature, as qualified as it is."""
        return {f.signature: index for index, f in enumerate(self.functions)}

    @cached_property
    def callee_of(self) -> tuple[int, ...]:
        """Number of the contract of each callable function."""
        return tuple(
            number
            for number, callee in enumerate(self.callees)
            for _ in callee.functions
        )

    @cached_property
    def overridable(self) -> tuple[int, ...]:
        """Addresses by and to which an override may replace calls."""
        return tuple(
            callee.address
            for callee in self.callees
            if callee.address is not None and callee.functions
        )

    @cached_property
    def test_index(self) -> dict[str, int]:
        """Index of each test by name."""
        return {test.name: index for index, test in enumerate(self.tests)}

    @cached_property
    def run_once(self) -> tuple[int, ...]:
        """Callable functions that are run once and never fuzzed.

        These are unit tests, and table tests with each of their rows.
        """
        if not self.config.checks("stateless"):
            return ()
        return tuple(
            index
            for index, function in enumerate(self.functions)
            if foundry_kind(function) in ("unit", "table")
        )

    def calldata_of(self, function: int) -> tuple[bytes, ...]:
        """Return what is sent, call by call, where a function is run once."""
        each = self.functions[function]
        if foundry_kind(each) == "table":
            return rows_of(each, self.world.fixtures)
        return (each.selector,)

    @cached_property
    def senders(self) -> tuple[int, ...]:
        """Who calls, ascending: simplest first; others as well if any may."""
        if self.world.senders:
            return tuple(sorted(self.world.senders))
        unwanted = self.world.excluded_senders
        known = sorted(set(self.config.senders).difference(unwanted))
        if known:
            return tuple(known)
        return (next(each for each in count(1 << 16) if each not in unwanted),)

    @cached_property
    def any_sender(self) -> bool:
        """Whether a sender may have any address but those of `barred_senders`."""
        wanted = self.config.any_sender and self.config.checks("invariant")
        return wanted and not self.world.senders

    @cached_property
    def barred_senders(self) -> tuple[int, ...]:
        """Addresses that no sender has; the rule is that of Foundry 1.7.1."""
        accounts = (CHEATCODES, CONSOLE, CREATE2_FACTORY)
        return (0, *PRECOMPILE_ADDRESSES, *accounts, *self.world.excluded_senders)

    def sends(self, address: int) -> bool:
        """Whether a campaign may have calls from an address."""
        if self.any_sender and address not in self.barred_senders:
            return True
        return address in self.senders

    @cached_property
    def errors(self) -> tuple[AbiError, ...]:
        """Custom errors of all contracts: a call may pass on those of others."""
        return errors_of(e for each in self.program.contracts for e in each.abi)

    @cached_property
    def modifiers(self) -> dict[str, tuple[str, ...]]:
        """Signatures of the callable functions that carry each modifier."""
        carriers: dict[str, tuple[str, ...]] = {}
        for callee in self.callees:
            called = {f.plain_signature: f.signature for f in callee.functions}
            for function in callee.contract.functions:
                for modifier in (
                    function.modifiers if function.signature in called else ()
                ):
                    signature = called[function.signature]
                    carriers[modifier] = (*carriers.get(modifier, ()), signature)
        return carriers

    def to_json(self) -> dict[str, Any]:
        """Return plan and world for the event log and for people."""
        return {**self.plan.to_json(), **self.world.to_json()}


def build_target(
    program: Program, config: CampaignConfig, world: World = ALONE
) -> FuzzTarget:
    """Decide what is called and what is checked (Echidna's rules).

    Args:
        program: what was compiled.
        config: what is asked for.
        world: what `rounds.exploration` has found out.

    Raises:
        TargetError: nothing can be called, nothing is to be checked, a property has
            the wrong shape, the program is for a newer fork, or what is to be deployed
            can't be. The message says which.
        ConfigError: a call has more gas than a transaction can have.
    """
    _refuse_newer_code(program, config)
    _refuse_gas(config)
    callees = callees_of(program, config, world)
    for callee in callees:
        if callee.tested:
            for prefix, asked in asked_functions(callee.contract, config):
                _refuse_test_arguments(callee.contract.name, asked, prefix)
    tests = _tests(callees, config)
    plan = plan_of(program, config)
    functions = tuple(f for callee in callees for f in callee.functions)
    return FuzzTarget(program, config, plan, world, callees, functions, tests)


def unmatched_filters(target: FuzzTarget) -> tuple[str, ...]:
    """Return a sentence for each entry of `filterFunctions` that filters nothing."""
    contracts = {callee.contract.name: callee.contract for callee in target.callees}
    known = [
        f"{name}.{function.signature}"
        for name, contract in contracts.items()
        for function in functions_of(contract.abi)
    ]
    sentences = []
    for entry in target.config.filter_functions:
        if entry not in known:
            hint = did_you_mean(
                closest(entry, known, 1), f"they are written as in {known[0]}."
            )
            sentences.append(
                f"filterFunctions: {entry} is no function of {', '.join(contracts)}; "
                f"{hint}"
            )
    return tuple(sentences)


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

    Properties are asked as by `eth_call`, which has no such limit, and so are tests of
    Foundry.
    """
    if config.of_foundry:
        return
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
                f"starts with {told_prefixes(prefix)} must take none."
            )


def _tests(callees: Sequence[Callee], config: CampaignConfig) -> tuple[TestCase, ...]:
    found: list[TestCase] = []
    if config.checks("property"):
        found += (
            test
            for number, callee in enumerate(callees)
            # What sequences create may be gone when its properties are asked.
            if callee.tested and callee.address is not None
            for test in _properties(number, callee, config)
        )
    if config.checks("assertion"):
        found += (
            TestCase(f.signature, "assertion", f.selector, callee=number)
            for number, callee in enumerate(callees)
            if callee.tested
            for f in callee.functions
            if f.kind == "function"
        )
        found.append(TestCase(ASSERTION_LOG_TEST, "assertion_log"))
    if config.checks("optimization"):
        found += (
            test
            for number, callee in enumerate(callees)
            if callee.tested and callee.address is not None
            for test in _values(number, callee, config)
        )
    if config.checks("overflow"):
        found.append(TestCase(OVERFLOW_TEST, "overflow"))
    if config.test_destruction:
        found.append(TestCase(DESTRUCTION_TEST, "destruction"))
        found.append(TestCase(ANY_DESTRUCTION_TEST, "any_destruction"))
    if config.of_foundry:
        found += _foundry_tests(callees, config)
    if not found:
        _refuse_nothing(callees[0].contract, config)
    return tuple(found)


def _refuse_nothing(contract: Contract, config: CampaignConfig) -> None:
    """Refuse a target without tests, if there are to be some.

    Raises:
        TargetError: there are.
    """
    property_, value = config.checks("property"), config.checks("optimization")
    if property_ or value:
        prefixes = config.prefix
        if value and config.value_prefix != config.prefix:
            prefixes += f",{config.value_prefix}"
        what = "properties" if property_ else "values that are to be maximized"
        named = misshapen_values(contract, config)
        misshapen = [f"{contract.name}.{each.signature}" for each in named]
        hint = ""
        if value and misshapen:
            hint = f" {some(misshapen)}: a value has no arguments and is one int256."
        raise TargetError(
            f"{contract.name} has no function that starts with "
            f"{told_prefixes(prefixes)}; add {what}, or choose --test-mode assertion "
            f"or exploration.{hint}"
        )


def _foundry_tests(
    callees: Sequence[Callee], config: CampaignConfig
) -> Iterator[TestCase]:
    """Yield the tests that forge has, and those of what sequences call.

    Raises:
        TargetError: there are none, or an invariant takes arguments.
    """
    main = callees[0].contract
    if config.checks("invariant"):
        yield from _invariants(main, config)
    for number, callee in enumerate(callees):
        if callee.tested:
            for function in callee.functions:
                if function.kind == "function":
                    yield TestCase(
                        function.signature,
                        "assertion",
                        function.selector,
                        callee=number,
                    )


def _invariants(main: Contract, config: CampaignConfig) -> Iterator[TestCase]:
    for function, found in foundry_tests(main):
        if found != "invariant" or (
            config.tests and function.signature not in config.tests
        ):
            continue
        if function.inputs.members:
            raise TargetError(
                f"{main.name}.{function.signature} takes arguments; an invariant must "
                "take none."
            )
        kind: TestKind = "optimization" if is_value(function) else "invariant"
        yield TestCase(function.signature, kind, function.selector)
    for function in functions_of(main.abi):
        if function.signature == AFTER_INVARIANT:
            yield TestCase(AFTER_INVARIANT, "after_invariant", function.selector)
    if config.max_assume_rejects < config.seq_len:  # Else no sequence has so many.
        yield TestCase(DISCARDS_TEST, "discards")


def _properties(
    number: int, callee: Callee, config: CampaignConfig
) -> Iterator[TestCase]:
    values = {each.selector for each in value_functions(callee.contract, config)}
    for function in prefixed_functions(callee.contract, config):
        if function.selector in values:
            continue
        if type_name(function.outputs) != "(bool)":
            other = ", or one int256" if config.checks("optimization") else ""
            hint = ""
            if not other and is_value(function):
                hint = " To maximize its value, choose --test-mode optimization."
            raise TargetError(
                f"The property {callee.contract.name}.{function.signature} must "
                f"return one bool{other}.{hint}"
            )
        yield TestCase(
            _asked_name(number, callee, function),
            "property",
            function.selector,
            inverted=has_prefix(function.name, config.prefix, "revert_"),
            callee=number,
        )


def _values(number: int, callee: Callee, config: CampaignConfig) -> Iterator[TestCase]:
    for function in value_functions(callee.contract, config):
        if type_name(function.outputs) != "(int256)":
            raise TargetError(
                f"The value {callee.contract.name}.{function.signature} that is to be "
                "maximized must be one int256."
            )
        yield TestCase(
            _asked_name(number, callee, function),
            "optimization",
            function.selector,
            callee=number,
        )


def _asked_name(number: int, callee: Callee, function: AbiFunction) -> str:
    """The target's are named as everywhere; others by whose they are."""
    return f"{callee.qualifier}.{function.name}" if number else function.name

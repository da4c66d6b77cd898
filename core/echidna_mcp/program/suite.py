"""Foundry's tests as campaigns: which contracts are tested, and with which settings.

A contract has one campaign for its invariants and one for its other tests, and further
ones where settings beside tests differ from each other. Tests that begin with steps of
their own (`beforeTestSetup`) have a campaign each: it has one start state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from echidna_mcp.abi.function import AbiFunction
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import TargetError
from echidna_mcp.program.foundry_tests import (
    foundry_tests,
    has_steps,
    is_test_contract,
)
from echidna_mcp.program.inline_config import inline_config
from echidna_mcp.program.main_contract import is_dependency
from echidna_mcp.program.model import Contract, Program

_RUNS: Final = 256
_DEPTH: Final = 500
_GAS: Final = 1 << 30
"""What a test may use: the gas of a block of Foundry."""

_FIELDS: Final[Mapping[str, str]] = {
    "fuzz.max_test_rejects": "max_rejects",
    "invariant.fail_on_revert": "fail_on_revert",
    "invariant.shrink_run_limit": "shrink_limit",
    "invariant.max_time_delay": "max_time_delay",
    "invariant.max_block_delay": "max_block_delay",
    "allow_internal_expect_revert": "internal_expect_revert",
    "assertions_revert": "assertions_revert",
}
"""Keys beside tests that are fields of the config. Others are `_OTHERS`, or idle."""
_OTHERS: Final = frozenset(
    {"invariant.runs", "invariant.depth", "fuzz.runs", "fuzz.fail_on_revert"}
)
_IDLE: Final = re.compile(
    r"(fuzz|invariant)\.(dictionary_weight|include_|max_fuzz_dictionary|corpus_|timeout"
    r"|show_|seed|gas_report|failure_persist|max_assume_rejects|workers|mutation_weight"
    r"|max_test_rejects|fail_on_revert|runs|depth|shrink_run_limit|check_interval)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which tests are wanted, as forge's options of these names say.

    Attributes:
        test, no_test: regular expressions for signatures of tests.
        contract, no_contract: the same for names of contracts.
        path, no_path: patterns for paths of sources, as in a shell.
    """

    test: str | None = None
    no_test: str | None = None
    contract: str | None = None
    no_contract: str | None = None
    path: str | None = None
    no_path: str | None = None

    def has_contract(self, contract: Contract) -> bool:
        """Whether tests of a contract may be wanted."""
        return (
            _matches(self.contract, contract.name)
            and not _excluded(self.no_contract, contract.name)
            and (self.path is None or _is_path(self.path, contract.source))
            and not (self.no_path and _is_path(self.no_path, contract.source))
        )

    def has_test(self, function: AbiFunction) -> bool:
        """Whether a test of such a contract is wanted."""
        name = function.plain_signature
        return _matches(self.test, name) and not _excluded(self.no_test, name)


ALL: Final = Selection()


def _matches(pattern: str | None, text: str) -> bool:
    return pattern is None or re.search(pattern, text) is not None


def _excluded(pattern: str | None, text: str) -> bool:
    return bool(pattern) and re.search(str(pattern), text) is not None


def _is_path(pattern: str, path: str) -> bool:
    """Whether a pattern means a path; `**` and `*` mean any text, also with slashes."""
    pattern = pattern.removeprefix("./")
    plain = re.sub(r"\*+", "*", pattern)
    return fnmatchcase(path, plain) or path.endswith(f"/{pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCampaign:
    """One campaign of a suite; `unhonoured` are wishes beside its tests."""

    program: Program
    config: CampaignConfig
    unhonoured: tuple[str, ...] = ()

    @property
    def contract(self) -> Contract:
        """The test contract."""
        return self.program.main_contract


def suite_of(
    program: Program,
    config: CampaignConfig,
    *,
    given: Collection[str],
    profile: str,
    selection: Selection = ALL,
    only: Collection[str] = (),
) -> list[SuiteCampaign]:
    """Return the campaigns that run the tests of a program, by contract.

    Args:
        program: what was compiled.
        config: what is asked for.
        given: keys that somebody has set; the others are as in Foundry.
        profile: of foundry.toml; it decides which comments hold.
        selection: which tests are wanted.
        only: qualified names of the contracts in question; all if there are none.
    """
    campaigns: list[SuiteCampaign] = []
    for contract in program.contracts:
        wanted = (
            contract.qualified_name in only
            if only
            else not is_dependency(contract.source)
        )
        if wanted and is_test_contract(contract) and selection.has_contract(contract):
            main = replace(program, main=contract.qualified_name)
            campaigns += _campaigns(main, config, given, profile, selection)
    return campaigns


@dataclass(slots=True)
class _Group:
    """Tests of a contract that share a campaign.

    Attributes:
        settings: what comments ask for, but for runs.
        runs: (signature, runs) where comments ask for some.
    """

    invariant: bool
    settings: Mapping[str, Any]
    tests: list[str] = field(default_factory=list)
    runs: list[tuple[str, int]] = field(default_factory=list)


def _campaigns(
    program: Program,
    config: CampaignConfig,
    given: Collection[str],
    profile: str,
    selection: Selection,
) -> Iterator[SuiteCampaign]:
    contract = program.main_contract
    kinds = Counter(kind == "invariant" for _, kind in foundry_tests(contract))
    for group in _groups(program, profile, selection):
        start = _invariants if group.invariant else _stateless
        made, unhonoured = _with_inline(start(config, given), group.settings, contract)
        every = len(group.tests) == kinds[group.invariant]
        yield SuiteCampaign(
            program=program,
            config=replace(
                made,
                tests=() if every else tuple(group.tests),
                test_runs=tuple(group.runs),
            ),
            unhonoured=unhonoured,
        )


def _groups(program: Program, profile: str, selection: Selection) -> Iterable[_Group]:
    contract = program.main_contract
    beside, of_tests = inline_config(program, contract, profile)
    groups: dict[str, _Group] = {}
    for function, kind in foundry_tests(contract):
        if not selection.has_test(function):
            continue
        invariant, name = kind == "invariant", function.signature
        asked = {**beside, **of_tests.get(function.name, {})}
        runs = asked.pop("fuzz.runs", None)
        others = "fuzz." if invariant else "invariant."
        own = {key: asked[key] for key in sorted(asked) if not key.startswith(others)}
        alone = "" if invariant or not has_steps(contract) else name
        key = f"{invariant} {own} {alone}"
        group = groups.setdefault(key, _Group(invariant, own))
        group.tests.append(name)
        if runs is not None and not invariant:
            group.runs.append((name, _number(runs, contract)))
    return groups.values()


def _foundry_gas(config: CampaignConfig, given: Collection[str]) -> CampaignConfig:
    return replace(
        config,
        test_max_gas=config.test_max_gas if "testMaxGas" in given else _GAS,
        prop_max_gas=config.prop_max_gas if "propMaxGas" in given else _GAS,
        # Time stands still unless somebody asks for more.
        max_time_delay=config.max_time_delay if "maxTimeDelay" in given else 0,
        max_block_delay=config.max_block_delay if "maxBlockDelay" in given else 0,
    )


def _invariants(config: CampaignConfig, given: Collection[str]) -> CampaignConfig:
    """Return the config of a campaign for invariants: forge's runs x depth calls."""
    limit, length = config.test_limit, config.seq_len
    senders = (*config.senders, config.psender, config.contract_addr)
    return replace(
        _foundry_gas(config, given),
        test_mode="invariant",
        test_limit=limit if limit is None or "testLimit" in given else _RUNS * _DEPTH,
        seq_len=length if "seqLen" in given else _DEPTH,
        senders=config.senders if "sender" in given else tuple(dict.fromkeys(senders)),
    )


def _stateless(config: CampaignConfig, given: Collection[str]) -> CampaignConfig:
    """Return the config of a campaign for tests of one call each."""
    return replace(
        _foundry_gas(config, given),
        test_mode="stateless",
        seq_len=1,
        test_limit=None,
        fail_on_revert=True,
        senders=(config.psender,),
        max_value=0,
        max_time_delay=0,
        max_block_delay=0,
    )


def _with_inline(
    config: CampaignConfig, asked: Mapping[str, Any], contract: Contract
) -> tuple[CampaignConfig, tuple[str, ...]]:
    """Return the config with what comments ask for, and what of it is not honoured.

    Raises:
        TargetError: a value is none.
    """
    values: dict[str, Any] = {}
    unhonoured = []
    for key, value in asked.items():
        if key in _FIELDS:
            values[_FIELDS[key]] = _checked(value, getattr(config, _FIELDS[key]))
        elif key not in _OTHERS and not _IDLE.match(key):
            unhonoured.append(
                f"{contract.qualified_name}: `forge-config: {key}` is not supported "
                "yet and does nothing."
            )
    if config.checks("stateless"):
        values["fail_on_revert"] = asked.get("fuzz.fail_on_revert", True) is not False
    elif "invariant.runs" in asked or "invariant.depth" in asked:
        depth = _number(asked.get("invariant.depth", config.seq_len), contract)
        limit = config.test_limit
        before = _RUNS if limit is None else max(1, limit // config.seq_len)
        runs = _number(asked.get("invariant.runs", before), contract)
        values |= {"seq_len": max(1, depth), "test_limit": runs * depth}
    wrong = [name for name, value in values.items() if value is None]
    if wrong:
        raise TargetError(
            f"{contract.qualified_name}: a comment with forge-config sets {wrong[0]} "
            "to what is no value of it."
        )
    return replace(config, **values), tuple(unhonoured)


def _checked(value: Any, present: Any) -> Any:
    """Return a value if it is one like the present one, else None."""
    return value if type(value) is type(present) else None


def _number(value: Any, contract: Contract) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise TargetError(
        f"{contract.qualified_name}: a comment with forge-config sets a number of runs "
        f"to {value!r}."
    )


def no_tests(selection: Selection, program: Program) -> TargetError:
    """Return the error for a selection that leaves no test."""
    names: Sequence[str] = [
        contract.name
        for contract in program.contracts
        if is_test_contract(contract) and not is_dependency(contract.source)
    ]
    there = f"there are tests in {', '.join(names[:8])}" if names else "there are none"
    which = "that is asked for " if selection != ALL else ""
    return TargetError(
        f"There is no test of Foundry {which}here; {there}. A test is a function whose "
        "name begins with test, invariant or statefulFuzz."
    )

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
from echidna_mcp.config.projects.foundry import merged, read_comments
from echidna_mcp.config.projects.loader import fields_of
from echidna_mcp.errors import TargetError
from echidna_mcp.program.foundry_tests import (
    foundry_tests,
    has_steps,
    is_test_contract,
)
from echidna_mcp.program.inline_config import ONE_PROFILE, Profiles, inline_config
from echidna_mcp.program.main_contract import is_dependency
from echidna_mcp.program.model import Contract, Program

_RUNS: Final = 256
_DEPTH: Final = 500
_GAS: Final = 1 << 30
"""What a test may use: the gas of a block of Foundry."""


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
    """One campaign of a suite.

    Attributes:
        timeout: seconds after which it is asked to stop; None for never.
        unhonoured: a sentence for each wish beside its tests that does nothing.
    """

    program: Program
    config: CampaignConfig
    timeout: int | None = None
    unhonoured: tuple[str, ...] = ()

    @property
    def contract(self) -> Contract:
        """The test contract."""
        return self.program.main_contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for, beside the program.

    Attributes:
        config: that of each campaign, but for what forge's defaults and comments say.
        given: keys that somebody has set; the others are as in Foundry.
        profiles: of foundry.toml; they decide which comments hold.
        selection: which tests are wanted.
        invariant_timeout, fuzz_timeout: seconds of each campaign of either kind.
        ignore_unsupported: whether comments that do not work are passed over.
    """

    config: CampaignConfig
    given: Collection[str] = ()
    profiles: Profiles = ONE_PROFILE
    selection: Selection = ALL
    invariant_timeout: int | None = None
    fuzz_timeout: int | None = None
    ignore_unsupported: bool = False


def suite_of(
    program: Program, wanted: Wanted, only: Collection[str] = ()
) -> list[SuiteCampaign]:
    """Return the campaigns that run the tests of a program, by contract.

    Args:
        program: what was compiled.
        wanted: what is asked for.
        only: qualified names of the contracts in question; all if there are none.

    Raises:
        TargetError, ConfigError: a comment beside a test is wrong, or sets what does
            not work.
    """
    campaigns: list[SuiteCampaign] = []
    for contract in program.contracts:
        meant = (
            contract.qualified_name in only
            if only
            else not is_dependency(contract.source)
        )
        chosen = meant and wanted.selection.has_contract(contract)
        if chosen and is_test_contract(contract):
            main = replace(program, main=contract.qualified_name)
            campaigns += _campaigns(main, wanted)
    return campaigns


@dataclass(slots=True)
class _Group:
    """Tests of a contract that share a campaign.

    Attributes:
        settings: what comments ask for, but for runs; as a profile holds it.
        tests: their signatures.
        runs: (signature, runs) where comments ask for some.
    """

    invariant: bool
    settings: Mapping[str, Any]
    tests: list[str] = field(default_factory=list)
    runs: list[tuple[str, int]] = field(default_factory=list)


def _campaigns(program: Program, wanted: Wanted) -> Iterator[SuiteCampaign]:
    contract, config = program.main_contract, wanted.config
    kinds = Counter(kind == "invariant" for _, kind in foundry_tests(contract))
    for group in _groups(program, wanted):
        if group.invariant:
            start, seconds = _invariants(config, wanted.given), wanted.invariant_timeout
        else:
            start, seconds = _stateless(config, wanted.given), wanted.fuzz_timeout
        fields, unhonoured = _comments(contract, group.settings, wanted, start)
        timeout = "invariant_timeout" if group.invariant else "fuzz_timeout"
        every = len(group.tests) == kinds[group.invariant]
        yield SuiteCampaign(
            program=program,
            config=replace(
                start,
                **fields["campaign"],
                tests=() if every else tuple(group.tests),
                test_runs=tuple(group.runs),
            ),
            timeout=fields["loaded"].get(timeout, seconds),
            unhonoured=unhonoured,
        )


def _groups(program: Program, wanted: Wanted) -> Iterable[_Group]:
    contract = program.main_contract
    beside, of_tests = inline_config(program, contract, wanted.profiles)
    _comments(contract, beside, wanted)
    groups: dict[str, _Group] = {}
    for function, kind in foundry_tests(contract):
        if not wanted.selection.has_test(function):
            continue
        invariant, name = kind == "invariant", function.signature
        own = merged(beside, of_tests.get(function.name, {}))
        fields, _ = _comments(contract, own, wanted)
        own.pop("fuzz" if invariant else "invariant", None)
        runs = fields["campaign"].get("fuzz_runs")
        if isinstance(of_fuzz := own.get("fuzz"), dict):
            own["fuzz"] = {k: v for k, v in of_fuzz.items() if k != "runs"}
        alone = "" if invariant or not has_steps(contract) else name
        key = f"{invariant} {sorted(_leaves(own))} {alone}"
        group = groups.setdefault(key, _Group(invariant, own))
        group.tests.append(name)
        if runs is not None and not invariant:
            group.runs.append((name, runs))
    return groups.values()


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key} {value!r}"


def _comments(
    contract: Contract,
    settings: Mapping[str, Any],
    wanted: Wanted,
    config: CampaignConfig | None = None,
) -> tuple[Mapping[str, Mapping[str, Any]], tuple[str, ...]]:
    """Return the fields that comments set, by owner, and what of it does nothing.

    Args:
        contract: beside which, or beside whose test they stand.
        settings: as a profile holds them.
        wanted: whether what does not work stops.
        config: says how many calls there are, for comments that say half of it.

    Raises:
        ConfigError: a comment is wrong, or sets what does not work.
    """
    runs, depth = _RUNS, _DEPTH
    if config is not None and config.test_limit is not None:
        depth = config.seq_len
        runs = max(1, config.test_limit // depth)
    where = f"{contract.qualified_name}, a comment"
    reading = read_comments(settings, where, runs=runs, depth=depth)
    return fields_of(reading, ignore_unsupported=wanted.ignore_unsupported)


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
        fuzz_fail_on_revert=True,
        senders=config.senders if "sender" in given else tuple(dict.fromkeys(senders)),
        # As in forge, unless somebody names those who send.
        any_sender=config.any_sender if "anySender" in given else "sender" not in given,
    )


def _stateless(config: CampaignConfig, given: Collection[str]) -> CampaignConfig:
    """Return the config of a campaign for tests of one call each."""
    return replace(
        _foundry_gas(config, given),
        test_mode="stateless",
        seq_len=1,
        test_limit=None,
        fail_on_revert=True,
        call_override=False,
        senders=(config.psender,),
        any_sender=False,
        max_value=0,
        max_time_delay=0,
        max_block_delay=0,
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

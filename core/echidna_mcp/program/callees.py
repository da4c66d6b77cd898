"""The contracts that sequences call, and which of their functions.

Where there are several, every function is told apart by a qualifier: the name of its
contract, with the address where a contract is deployed more than once (`Token@0x…`),
and `Pair#n` for those that sequences create.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

from echidna_mcp.abi.function import AbiFunction, functions_of, raw_fallback
from echidna_mcp.abi.types import type_name
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.prefixes import has_prefix
from echidna_mcp.errors import TargetError
from echidna_mcp.program.foundry_tests import (
    RESERVED,
    foundry_kind,
    is_foundry_test,
    is_reserved,
)
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.world import Placement, World


@dataclass(frozen=True, slots=True)
class Callee:
    """A contract that sequences call, or the target if they don't.

    Attributes:
        contract: it.
        address: where it is; None for those that sequences create.
        qualifier: what stands before the names of its functions; may be empty.
        functions: those that may be called; calls refer to them by number, across all
            callees.
        tested: whether those functions are tested.
    """

    contract: Contract
    address: int | None
    qualifier: str
    functions: tuple[AbiFunction, ...]
    tested: bool


def prefixed_functions(contract: Contract, config: CampaignConfig) -> list[AbiFunction]:
    """Return the functions of a contract that are named as properties are."""
    return [f for f in functions_of(contract.abi) if has_prefix(f.name, config.prefix)]


def value_functions(contract: Contract, config: CampaignConfig) -> list[AbiFunction]:
    """Return the functions of a contract whose value is maximized.

    Where properties are checked as well, those with their prefix are values if they
    return one int256. With the prefix of values alone, what is none is a function as
    any other, as in Medusa.
    """
    if not config.checks("optimization"):
        return []
    shared = [
        f
        for f in prefixed_functions(contract, config)
        if type_name(f.outputs) == "(int256)" or not config.checks("property")
    ]
    return [*shared, *(f for f in _named_values(contract, config) if is_value(f))]


def is_value(function: AbiFunction) -> bool:
    """Whether a function has the shape of a value that can be maximized."""
    return not function.inputs.members and type_name(function.outputs) == "(int256)"


def _named_values(contract: Contract, config: CampaignConfig) -> list[AbiFunction]:
    """Return the functions with the prefix of values, but not that of properties."""
    return [
        f
        for f in functions_of(contract.abi)
        if config.value_prefix and has_prefix(f.name, config.value_prefix)
        if not has_prefix(f.name, config.prefix)
    ]


def misshapen_values(contract: Contract, config: CampaignConfig) -> list[AbiFunction]:
    """Return what is named as a value is, and can't be one."""
    return [f for f in _named_values(contract, config) if not is_value(f)]


def asked_functions(
    contract: Contract, config: CampaignConfig
) -> list[tuple[str, list[AbiFunction]]]:
    """Return what is asked about the state, by the prefix that tells so."""
    return [
        (config.prefix, prefixed_functions(contract, config)),
        (config.value_prefix, value_functions(contract, config)),
    ]


def never_called(contract: Contract, config: CampaignConfig) -> frozenset[str]:
    """Return the signatures no sequence calls: properties, and what is Foundry's."""
    if config.checks("stateless"):
        return frozenset(
            f.signature
            for f in functions_of(contract.abi)
            if foundry_kind(f) in (None, "invariant")
            or (config.tests and f.signature not in config.tests)
        )
    if config.checks("invariant"):
        functions = functions_of(contract.abi)
        return frozenset(f.signature for f in functions if is_reserved(f))
    asked = {f.signature for _, each in asked_functions(contract, config) for f in each}
    return frozenset(asked | (RESERVED if is_foundry_test(contract) else set()))


def callees_of(
    program: Program, config: CampaignConfig, world: World
) -> tuple[Callee, ...]:
    """Return what is called; the target comes first, though it may have no functions.

    Raises:
        TargetError: there is no function that can be called.
    """
    placements = _placements(program, config, world)
    contracts = program.named
    qualifiers = _qualifiers([(contracts[p.contract], p) for p in placements])
    wanted = [_functions(contracts[p.contract], p, config) for p in placements]
    deployed = [each.address is not None for each in placements]
    if not any(compress(wanted, deployed)):
        wanted = [
            [raw_fallback()] if _is_asked_only(contracts[p.contract], p, config) else f
            for p, f in zip(placements, wanted, strict=True)
        ]
    callees: list[Callee] = []
    for placement, qualifier, functions in zip(
        placements, qualifiers, wanted, strict=True
    ):
        contract = contracts[placement.contract]
        if functions or not callees:
            callees.append(
                Callee(
                    contract,
                    placement.address,
                    qualifier,
                    tuple(f.of(contract.name, qualifier) for f in functions),
                    placement.tested,
                )
            )
    if not any(c.functions for c in callees if c.address is not None):
        names = ", ".join(callee.contract.name for callee in callees)
        raise TargetError(
            f"{names} has no function that can be called; "
            "check --contract and filterFunctions."
        )
    return tuple(callees)


def _placements(
    program: Program, config: CampaignConfig, world: World
) -> list[Placement]:
    """Return the target's placement, then the others, each once."""
    at_target = [
        replace(p, tested=p.tested or p.contract == program.main)
        for p in world.placements
        if p.address == config.contract_addr
    ]
    # A target that its own getters leave out has tests, and no calls.
    selectors = () if world.placements else None
    default = Placement(
        contract=program.main,
        address=config.contract_addr,
        selectors=selectors,
        tested=True,
    )
    others = [p for p in world.placements if p.address != config.contract_addr]
    return [*(at_target or [default]), *others]


def _functions(
    contract: Contract, placement: Placement, config: CampaignConfig
) -> Sequence[AbiFunction]:
    left_out = never_called(contract, config)
    return [
        f
        for f in functions_of(contract.abi)
        if f.signature not in left_out
        and _wanted(f, contract.name, config)
        and (placement.selectors is None or f.selector in placement.selectors)
    ]


def _is_asked_only(
    contract: Contract, placement: Placement, config: CampaignConfig
) -> bool:
    """Whether a contract has properties and nothing else.

    As in Echidna, its fallback is called then: time passes and properties are asked.
    """
    asked = {f.signature for _, each in asked_functions(contract, config) for f in each}
    reserved = RESERVED if is_foundry_test(contract) else ()
    everything = sum(f.signature not in reserved for f in functions_of(contract.abi))
    return 0 < len(asked) == everything and placement.selectors is None


def _wanted(function: AbiFunction, contract: str, config: CampaignConfig) -> bool:
    if config.exclude_view_pure and function.read_only:
        return False
    listed = f"{contract}.{function.signature}" in config.filter_functions
    return listed != config.filter_blacklist


def _qualifiers(placed: Sequence[tuple[Contract, Placement]]) -> list[str]:
    if len(placed) == 1:
        return [""]
    deployed = Counter(c.name for c, p in placed if p.address is not None)
    created: Counter[str] = Counter()
    found = []
    for contract, placement in placed:
        name = contract.name
        if placement.address is None:
            created[name] += 1
            # Several files may have a contract of one name.
            more = f"~{created[name]}" if created[name] > 1 else ""
            found.append(f"{name}{more}#n")
        elif deployed[name] > 1:
            found.append(f"{name}@0x{placement.address:040x}")
        else:
            found.append(name)
    return found

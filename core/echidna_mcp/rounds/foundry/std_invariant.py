"""What a Foundry test contract wants to have called: the getters of StdInvariant.

Source: Foundry's invariant executor, its order of precedence (artifacts, contracts,
interfaces, selectors, senders). A getter that reverts or is not there says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.errors import TargetError
from echidna_mcp.evm.backend import EvmBackend
from echidna_mcp.program.creatable import creatable
from echidna_mcp.program.foundry_tests import RESERVED, is_reserved
from echidna_mcp.program.main_contract import contracts_named, no_such_contract
from echidna_mcp.program.model import Contract
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.program.world import Placement, World
from echidna_mcp.rounds.foundry.asking import answer_of

_GETTERS: Final[Mapping[str, str]] = {
    "targetArtifactSelectors": "((string,bytes4[])[])",
    "excludeArtifacts": "(string[])",
    "targetArtifacts": "(string[])",
    "targetContracts": "(address[])",
    "excludeContracts": "(address[])",
    "targetInterfaces": "((address,string[])[])",
    "targetSelectors": "((address,bytes4[])[])",
    "excludeSelectors": "((address,bytes4[])[])",
    "targetSenders": "(address[])",
    "excludeSenders": "(address[])",
}
"""Names and what they return."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """An account whose code is that of a contract of the program, or of its proxy."""

    address: int
    contract: Contract


def may_choose_targets(target: FuzzTarget) -> bool:
    """Whether the target is a test contract whose getters, or their lack, count."""
    names = {f.signature for f in functions_of(target.program.main_contract.abi)}
    if target.config.of_foundry:
        return target.config.checks("invariant")
    match target.config.std_invariant:
        case "never":
            return False
        case "always":
            return "IS_TEST()" in names
        case None:
            has_getter = any(f"{name}()" in names for name in _GETTERS)
            return "IS_TEST()" in names and has_getter
        case _ as never:
            assert_never(never)


def chosen_world(
    evm: EvmBackend, target: FuzzTarget, deployed: Sequence[Deployed]
) -> World | None:
    """Return what the target wants to have called; None if it does not say.

    Args:
        evm: in the start state, which stays.
        target: its plan has been carried out.
        deployed: what is there.

    Raises:
        TargetError: it names what is not there, or leaves nothing to call.
    """
    answers = {
        function.name: _ask(evm, target, function)
        for function in functions_of(target.program.main_contract.abi)
        if _GETTERS.get(function.name) == type_name(function.outputs)
        and not function.inputs.members
    }
    always = target.config.std_invariant == "always" or target.config.of_foundry
    if not always and not any(answers.values()):
        return None
    return _Choice(target, deployed, answers).world()


def _ask(evm: EvmBackend, target: FuzzTarget, getter: AbiFunction) -> tuple[Any, ...]:
    answer = answer_of(evm, target, getter.selector, getter.outputs)
    if answer is None:
        return ()
    (chosen,) = answer
    assert isinstance(chosen, tuple), "all getters return arrays"
    return chosen


class _Choice:
    """The answers of the getters, and what follows from them."""

    def __init__(
        self,
        target: FuzzTarget,
        deployed: Sequence[Deployed],
        answers: Mapping[str, tuple[Any, ...]],
    ) -> None:
        self._target = target
        self._program = target.program
        self._main = target.config.contract_addr
        self._deployed = deployed
        self._answers = answers
        self._excluded = self._artifacts("excludeArtifacts")
        self._wanted = {
            **dict.fromkeys(
                name
                for name in self._artifacts("targetArtifacts")
                if name not in self._excluded
            ),
            **self._artifact_selectors(),
        }
        """By qualified name, selectors; None for all."""

    def world(self) -> World:
        """Return what is called, and by whom."""
        placements = self._contracts()
        self._take_interfaces(placements)
        self._take_selectors(placements)
        self._refuse_unknown_selectors(placements)
        found = [self._effective(each) for each in placements]
        if not self._of("targetContracts"):
            called = any(each.address == self._main for each in found)
            created = self._created(called=called)
            found += [self._effective(each) for each in created]
        found = [each for each in found if each.selectors]
        if not any(each.address is not None for each in found):
            raise TargetError(
                f"{self._program.main_contract.name} leaves no contract to be called: "
                "its setUp() must deploy one, or targetContract() name one that has a "
                "function which changes state; its own functions are called if it "
                "names itself, or with stdInvariant: never."
            )
        senders, excluded = self._senders()
        return World(
            placements=tuple(found), senders=senders, excluded_senders=excluded
        )

    def _of(self, getter: str) -> tuple[Any, ...]:
        return self._answers.get(getter, ())

    # ------------------------------------------------------------------- artifacts

    def _artifact(self, written: str, others: tuple[Contract, ...] = ()) -> Contract:
        contracts = (*self._program.contracts, *others)
        found = contracts_named(written, contracts)
        if len(found) != 1:
            raise no_such_contract(
                written, found, contracts, f"{self._program.main_contract.name}: "
            )
        return found[0]

    def _artifacts(self, getter: str) -> list[str]:
        return [self._artifact(_text(x)).qualified_name for x in self._of(getter)]

    def _artifact_selectors(self) -> dict[str, tuple[bytes, ...]]:
        found: dict[str, tuple[bytes, ...]] = {}
        for written, selectors in self._of("targetArtifactSelectors"):
            contract = self._artifact(_text(written))
            name = contract.qualified_name
            self._refuse_unknown(contract, selectors)
            found[name] = (*found.get(name, ()), *selectors)
        return found

    def _fits(self, contract: Contract) -> bool:
        name = contract.qualified_name
        return name in self._wanted or not (self._wanted or name in self._excluded)

    # ------------------------------------------------------------------- contracts

    def _contracts(self) -> list[Placement]:
        wanted, unwanted = self._of("targetContracts"), self._of("excludeContracts")
        return [
            Placement(
                contract=each.contract.qualified_name,
                address=each.address,
                selectors=self._wanted.get(each.contract.qualified_name),
            )
            for each in self._deployed
            if (each.address in wanted or (not wanted and each.address != self._main))
            and each.address not in unwanted
            and (self._fits(each.contract) or each.address == self._main)
        ]

    def _created(self, *, called: bool) -> list[Placement]:
        """Return what calls may create; the target does if it is called itself."""
        contracts = self._program.named
        parents = dict.fromkeys(
            each.contract.qualified_name
            for each in self._deployed
            if called or each.address != self._main
        )
        codes = [contracts[name].runtime_code for name in parents]
        return [
            Placement(
                contract=each.qualified_name,
                selectors=self._wanted.get(each.qualified_name),
            )
            for each in creatable(self._program, codes)
            if self._fits(each)
        ]

    def _take_interfaces(self, placements: list[Placement]) -> None:
        for address, names in self._of("targetInterfaces"):
            placements[:] = [each for each in placements if each.address != address]
            artifacts = [
                self._artifact(_text(name), self._program.interfaces) for name in names
            ]
            placements += [
                Placement(contract=each.qualified_name, address=address)
                for each in artifacts
            ]

    def _take_selectors(self, placements: list[Placement]) -> None:
        chosen: dict[int, tuple[bytes, ...]] = {}
        for address, selectors in self._of("targetSelectors"):
            chosen[address] = (*chosen.get(address, ()), *selectors)
        for address, selectors in chosen.items():
            if not any(each.address == address for each in placements):
                placements.append(self._placement(address))
            for number, each in enumerate(placements):
                if each.address == address:
                    placements[number] = Placement(
                        contract=each.contract, address=address, selectors=selectors
                    )

    def _placement(self, address: int) -> Placement:
        for each in self._deployed:
            if each.address == address:
                return Placement(contract=each.contract.qualified_name, address=address)
        raise TargetError(
            f"{self._program.main_contract.name} targets selectors of "
            f"0x{address:040x}, where no contract of the project is deployed."
        )

    # ------------------------------------------------------------------- functions

    def _refuse_unknown_selectors(self, placements: Sequence[Placement]) -> None:
        """Refuse selectors that nothing at their address has, as forge does."""
        for getter in ("targetSelectors", "excludeSelectors"):
            for address, selectors in self._of(getter):
                for each in placements:
                    if each.address == address:
                        contract = self._program.named[each.contract]
                        self._refuse_unknown(contract, selectors)

    def _refuse_unknown(self, contract: Contract, selectors: Sequence[bytes]) -> None:
        known = {function.selector for function in functions_of(contract.abi)}
        for selector in selectors:
            if selector not in known:
                raise TargetError(
                    f"{self._program.main_contract.name} names the selector "
                    f"0x{selector.hex()}, which no function of {contract.name} has."
                )

    def _effective(self, placement: Placement) -> Placement:
        """Return it with all its selectors: the chosen ones, or what changes state."""
        contract = self._program.named[placement.contract]
        unwanted = {
            selector
            for address, selectors in self._of("excludeSelectors")
            if address == placement.address
            for selector in selectors
        }
        chosen = placement.selectors
        return Placement(
            contract=placement.contract,
            address=placement.address,
            selectors=tuple(
                function.selector
                for function in functions_of(contract.abi)
                if function.kind == "function"
                and function.selector not in unwanted
                and not (placement.address == self._main and self._reserves(function))
                and (
                    function.selector in chosen
                    if chosen is not None
                    else not function.read_only
                )
            ),
            # An assertion in a handler is a finding of its own.
            tested=self._target.config.checks("assertion")
            or self._target.config.checks("invariant"),
        )

    def _reserves(self, function: AbiFunction) -> bool:
        """Whether a function of the target is there for Foundry alone."""
        if self._target.config.of_foundry:
            return is_reserved(function)
        return function.signature in RESERVED

    def _senders(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return who calls, if that is said, and else who does not, if any may."""
        unwanted = self._of("excludeSenders")
        asked = dict.fromkeys(self._of("targetSenders"))
        chosen = [each for each in asked if each not in unwanted]
        if chosen:
            return tuple(chosen), ()
        if self._target.config.any_sender and self._target.config.of_foundry:
            return (), tuple(dict.fromkeys(unwanted))
        rest = [each for each in self._target.config.senders if each not in unwanted]
        if not rest:
            raise TargetError(
                f"{self._program.main_contract.name} excludes all senders; name others "
                "with sender, or with targetSender()."
            )
        everyone = len(rest) == len(self._target.config.senders)
        return () if everyone else tuple(rest), ()


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

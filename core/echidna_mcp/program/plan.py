"""The deployment plan: from an empty chain to the world that is fuzzed.

A function of program and config. It is stored in `CampaignStarted`, shown by
`--dry-run`, and carried out by `rounds.deployment`, on every backend alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import TargetError
from echidna_mcp.program.arguments import constructor_arguments, needs_arguments
from echidna_mcp.program.foundry_tests import SET_UP
from echidna_mcp.program.linking import libraries_of, linked_creation_code
from echidna_mcp.program.main_contract import contracts_named, no_such_contract
from echidna_mcp.program.model import Contract, Program

Role: TypeAlias = Literal["library", "deployContracts", "deployBytecodes", "target"]

FIRST_LIBRARY = 0x1000
"""Address of the first library that nobody gave one."""
ZERO_ARGUMENTS = 320
"""Zeros behind the creation code of what has arguments that nobody gave (Echidna)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One contract that is deployed.

    Attributes:
        role: why.
        contract: it; None for `deployBytecodes`.
        code: creation code, linked, with the arguments behind it.
        arguments: those arguments.
        value: wei that is sent along.
        libraries: addresses of the libraries that it calls, by qualified name.
    """

    role: Role
    contract: Contract | None
    address: int
    code: bytes
    arguments: bytes = b""
    value: int = 0
    libraries: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        if self.contract is None:
            return f"the code of deployBytecodes at 0x{self.address:040x}"
        return self.contract.name

    def to_json(self) -> dict[str, Any]:
        """Return what the event log and people are told; amounts are decimal texts."""
        told: dict[str, Any] = {"role": self.role, "address": f"0x{self.address:040x}"}
        if self.contract is None:
            told["code"] = f"0x{self.code.hex()}"
        else:
            told["contract"] = self.contract.qualified_name
        if self.arguments:
            told["arguments"] = f"0x{self.arguments.hex()}"
        if self.value:
            told["value"] = str(self.value)
        if self.libraries:
            told["libraries"] = {name: f"0x{at:040x}" for name, at in self.libraries}
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens before the first sequence, in order.

    Attributes:
        deployments: the target comes last.
        set_up: whether the target's `setUp()` is called then.
    """

    deployments: tuple[Deployment, ...]
    set_up: bool

    def to_json(self) -> dict[str, Any]:
        """Return JSON values for the event log and for people."""
        return {
            "deployments": [each.to_json() for each in self.deployments],
            "setUp": self.set_up,
        }


def plan_of(program: Program, config: CampaignConfig) -> Plan:
    """Decide what is deployed where (Echidna's order: libraries, then what it lists).

    Raises:
        TargetError: a name is unknown, an argument or a library is missing, two
            contracts are to have one address, or a library two.
    """
    main = program.main_contract
    listed = [
        (address, _named(program, name, "deployContracts"))
        for address, name in config.deploy_contracts
    ]
    roots = [main, *(contract for _, contract in listed)]
    needed = _in_stated_order(libraries_of(program, roots), program)
    addresses = _library_addresses(program, config, needed, listed)
    elsewhere = {contract.qualified_name for _, contract in listed}
    builder = _Builder(program, config, addresses)
    deployments = [
        *(
            builder.deployment("library", each, addresses[each.qualified_name])
            for each in needed
            if each.qualified_name not in elsewhere
        ),
        *(
            builder.deployment("deployContracts", contract, address)
            for address, contract in listed
        ),
        *(
            Deployment(
                role="deployBytecodes",
                contract=None,
                address=address,
                code=bytes.fromhex(code) + bytes(ZERO_ARGUMENTS),
            )
            for address, code in config.deploy_bytecodes
        ),
        builder.deployment("target", main, config.contract_addr),
    ]
    builder.refuse_unused()
    _refuse_shared_addresses(deployments)
    functions = {
        f"{entry['name']}()"
        for entry in main.abi
        if entry["type"] == "function" and not entry["inputs"]
    }
    calling = {SET_UP} if config.of_foundry else {"IS_TEST()", SET_UP}
    return Plan(deployments=tuple(deployments), set_up=calling <= functions)


class _Builder:
    """Makes deployments; each may name those before it in its arguments."""

    def __init__(
        self, program: Program, config: CampaignConfig, addresses: Mapping[str, int]
    ) -> None:
        self._config = config
        self._addresses = addresses
        self._deployed: dict[str, int] = {}
        self._written: dict[str, str] = {}
        self._used: set[str] = set()
        for name, written in config.constructor_args:
            meant = _named(program, name, "constructorArgs").qualified_name
            if meant in self._written:
                raise TargetError(
                    f"constructorArgs gives those of {meant} twice; leave one out."
                )
            self._written[meant] = written

    def deployment(self, role: Role, contract: Contract, address: int) -> Deployment:
        arguments = self._arguments(role, contract)
        self._deployed[contract.name] = address
        self._deployed[contract.qualified_name] = address
        value = self._config.balance_contract if role == "target" else 0
        return Deployment(
            role=role,
            contract=contract,
            address=address,
            code=linked_creation_code(contract, self._addresses) + arguments,
            arguments=arguments,
            value=value,
            libraries=tuple(
                (x.library, self._addresses[x.library]) for x in contract.links
            ),
        )

    def _arguments(self, role: Role, contract: Contract) -> bytes:
        written = self._written.get(contract.qualified_name)
        if written is not None:
            self._used.add(contract.qualified_name)
            return constructor_arguments(contract, written, self._deployed)
        if not needs_arguments(contract):
            return b""
        if role == "target":
            raise TargetError(
                f"The constructor of {contract.name} takes arguments; give them with "
                "--constructor-args (constructorArgs), or fuzz a contract that "
                "deploys it."
            )
        return bytes(ZERO_ARGUMENTS)

    def refuse_unused(self) -> None:
        """Refuse arguments for what is not deployed.

        Raises:
            TargetError: there are some.
        """
        for name in self._written:
            if name not in self._used:
                raise TargetError(
                    f"constructorArgs names {name}, which is not deployed by the plan; "
                    "list it in deployContracts, or leave it out."
                )


def _named(program: Program, name: str, key: str) -> Contract:
    """Return the contract that an entry of the configuration names.

    Raises:
        TargetError: there is none, or there are several.
    """
    found = contracts_named(name, program.contracts)
    if len(found) == 1:
        return found[0]
    raise no_such_contract(name, found, program.contracts, f"{key}: ")


def _in_stated_order(
    libraries: Sequence[Contract], program: Program
) -> Sequence[Contract]:
    """Return libraries in the order of the artifact, if it has them all."""
    order = {name: n for n, (name, _) in enumerate(program.library_addresses)}
    if not all(library.qualified_name in order for library in libraries):
        return libraries
    return sorted(libraries, key=lambda library: order[library.qualified_name])


def _library_addresses(
    program: Program,
    config: CampaignConfig,
    needed: Sequence[Contract],
    listed: Sequence[tuple[int, Contract]],
) -> dict[str, int]:
    """Return the addresses of libraries.

    As stated, as listed, as the artifact says, else the next free.
    """
    addresses = {contract.qualified_name: address for address, contract in listed}
    for name, address in config.libraries:
        linked = _named(program, name, "libraries").qualified_name
        if addresses.setdefault(linked, address) != address:
            raise TargetError(
                f"{linked} is linked at 0x{address:040x} (--compile-libraries), but "
                f"deployContracts puts it at 0x{addresses[linked]:040x}; give it one "
                "address."
            )
    for name, address in program.library_addresses:
        if any(library.qualified_name == name for library in needed):
            addresses.setdefault(name, address)
    taken = {
        *addresses.values(),
        *(address for address, _ in config.deploy_bytecodes),
        *(config.contract_addr, config.deployer, config.psender, *config.senders),
    }
    following = FIRST_LIBRARY
    for library in sorted(needed, key=lambda contract: contract.qualified_name):
        if library.qualified_name not in addresses:
            while following in taken:
                following += 1
            addresses[library.qualified_name] = following
            following += 1
    return addresses


def _refuse_shared_addresses(deployments: Iterable[Deployment]) -> None:
    taken: dict[int, Deployment] = {}
    for each in deployments:
        other = taken.setdefault(each.address, each)
        if other is not each:
            raise TargetError(
                f"{each.name} and {other.name} are both to be deployed at "
                f"0x{each.address:040x}; give one of them another address "
                "(contractAddr, deployContracts, deployBytecodes)."
            )

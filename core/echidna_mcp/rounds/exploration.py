"""Which contracts of the start state are called, where the target is not alone.

Once a campaign is deployed, its accounts are matched to contracts of the program by
their code, and a Foundry test contract is asked what it wants to have called. The
answer is stored in `CampaignStarted`; nobody has to look again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eth_hash.auto import keccak

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import TargetError
from echidna_mcp.evm.backend import EvmBackend
from echidna_mcp.evm.outside import Outside, Source
from echidna_mcp.program.creatable import creatable
from echidna_mcp.program.identity import CodeIndex, runtime_key
from echidna_mcp.program.linking import is_library_code
from echidna_mcp.program.main_contract import contracts_named, no_such_contract
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.plan import plan_of
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.program.world import ALONE, Placement, World
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.rounds.foundry.fixtures import fixtures_of, has_fixtures
from echidna_mcp.rounds.foundry.std_invariant import (
    Deployed,
    chosen_world,
    may_choose_targets,
)
from echidna_mcp.rounds.foundry.steps import may_have_steps, steps_of

_CLONE_HEAD = bytes.fromhex("363d3d373d3d3d363d73")
_CLONE_TAIL = bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
"""Code of a minimal proxy; between is the address of its implementation (EIP-1167)."""
_IMPLEMENTATION_SLOT = (
    int.from_bytes(keccak(b"eip1967.proxy.implementation"), "big") - 1
)
"""Where a proxy keeps the address of its implementation (EIP-1967)."""


def explored_target(
    program: Program,
    config: CampaignConfig,
    backend: BackendPlugin,
    source: Source | None = None,
) -> FuzzTarget:
    """Return the target of a campaign that begins, with all that is called.

    Deploys it once if there may be more than the target.

    Args:
        program: what was compiled.
        config: what is asked for.
        backend: what it is deployed on.
        source: answers what the deployment and getters ask the outside for; the target
            remembers it. None if they ask for nothing.

    Raises:
        TargetError, ConfigError: see `build_target`; or what is asked for is not there.
        DeploymentError: a constructor, `setUp()`, or a step after it failed.
    """
    # Nothing is decided yet but what is deployed.
    undecided = FuzzTarget(program, config, plan_of(program, config), ALONE, (), (), ())
    if not _may_have_others(undecided):
        return build_target(program, config)
    backend.load()
    outside = Outside(source=source)
    evm, _ = deployed_world(backend, undecided, outside)
    world = ALONE if config.checks("stateless") else _world(evm, undecided)
    if config.of_foundry:
        world = replace(world, fixtures=fixtures_of(evm, undecided))
    if may_have_steps(undecided):
        world = replace(world, steps=steps_of(evm, undecided))
    if world.steps:
        # They may fail, and ask the outside as well.
        deployed_world(backend, replace(undecided, world=world), outside)
    world = replace(world, answers=tuple(outside.answers))
    return build_target(program, config, world)


def _may_have_others(target: FuzzTarget) -> bool:
    config = target.config
    if config.of_foundry and has_fixtures(target):
        return True
    if config.checks("stateless"):
        return may_have_steps(target)
    listed = config.all_contracts or config.test_all_contracts
    return bool(listed or config.target_contracts) or may_choose_targets(target)


def _world(evm: EvmBackend, target: FuzzTarget) -> World:
    """Return what is called.

    That is what `targetContracts` names; else what the target's getters choose; else
    all that is there, if that is wanted.
    """
    config = target.config
    deployed = list(deployed_contracts(evm, target))
    everything = config.all_contracts or config.test_all_contracts
    if config.target_contracts:
        chosen = _listed(target, deployed)
    elif may_choose_targets(target) and (asked := chosen_world(evm, target, deployed)):
        return asked
    elif everything:
        chosen = deployed
    else:
        return ALONE
    placements = [
        Placement(
            contract=each.contract.qualified_name,
            address=each.address,
            tested=config.test_all_contracts
            or bool(config.target_contracts)
            or each.address == config.contract_addr,
        )
        for each in chosen
    ]
    created = created_contracts(target.program, deployed) if everything else []
    placements += [
        Placement(contract=each.qualified_name, tested=config.test_all_contracts)
        for each in created
    ]
    return World(placements=tuple(placements))


def _listed(target: FuzzTarget, deployed: Sequence[Deployed]) -> list[Deployed]:
    """Return the target and what `targetContracts` names.

    Raises:
        TargetError: a name means no contract, or one that is not deployed.
    """
    config, program = target.config, target.program
    wanted = {program.main}
    for name in config.target_contracts:
        found = contracts_named(name, program.contracts)
        if len(found) != 1:
            raise no_such_contract(name, found, program.contracts, "targetContracts: ")
        wanted.add(found[0].qualified_name)
        if not any(each.contract is found[0] for each in deployed):
            raise TargetError(
                f"targetContracts names {name}, which is not deployed; list it in "
                "deployContracts, or leave it out."
            )
    return [each for each in deployed if each.contract.qualified_name in wanted]


def deployed_contracts(evm: EvmBackend, target: FuzzTarget) -> Iterator[Deployed]:
    """Yield what can be called in the start state, by address; no libraries.

    What the plan deploys is known by the plan, all else by its code. A proxy (EIP-1167,
    EIP-1967) is known as what it stands for.
    """
    contracts = {runtime_key(each): each for each in target.program.contracts}
    planned = {each.address: each.contract for each in target.plan.deployments}
    index = CodeIndex(target.program)
    codes = {address: each.code for address, each in evm.accounts() if each.code}

    def known_as(address: int) -> Contract | None:
        code = codes.get(address, b"")
        return planned.get(address) or contracts.get(index.key(keccak(code), code))

    for address, code in codes.items():
        implementation = _implementation(evm, address, code)
        contract = known_as(implementation) if implementation else None
        contract = contract or known_as(address)
        if contract is not None and not is_library_code(contract.runtime_code):
            yield Deployed(address, contract)


def _implementation(evm: EvmBackend, address: int, code: bytes) -> int:
    """Return the address of what a proxy stands for, 0 if it is none."""
    head, tail = _CLONE_HEAD, _CLONE_TAIL
    is_clone = code.startswith(head) and code.endswith(tail)
    if is_clone and len(code) == len(head) + 20 + len(tail):
        return int.from_bytes(code[len(head) : -len(tail)], "big")
    return evm.storage(address, _IMPLEMENTATION_SLOT)


def created_contracts(program: Program, deployed: Sequence[Deployed]) -> list[Contract]:
    """Return what sequences can create by calling what is deployed."""
    parents = dict.fromkeys(each.contract.qualified_name for each in deployed)
    codes = [program.named[name].runtime_code for name in parents]
    return creatable(program, codes)

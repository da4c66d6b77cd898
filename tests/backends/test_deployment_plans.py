"""Plans are carried out alike on both EVMs, and as unmodified py-evm does."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest
from campaigns import small_config
from eth._utils.address import generate_contract_address
from plain_py_evm import PlainPyEvm
from random_deployments import HEADER, random_deployable
from solc import compile_solidity

from echidna_mcp.evm.backend import BlockContext, EvmBackend
from echidna_mcp.evm.fork import HISTORY_ADDRESS
from echidna_mcp.evm.outside import Outside
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.program.model import Program
from echidna_mcp.program.plan import plan_of
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.rounds.deployment import deploy, empty_world

PROGRAMS = 60
TOGETHER = 20
"""Programs in one compilation."""

pytestmark = [pytest.mark.solc, pytest.mark.digests]


@cache
def compiled(batch: int) -> Program:
    seeds = range(batch * TOGETHER, (batch + 1) * TOGETHER)
    sources = [HEADER, *(random_deployable(seed).source for seed in seeds)]
    return compile_solidity(
        "\n".join(sources),
        f"Main{batch * TOGETHER}",
        solc_args="--evm-version prague",
    )


def target_of(seed: int) -> FuzzTarget:
    """Return a target that lies where a chain would put it, one after the other."""
    program = replace(compiled(seed // TOGETHER), main=f"Test.sol:Main{seed}")
    given = random_deployable(seed).arguments
    config = small_config(
        test_mode="exploration",
        evm_version="prague",
        balance_contract=seed % 3 * 10**18,
        constructor_args=((f"Main{seed}", json.dumps(given)),),
        deploy_contracts=((1 << 80, "Logic"),),
    )
    order = [
        each.contract.qualified_name for each in plan_of(program, config).deployments
    ]
    deployer = config.deployer.to_bytes(20, "big")
    places = {
        name: int.from_bytes(generate_contract_address(deployer, nonce), "big")
        for nonce, name in enumerate(order)
    }
    libraries = [name for name in order if ":L" in name and "Logic" not in name]
    return build_target(
        program,
        replace(
            config,
            libraries=tuple((name, places[name]) for name in libraries),
            deploy_contracts=((places["Test.sol:Logic"], "Logic"),),
            contract_addr=places[program.main],
        ),
    )


def deployed(target: FuzzTarget, backend: str) -> EvmBackend:
    world = empty_world(PluginManager.load().backends[backend], target, Outside())
    deploy(world, target)
    return world


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_plan_makes_the_same_world_everywhere(seed: int):
    target = target_of(seed)
    native, reference = deployed(target, "native"), deployed(target, "py-evm")
    accounts = dict(native.accounts())
    assert accounts == dict(reference.accounts())
    plain = PlainPyEvm(BlockContext(), [target.config.deployer], "prague")
    for each in target.plan.deployments:
        done, _ = plain.run(
            target.config.deployer, None, each.code, each.value, 30_000_000
        )
        assert not done.is_error
        assert int.from_bytes(done.msg.storage_address, "big") == each.address
    with_code = {at: state for at, state in accounts.items() if state.code}
    assert len(with_code) > len(target.plan.deployments)
    for address, state in with_code.items():
        if address == HISTORY_ADDRESS:
            continue  # A plain chain has it only where it is installed.
        assert plain.code(address) == state.code
        assert plain.nonce(address) == state.nonce
        assert plain.balance(address) == state.balance
        for slot, word in state.storage.items():
            assert plain.storage(address, slot) == word


def test_the_programs_have_everything_that_is_to_be_compared():
    plans = [target_of(seed).plan for seed in range(PROGRAMS)]
    chains = [
        each
        for plan in plans
        for each in plan.deployments
        if each.role == "library" and each.libraries
    ]
    assert len(chains) > 15
    assert sum(bool(plan.deployments[-1].arguments) for plan in plans) > 30
    text = " ".join(random_deployable(seed).source for seed in range(PROGRAMS))
    for what in (
        "salt:",
        "new Proxy",
        "clone(address(this))",
        "Deep memory",
        "bool[2]",
    ):
        assert text.count(what) > 3, what

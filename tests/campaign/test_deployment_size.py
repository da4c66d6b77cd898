"""A deployment that codeSize does not allow, on both EVMs."""

from __future__ import annotations

import pytest
from campaigns import small_config
from command_line import POKE, RETURN_TRUE
from evm_assembler import creation_code

from echidna_mcp.errors import DeploymentError
from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.deployment import deploy


def deployed(backend: str, limit: int, *, padding: int = 0, creation: int = 0) -> None:
    """Deploy a contract with `padding` bytes of runtime code more than it needs."""
    runtime = RETURN_TRUE + bytes(padding)
    contract = Contract(
        name="Large",
        source="Large.sol",
        abi=(POKE,),
        creation_code=creation_code(runtime) + bytes(creation),
        runtime_code=runtime,
    )
    program = Program(
        compiler="none", main="Large.sol:Large", sources=(), contracts=(contract,)
    )
    target = build_target(
        program, small_config(code_size=limit, test_mode="exploration")
    )
    plugin = PluginManager.load().backends[backend]
    deploy(plugin.create(BackendConfig(max_code_size=limit)), target)


@pytest.mark.parametrize("backend", ["native", "py-evm"])
def test_runtime_code_that_is_too_large_is_named_with_size_and_limit(backend):
    size = len(RETURN_TRUE) + 100
    deployed(backend, size, padding=100)
    with pytest.raises(DeploymentError) as caught:
        deployed(backend, size - 1, padding=100)
    assert caught.value.message == (
        f"Large can't be deployed: its runtime code has {size} bytes, but codeSize "
        f"allows {size - 1}; raise codeSize, which is {size - 1}, or make the contract "
        "smaller."
    )


@pytest.mark.parametrize("backend", ["native", "py-evm"])
def test_creation_code_may_be_twice_as_large(backend):
    whole = len(creation_code(RETURN_TRUE))
    deployed(backend, 200, creation=400 - whole)
    with pytest.raises(DeploymentError) as caught:
        deployed(backend, 200, creation=401 - whole)
    assert "its creation code has 401 bytes, but codeSize allows 400" in (
        caught.value.message
    )

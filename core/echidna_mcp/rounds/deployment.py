"""From an empty world to the start state of every call sequence (Echidna §2.1)."""

from __future__ import annotations

from echidna_mcp.abi.revert import revert_reason
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import DeploymentError
from echidna_mcp.evm.backend import (
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.fork import system_contracts
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin

_DEPLOY_GAS = 0xFFFFFFFF


def empty_world(backend: BackendPlugin, config: CampaignConfig) -> EvmBackend:
    """Make the EVM that a campaign asks for, for tasks and for confirmations alike."""
    return backend.create(
        BackendConfig(max_code_size=config.code_size, fork=config.evm_version)
    )


def deploy(backend: EvmBackend, target: FuzzTarget) -> CallResult:
    """Fund the accounts, deploy the target, run `setUp()` of a Foundry test contract.

    Before all else the world gets what every chain of the fork holds.

    Returns:
        The result of the deployment, with coverage of the constructor.

    Raises:
        DeploymentError: the constructor or `setUp()` failed; the message says why.
    """
    config = target.config
    main = target.program.main_contract
    for address, code in system_contracts(config.evm_version).items():
        backend.set_account(address, nonce=1, code=code)
    for address in dict.fromkeys((config.deployer, *config.senders)):
        backend.set_balance(address, config.balance_addr)
    result = backend.deploy(
        Message(
            sender=config.deployer,
            to=None,
            data=main.creation_code,
            value=config.balance_contract,
            gas=_DEPLOY_GAS,
        ),
        Watch(coverage=True, edges=config.edges),
        address=config.contract_addr,
    )
    if not result.status.succeeded:
        _refuse_large_code(result, target)
        raise DeploymentError(
            f"The constructor of {main.name} failed: {_why(result, target)}. It runs "
            f"as 0x{config.deployer:x} with {config.balance_contract} wei "
            "(deployer, balanceContract)."
        )
    _set_up(backend, target)
    return result


def _refuse_large_code(result: CallResult, target: FuzzTarget) -> None:
    """Say that the code is too large, where an EVM says that gas ran out (EIP-170)."""
    if result.status is not Status.OUT_OF_GAS:
        return
    main, limit = target.program.main_contract, target.config.code_size
    for kind, code, most in (
        ("creation", main.creation_code, 2 * limit),  # EIP-3860
        ("runtime", main.runtime_code, limit),
    ):
        if len(code) > most:
            raise DeploymentError(
                f"{main.name} can't be deployed: its {kind} code has {len(code)} "
                f"bytes, but codeSize allows {most}; raise codeSize, which is {limit}, "
                "or make the contract smaller."
            )


def _set_up(backend: EvmBackend, target: FuzzTarget) -> None:
    functions = {
        f"{entry['name']}()": entry
        for entry in target.program.main_contract.abi
        if entry["type"] == "function" and not entry["inputs"]
    }
    if not {"IS_TEST()", "setUp()"} <= functions.keys():
        return
    config = target.config
    result = backend.call(
        Message(
            sender=config.deployer,
            to=config.contract_addr,
            data=bytes.fromhex("0a9254e4"),  # setUp()
            gas=_DEPLOY_GAS,
        )
    )
    if not result.status.succeeded:
        raise DeploymentError(f"setUp() failed: {_why(result, target)}.")


def _why(result: CallResult, target: FuzzTarget) -> str:
    if result.status is Status.REVERT:
        reason = revert_reason(result.output, target.errors)
        return f"it reverted ({reason or 'no reason given'})"
    return f"it ended with {result.status.name}"

"""From an empty world to the start state of every call sequence (Echidna §2.1)."""

from __future__ import annotations

from echidna_mcp.abi.revert import revert_reason
from echidna_mcp.errors import DeploymentError
from echidna_mcp.evm.backend import CallResult, EvmBackend, Message, Status
from echidna_mcp.program.target import FuzzTarget

_DEPLOY_GAS = 0xFFFFFFFF


def deploy(backend: EvmBackend, target: FuzzTarget) -> CallResult:
    """Fund the accounts, deploy the target, run `setUp()` of a Foundry test contract.

    Returns:
        The result of the deployment, with coverage of the constructor.

    Raises:
        DeploymentError: the constructor or `setUp()` failed; the message says why.
    """
    config = target.config
    main = target.program.main_contract
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
        address=config.contract_addr,
        coverage=True,
        edges=config.edges,
    )
    if not result.status.succeeded:
        raise DeploymentError(
            f"The constructor of {main.name} failed: {_why(result, target)}. It runs "
            f"as 0x{config.deployer:x} with {config.balance_contract} wei "
            "(deployer, balanceContract)."
        )
    _set_up(backend, target)
    return result


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

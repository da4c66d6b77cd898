"""From an empty world to the start state of every call sequence (Echidna §2.1)."""

from __future__ import annotations

from dataclasses import replace

from echidna_mcp.abi.function import constructor_of, functions_of
from echidna_mcp.cheatcodes.errors import SKIP
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.errors import (
    DeploymentError,
    NotReproducibleError,
    SetUpSkippedError,
    StepFailedError,
)
from echidna_mcp.evm.backend import (
    NOTHING,
    BackendConfig,
    CallResult,
    EvmBackend,
    Message,
    Status,
    Watch,
)
from echidna_mcp.evm.fork import system_contracts
from echidna_mcp.evm.outside import Outside
from echidna_mcp.program.cheatcodes import cheat_settings
from echidna_mcp.program.foundry_tests import BEFORE_TEST
from echidna_mcp.program.plan import Deployment
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.failures.failure_path import ending, failure_path
from echidna_mcp.rounds.foundry.discarded import is_discarded, is_skipped
from echidna_mcp.wording import some

_DEPLOY_GAS = 0xFFFFFFFF
_SET_UP = bytes.fromhex("0a9254e4")
"""Selector of `setUp()`."""


def empty_world(
    backend: BackendPlugin, target: FuzzTarget, outside: Outside
) -> EvmBackend:
    """Make the EVM that a campaign asks for, for tasks and for confirmations alike."""
    config = target.config
    return backend.create(
        BackendConfig(
            block=config.block,
            max_code_size=config.code_size,
            fork=config.evm_version,
            cheats=cheat_settings(target.program, config, target.plan),
            outside=outside,
        )
    )


def deployed_world(
    plugin: BackendPlugin, target: FuzzTarget, outside: Outside
) -> tuple[EvmBackend, tuple[CallResult, ...]]:
    """Make an EVM and carry out the plan of the target.

    Args:
        plugin: makes the EVM.
        target: whose plan it is.
        outside: what its cheatcodes know, or find out, of the outside.

    Returns:
        It, and the results of the deployments, with coverage of the constructors, and
        of `setUp()` and the steps after it, if there are any.

    Raises:
        DeploymentError: a constructor, `setUp()`, or a step after it failed; the
            message says why, with the frames on the way there.
        NotReproducibleError: the outside is asked for what nobody has recorded.
    """
    evm = empty_world(plugin, target, outside)
    try:
        deployed = deploy(evm, target)
    except DeploymentError as error:
        _refuse_missing(outside)
        # An EVM that is a reference can tell its frames; others would be slower for it.
        teller = plugin.trusted
        teller.load()
        told = empty_world(teller, target, outside)
        try:
            deploy(told, target, Watch(frames=True))
        except DeploymentError as explained:
            raise explained from None
        raise error from None
    _refuse_missing(outside)
    return evm, deployed


def _refuse_missing(outside: Outside) -> None:
    if (missing := outside.missing) is not None:
        raise NotReproducibleError(
            f"The deployment asks the outside for something ({missing.text}) that the "
            "campaign has not recorded.",
            round=0,
        )


def deploy(
    backend: EvmBackend, target: FuzzTarget, watch: Watch = NOTHING
) -> tuple[CallResult, ...]:
    """Fund the accounts and carry out the plan of the target.

    Before all else the world gets what every chain of the fork holds.

    Args:
        backend: an empty world.
        target: whose plan it is.
        watch: what is to be reported besides coverage.

    Returns:
        The results of the deployments, with coverage of the constructors, and of
        `setUp()` and the steps after it, if there are any.

    Raises:
        DeploymentError: a constructor, `setUp()`, or a step after it failed; the
            message says why.
    """
    config = target.config
    for address, code in system_contracts(config.evm_version).items():
        backend.set_account(address, nonce=1, code=code)
    for address in dict.fromkeys((config.deployer, *config.senders)):
        backend.set_balance(address, config.balance_addr)
    for address, amount in config.balances:
        backend.set_balance(address, amount)
    results = tuple(
        _deploy(backend, target, each, watch) for each in target.plan.deployments
    )
    if target.plan.set_up:
        results += (_set_up(backend, target, watch),)
    for step in target.world.steps:
        results += (_take_step(backend, target, step, watch),)
    return results


def _deploy(
    backend: EvmBackend, target: FuzzTarget, deployment: Deployment, watch: Watch
) -> CallResult:
    config = target.config
    result = backend.deploy(
        Message(
            sender=config.deployer,
            to=None,
            data=deployment.code,
            value=deployment.value,
            gas=_DEPLOY_GAS,
        ),
        replace(watch, coverage=True, edges=config.edges),
        address=deployment.address,
    )
    _refuse_unsupported(result, f"The constructor of {deployment.name}", config)
    if not result.status.succeeded:
        _refuse_large_code(result, deployment, config.code_size)
        _refuse_unpayable(deployment)
        raise DeploymentError(
            f"The constructor of {deployment.name} failed: {_why(result, target)}. It "
            f"runs as 0x{config.deployer:x} with {deployment.value} wei "
            "(deployer, balanceContract)."
        )
    return result


def _refuse_large_code(result: CallResult, deployment: Deployment, limit: int) -> None:
    """Say that the code is too large, where an EVM says that gas ran out (EIP-170)."""
    if result.status is not Status.OUT_OF_GAS:
        return
    runtime = deployment.contract.runtime_code if deployment.contract else b""
    for kind, code, most in (
        ("creation", deployment.code, 2 * limit),  # EIP-3860
        ("runtime", runtime, limit),
    ):
        if len(code) > most:
            raise DeploymentError(
                f"{deployment.name} can't be deployed: its {kind} code has {len(code)} "
                f"bytes, but codeSize allows {most}; raise codeSize, which is {limit}, "
                "or make the contract smaller."
            )


def _refuse_unpayable(deployment: Deployment) -> None:
    """Say that a constructor takes no wei, where it only says that it reverted."""
    if not deployment.value or deployment.contract is None:
        return
    if not constructor_of(deployment.contract.abi).payable:
        raise DeploymentError(
            f"The constructor of {deployment.name} takes no wei, but balanceContract "
            f"sends {deployment.value}; make it payable, or leave balanceContract out."
        )


def _refuse_unsupported(
    result: CallResult,
    who: str,
    config: CampaignConfig,
    error: type[DeploymentError] = DeploymentError,
) -> None:
    """Say that cheatcodes were called that do not work."""
    if result.refused and not config.ignore_refused:
        names = [f"vm.{each.cheatcode}" for each in result.refused]
        reason = result.refused[0].reason
        rest = f" ({some(names[1:])} as well)" if names[1:] else ""
        raise error(
            f"{who} calls {names[0]}, which {reason}{rest} To go on without, give "
            "--ignore-unsupported."
        )


def _set_up(backend: EvmBackend, target: FuzzTarget, watch: Watch) -> CallResult:
    config = target.config
    result = _call_target(backend, config, _SET_UP, watch)
    _refuse_unsupported(result, "setUp()", config)
    if is_skipped(result):
        reason = result.output[len(SKIP) :].decode(errors="replace")
        raise SetUpSkippedError(f"setUp() skips all tests{reason and f': {reason}'}.")
    told = config.of_foundry and result.failed_assertion
    if not result.status.succeeded or told:
        raise DeploymentError(f"setUp() failed: {_why(result, target)}.")
    return result


def _call_target(
    backend: EvmBackend, config: CampaignConfig, data: bytes, watch: Watch
) -> CallResult:
    message = Message(
        sender=config.deployer, to=config.contract_addr, data=data, gas=_DEPLOY_GAS
    )
    return backend.call(message, watch)


def _take_step(
    backend: EvmBackend, target: FuzzTarget, step: bytes, watch: Watch
) -> CallResult:
    config = target.config
    result = _call_target(backend, config, step, watch)
    name = _step_name(target, step)
    _refuse_unsupported(result, name, config, StepFailedError)
    # What asks to be passed over is no exception: forge says that the test fails.
    if not result.status.succeeded or result.failed_assertion:
        raise StepFailedError(
            f"{name}, with which the test begins ({BEFORE_TEST}), failed: "
            f"{_why(result, target)}."
        )
    return result


def _step_name(target: FuzzTarget, step: bytes) -> str:
    """Return the signature of what a step calls, or its calldata if there is none."""
    for function in functions_of(target.program.main_contract.abi):
        if function.kind == "function" and function.selector == step[:4]:
            return function.signature
    return f"Calldata 0x{step.hex()}"


def _why(result: CallResult, target: FuzzTarget) -> str:
    if result.status.succeeded:
        return "it told that an assertion failed"
    if is_discarded(result):
        return "it asked to be passed over (vm.assume, vm.skip)"
    path = failure_path(result.frame, target)
    return path or ending(result.status, result.output, target)

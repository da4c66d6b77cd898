"""The deployment plan of a target for people: `--dry-run`."""

from __future__ import annotations

from collections.abc import Iterator

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.program.plan import Deployment
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.wording import counted


def plan_text(target: FuzzTarget) -> str:
    """Return what happens before the first sequence, and what is fuzzed then."""
    return "".join(f"{printable(line)}\n" for line in _lines(target))


def _lines(target: FuzzTarget) -> Iterator[str]:
    config, plan = target.config, target.plan
    main = target.program.main_contract
    compiler = target.program.compiler or "an unknown compiler"
    yield f"Rules: {config.evm_version}; compiled by {compiler}"
    yield f"Deployer: 0x{config.deployer:040x}"
    yield f"Senders: {', '.join(f'0x{each:040x}' for each in config.senders)}"
    yield f"Balance of each: {config.balance_addr} wei"
    yield ""
    for number, deployment in enumerate(plan.deployments, 1):
        yield from _deployment_lines(number, deployment)
    if plan.set_up:
        yield f"{len(plan.deployments) + 1}. {main.name}.setUp()"
    yield ""
    functions = counted(len(target.functions), "function")
    tests = counted(len(target.tests), "test")
    yield f"Then sequences call {functions} of {main.name}, which has {tests}."


def _deployment_lines(number: int, deployment: Deployment) -> Iterator[str]:
    what = "creation code of deployBytecodes"
    if deployment.contract is not None:
        what = deployment.contract.qualified_name
    yield f"{number}. {what} at 0x{deployment.address:040x} ({deployment.role})"
    if deployment.value:
        yield f"   with {deployment.value} wei"
    if deployment.arguments:
        yield f"   arguments 0x{deployment.arguments.hex()}"
    for library, address in deployment.libraries:
        yield f"   calls {library} at 0x{address:040x}"

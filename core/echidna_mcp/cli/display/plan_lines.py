"""The deployment plan of a target for people: `--dry-run`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.config.campaign import shown_config
from echidna_mcp.program.plan import Deployment
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.program.world import shown_plan
from echidna_mcp.wording import counted


def plan_text(target: FuzzTarget) -> str:
    """Return what happens before the first sequence, and what is fuzzed then."""
    return "".join(f"{printable(line)}\n" for line in _lines(target))


def plan_json(target: FuzzTarget) -> dict[str, Any]:
    """Return the same as JSON values, with all functions and tests by name."""
    program, config = target.program, target.config
    return {
        "contract": program.main,
        "compiler": program.compiler,
        "config": shown_config(config.to_json()),
        "block": {
            "number": config.block_number,
            "timestamp": config.block_timestamp,
            "chainId": config.chain_id,
        },
        "senders": [f"0x{each:040x}" for each in target.senders],
        **shown_plan(target.to_json()),
        "called": [
            {
                "contract": callee.contract.qualified_name,
                "address": None
                if callee.address is None
                else f"0x{callee.address:040x}",
                "functions": [f.signature for f in callee.functions],
            }
            for callee in target.callees
        ],
        "tests": [test.name for test in target.tests],
    }


def _lines(target: FuzzTarget) -> Iterator[str]:
    config, plan = target.config, target.plan
    main = target.program.main_contract
    compiler = target.program.compiler or "an unknown compiler"
    yield f"Rules: {config.evm_version}; compiled by {compiler}"
    yield f"Deployer: 0x{config.deployer:040x}"
    others = ", and any other address" if target.any_sender else ""
    known = ", ".join(f"0x{each:040x}" for each in target.senders)
    yield f"Senders: {known}{others}"
    yield f"Balance of each: {config.balance_addr} wei"
    for address, amount in config.balances:
        yield f"Balance of 0x{address:040x}: {amount} wei"
    yield (
        f"Block {config.block_number} at time {config.block_timestamp}, "
        f"chain {config.chain_id}"
    )
    yield ""
    for number, deployment in enumerate(plan.deployments, 1):
        yield from _deployment_lines(number, deployment)
    if plan.set_up:
        yield f"{len(plan.deployments) + 1}. {main.name}.setUp()"
    yield from (
        f"{len(plan.deployments) + plan.set_up + number}. {main.name}: 0x{step.hex()}"
        for number, step in enumerate(target.world.steps, 1)
    )
    yield ""
    tests = counted(len(target.tests), "test")
    if len(target.callees) == 1:
        functions = counted(len(target.functions), "function")
        yield f"Then sequences call {functions} of {main.name}, which has {tests}."
        return
    yield f"Then sequences call, with {tests}:"
    yield from (f"   {line}" for line in callee_lines(target))


def callee_lines(target: FuzzTarget) -> Iterator[str]:
    """Yield a line for each contract that is called: how many functions, and where."""
    for callee in target.callees:
        if not callee.functions:  # It has tests, and no calls.
            continue
        functions = counted(len(callee.functions), "function")
        where = "that sequences create"
        if callee.address is not None:
            where = f"at 0x{callee.address:040x}"
        yield f"{functions} of {callee.contract.qualified_name} {where}"


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

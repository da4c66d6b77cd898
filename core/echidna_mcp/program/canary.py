"""A canary: a planted failure that a working set-up finds.

A small contract beside those of the user. Its one function fails its one test if the
argument is a number that stands in its code. Whether a campaign finds that shows
whether all the rest works, from generation to the report: senders, gas, length of
sequences and mode are the user's.

What the test is depends on the mode. Where assertions are checked the call itself runs
into INVALID, and as Solidity's `assert` does where Foundry's tests are; else it makes a
property false for ever. In exploration mode nothing is tested, so that the call is to
be covered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.prefixes import first_prefix, has_prefix
from echidna_mcp.errors import TargetError
from echidna_mcp.program.model import Contract, Program
from echidna_mcp.program.target import FuzzTarget, TestCase, build_target
from echidna_mcp.program.world import Placement

NAME: Final = "EchidnaMcpCanary"
_SOURCE: Final = "echidna-mcp"
SECRET: Final = 3_141_592_653
"""The argument that fails the test; four bytes, not what anybody tries by chance."""
PLANTED_AT: Final = 0x18
"""Program counter of what only a call with `SECRET` reaches."""
_FIRST_ADDRESS: Final = 0xCA9A51

_CHECK: Final = bytes.fromhex(
    "63"
    + SECRET.to_bytes(4, "big").hex()  # 00 PUSH4 SECRET
    + "600435"  # 05 PUSH1 4, CALLDATALOAD: the argument; 0 if there is none
    + "14"  # 08 EQ
    + "601857"  # 09 PUSH1 PLANTED_AT, JUMPI
    + "60005415"  # 0c PUSH1 0, SLOAD, ISZERO: whether the property still holds
    + "600052"  # 10 PUSH1 0, MSTORE
    + "60206000f3"  # 13 PUSH1 32, PUSH1 0, RETURN
    + "5b"  # 18 JUMPDEST
)
"""The beginning of the code; no PUSH0, so that it runs by the rules of every fork."""
_REMEMBER: Final = bytes.fromhex("600160005500")
"""PUSH1 1, PUSH1 0, SSTORE, STOP: from now on the property is false."""
_INVALID: Final = b"\xfe"
_PANIC: Final = bytes.fromhex("634e487b7160e01b600052600160045260246000fd")
"""PUSH4 the selector of Panic(uint256), PUSH1 224, SHL, PUSH1 0, MSTORE, PUSH1 1,
PUSH1 4, MSTORE, PUSH1 36, PUSH1 0, REVERT."""
_DEPLOY: Final = "60{size:02x}80600b6000396000f3"
"""PUSH1 size, DUP1, PUSH1 11, PUSH1 0, CODECOPY, PUSH1 0, RETURN: the code follows."""


def with_canary(target: FuzzTarget) -> FuzzTarget:
    """Return a target in which a canary is called and tested beside all else.

    Only two wishes of the user are not passed on. A failure of another test does not
    end the search (`stopOnFail`), and a list of functions that may be called
    (`filterFunctions`) has one more. Where each test is run by itself the canary is
    alone, called in sequences as handlers are.

    Raises:
        TargetError: no function can be called that is not a property.
    """
    config, program = target.config, target.program
    placements = target.world.placements or (
        Placement(contract=program.main, address=config.contract_addr, tested=True),
    )
    if config.checks("stateless"):
        config, placements = replace(config, test_mode="invariant", tests=()), ()
    canary = _contract(config)
    address = _free_address(target)
    allowed: Collection[str] = ()
    if not config.filter_blacklist:
        allowed = [f"{NAME}.{_function_name(config)}(uint256)"]
    listed = (address, canary.qualified_name)
    return build_target(
        _with_contract(program, canary),
        replace(
            config,
            deploy_contracts=(*config.deploy_contracts, listed),
            filter_functions=(*config.filter_functions, *allowed),
            stop_on_fail=False,
        ),
        replace(
            target.world,
            placements=(
                *placements,
                Placement(contract=canary.qualified_name, address=address, tested=True),
            ),
        ),
    )


def canary_function(target: FuzzTarget) -> str:
    """Return the signature, as qualified as it is, of the function of the canary."""
    return next(f.signature for f in target.functions if f.contract == NAME)


def canary_test(target: FuzzTarget) -> TestCase | None:
    """Return the test that the canary fails; None in exploration mode."""
    return next(
        (t for t in target.tests if target.callees[t.callee].contract.name == NAME),
        None,
    )


def _contract(config: CampaignConfig) -> Contract:
    """Return the contract that suits a test mode."""
    tail = _INVALID if config.checks("assertion") else _REMEMBER
    runtime = _CHECK + (_PANIC if config.of_foundry else tail)
    abi = [_entry(_function_name(config), inputs=["uint256"])]
    if not config.checks("assertion") and config.checks("property"):
        abi.append(_entry(f"{first_prefix(config.prefix)}canary", outputs=["bool"]))
    return Contract(
        name=NAME,
        source=_SOURCE,
        abi=tuple(abi),
        creation_code=bytes.fromhex(_DEPLOY.format(size=len(runtime))) + runtime,
        runtime_code=runtime,
    )


def _function_name(config: CampaignConfig) -> str:
    """Return a name that has not the prefix of properties, which are never called.

    Raises:
        TargetError: there is none.
    """
    if has_prefix("", config.prefix):
        raise TargetError(
            "prefix is empty, so that every function is a property and none is called; "
            "give properties a prefix."
        )
    return "sing" if not has_prefix("sing", config.prefix) else "_sing"


def _entry(
    name: str, inputs: Collection[str] = (), outputs: Collection[str] = ()
) -> Mapping[str, Any]:
    """Return the entry of an ABI."""
    return {
        "type": "function",
        "name": name,
        "stateMutability": "nonpayable",
        "inputs": [{"name": "", "type": each} for each in inputs],
        "outputs": [{"name": "", "type": each} for each in outputs],
    }


def _with_contract(program: Program, contract: Contract) -> Program:
    contracts = (*program.contracts, contract)
    ordered = sorted(contracts, key=lambda each: each.qualified_name)
    return replace(program, contracts=tuple(ordered))


def _free_address(target: FuzzTarget) -> int:
    config = target.config
    taken = {
        *(each.address for each in target.plan.deployments),
        *(each.address for each in target.callees),
        *(config.deployer, config.psender, *target.senders),
    }
    address = _FIRST_ADDRESS
    while address in taken:
        address += 1
    return address

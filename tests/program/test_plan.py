"""The deployment plan: what is deployed where, in which order."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import pairwise
from typing import Any

import pytest
from campaigns import small_config
from solc import compile_solidity, require_packages

from echidna_mcp.errors import TargetError
from echidna_mcp.program.identity import CodeIndex
from echidna_mcp.program.model import Contract, Link, Program
from echidna_mcp.program.plan import ZERO_ARGUMENTS, plan_of

SOURCE = """
library Low { function twice(uint a) public pure returns (uint) { return a * 2; } }
library High {
    function four(uint a) public pure returns (uint) {
        return Low.twice(Low.twice(a));
    }
}
library Alone { function one() public pure returns (uint) { return 1; } }
contract Token { address public owner; constructor(address o) { owner = o; } }
contract Child { uint public immutable x = High.four(3); }
contract Vault {
    uint public immutable cap;
    Child public child;
    constructor(uint c, address t) payable { cap = c; child = new Child(); t; }
    function add(uint x) public view returns (uint) { return Low.twice(x) + cap; }
    function echidna_true() public pure returns (bool) { return true; }
}
"""
ARGUMENTS = (("Vault", '"7, address(0)"'),)

pytestmark = pytest.mark.solc


def program() -> Program:
    return compile_solidity(SOURCE, "Vault")


def contract_named(name: str) -> Contract:
    return next(each for each in program().contracts if each.name == name)


def planned(**changes: Any):
    return plan_of(
        program(), small_config(**{"constructor_args": ARGUMENTS, **changes})
    )


def placed(plan: Any) -> list[tuple[str, int]]:
    return [(each.name, each.address) for each in plan.deployments]


def linked_by_solc(addresses: dict[str, int]) -> dict[str, str]:
    """Return the creation codes as solc makes them when it is told the addresses."""
    package = require_packages() / "solc"
    script = (
        "const s = require(process.argv[1]);"
        "console.log(s.compile(require('fs').readFileSync(0, 'utf8')))"
    )
    libraries = {name: f"0x{address:040x}" for name, address in addresses.items()}
    job = {
        "language": "Solidity",
        "sources": {"Test.sol": {"content": SOURCE}},
        "settings": {
            "evmVersion": "osaka",
            "libraries": {"Test.sol": libraries},
            "outputSelection": {"*": {"*": ["evm.bytecode.object"]}},
        },
    }
    done = subprocess.run(
        ["node", "-e", script, str(package)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
    )
    output = json.loads(done.stdout)
    return {
        name: entry["evm"]["bytecode"]["object"]
        for name, entry in output["contracts"]["Test.sol"].items()
    }


def test_libraries_come_before_what_calls_them_and_only_those_that_are_called():
    plan = planned()
    assert placed(plan) == [
        ("Low", 0x1001),
        ("High", 0x1000),
        ("Vault", small_config().contract_addr),
    ]
    done: set[str] = set()
    for each in plan.deployments:
        assert {name for name, _ in each.libraries} <= done
        done.add(each.contract.qualified_name)


def test_linked_code_is_what_solc_links():
    plan = planned()
    expected = linked_by_solc({each.name: each.address for each in plan.deployments})
    assert len(plan.deployments) == 3
    for each in plan.deployments:
        code = each.code[: len(each.code) - len(each.arguments)].hex()
        assert "__" not in expected[each.name]
        # The metadata are a hash of solc's settings, which know the libraries.
        hashes = re.compile(r"(?<=64697066735822)[0-9a-f]{68}")
        assert hashes.sub("", code) == hashes.sub("", expected[each.name])


def test_addresses_are_taken_from_the_configuration():
    plan = planned(
        libraries=(("Low", 0x777),),
        deploy_contracts=((0x888, "Test.sol:High"), (0x999, "Token")),
        deploy_bytecodes=((0x1000, "00"),),
    )
    assert placed(plan) == [
        ("Low", 0x777),
        ("High", 0x888),
        ("Token", 0x999),
        ("the code of deployBytecodes at 0x" + f"{0x1000:040x}", 0x1000),
        ("Vault", small_config().contract_addr),
    ]
    token = plan.deployments[2]
    # As Echidna: what is listed and has arguments gets zeros.
    assert token.arguments == bytes(ZERO_ARGUMENTS)
    assert dict(plan.deployments[1].libraries) == {"Test.sol:Low": 0x777}


def test_arguments_are_those_of_every_deployment_of_a_contract():
    plan = planned(
        constructor_args=(*ARGUMENTS, ("Token", "[9]")),
        deploy_contracts=((0x888, "Token"), (0x999, "Token")),
    )
    first, second = (x for x in plan.deployments if x.name == "Token")
    assert first.arguments == second.arguments == (9).to_bytes(32, "big")


def test_free_addresses_are_passed_over_where_something_lies():
    plan = planned(senders=(0x1000, 0x1001), deployer=0x1003)
    assert placed(plan)[:2] == [("Low", 0x1004), ("High", 0x1002)]


def test_what_is_told_of_a_plan_is_json():
    told = planned(balance_contract=10**30).to_json()
    assert json.loads(json.dumps(told)) == told
    assert told["deployments"][-1]["value"] == str(10**30)
    assert told["deployments"][-1]["libraries"] == {
        "Test.sol:High": "0x" + f"{0x1000:040x}",
        "Test.sol:Low": "0x" + f"{0x1001:040x}",
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"constructor_args": ()},
            "The constructor of Vault takes arguments; give them with --constructor",
        ),
        (
            {"constructor_args": (*ARGUMENTS, ("Alone", '""'))},
            "constructorArgs names Test.sol:Alone, which is not deployed by the plan",
        ),
        (
            {"constructor_args": (*ARGUMENTS, ("Test.sol:Vault", '"8, address(0)"'))},
            "constructorArgs gives those of Test.sol:Vault twice",
        ),
        (
            {"deploy_contracts": ((0x999, "Tokn"),)},
            "deployContracts: There is no contract 'Tokn'; did you mean Token?",
        ),
        (
            {"libraries": (("Lower", 0x999),)},
            "libraries: There is no contract 'Lower'; did you mean Low?",
        ),
        (
            {
                "libraries": (("Low", 0x777),),
                "deploy_contracts": ((0x888, "Low"),),
            },
            "Test.sol:Low is linked at 0x" + f"{0x777:040x}",
        ),
        (
            {"deploy_contracts": ((0x999, "Token"),), "contract_addr": 0x999},
            "Vault and Token are both to be deployed at 0x",
        ),
    ],
)
def test_what_can_not_be_deployed_is_refused(changes, message):
    config = small_config(**{"constructor_args": ARGUMENTS, **changes})
    with pytest.raises(TargetError) as caught:
        plan_of(program(), config)
    assert caught.value.message.startswith(message)


def test_libraries_in_a_circle_and_libraries_that_are_missing_are_named():
    def contract(name: str, needs: str) -> Contract:
        return Contract(
            name=name,
            source="A.sol",
            abi=(),
            creation_code=bytes(30),
            runtime_code=bytes(30),
            links=(Link(library=f"A.sol:{needs}", creation=(2,), runtime=(2,)),),
        )

    ring = Program(
        contracts=(contract("A", "B"), contract("B", "C"), contract("C", "B")),
        main="A.sol:A",
    )
    with pytest.raises(TargetError, match=r"A\.sol:B → A\.sol:C → A\.sol:B"):
        plan_of(ring, small_config())
    lost = Program(contracts=(contract("A", "B"),), main="A.sol:A")
    with pytest.raises(TargetError, match=r"A needs the library A\.sol:B, which"):
        plan_of(lost, small_config())


def test_links_are_kept_in_json_and_absent_where_there_are_none():
    vault, token = contract_named("Vault"), contract_named("Token")
    assert [link.library for link in vault.links] == ["Test.sol:High", "Test.sol:Low"]
    assert token.links == ()
    told = program().to_json()
    assert Program.from_json(told) == program()
    with_links = [each["name"] for each in told["contracts"] if "links" in each]
    assert with_links == ["Child", "High", "Vault"]


def test_linked_code_and_libraries_are_known_by_name():
    index = CodeIndex(program())
    vault = contract_named("Vault")
    for low, high in pairwise((0x1111, 0x2222, 0x3333)):
        config = small_config(
            constructor_args=ARGUMENTS, libraries=(("Low", low), ("High", high))
        )
        code = plan_of(program(), config).deployments[-1].code
        assert index.key(code, code) == f"{vault.qualified_name}/create"

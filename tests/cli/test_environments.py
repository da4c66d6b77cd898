"""What a contract sees of block, chain and accounts is what preset and keys say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import Outcome, invoke
from solc import require_solc

from echidna_mcp.evm.created import created_address

pytestmark = pytest.mark.solc

BACKENDS = ("native", "py-evm")


def at(digits: str) -> str:
    """Return an address as a number; as a literal it would need its checksum."""
    return f'uint160(bytes20(hex"{digits}"))'


ECHIDNA = {
    "block.number": "4370000",
    "block.timestamp": "1524785992",
    "block.gaslimit": "0xffffffff",
    "block.basefee": "0",
    "uint160(address(block.coinbase))": "0",
    "block.prevrandao": "42069",
    "block.chainid": "1",
    "tx.gasprice": "0",
    "uint160(msg.sender)": "0x30000",
    "uint160(address(this))": at("00a329c0648769a73afac7f9381e08fb43dbea72"),
    "address(this).balance": "0",
    "address(0x20000).balance": "0xffffffff",
}
MEDUSA = {
    **ECHIDNA,
    "block.number": "1",
    "block.timestamp": "1",
    "block.gaslimit": "125000000",
    "block.prevrandao": "0",
    "uint160(address(this))": at("a647ff3c36cfab592509e13860ab8c4f28781a66"),
    "address(0x20000).balance": "2**254 - 1",
}
FOUNDRY = {
    **ECHIDNA,
    "block.number": "1",
    "block.timestamp": "1",
    "block.gaslimit": "2**30",
    "block.prevrandao": "0",
    "block.chainid": "31337",
    "uint160(msg.sender)": at("1804c8ab1f12e6bbf3894d4083f33e07309d1f38"),
    "uint160(address(this))": at("7fa9385be102ac3eac297483dd6233d62b3e1496"),
    "address(this).balance": "2**96 - 1",
    "address(0x20000).balance": "2**96 - 1",
    f"uint(address({at('4e59b44847b379578588920ca78fbf26c0b4956c')}).codehash)": (
        # Of every chain that has the factory; `cast codehash` says it.
        "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989"
    ),
}
PRESETS = {
    "echidna": ECHIDNA,
    "medusa": MEDUSA,
    "foundry": FOUNDRY,
    "hardhat": ECHIDNA,
    "plain": ECHIDNA,
}


def write(file: Path, seen: Mapping[str, str], prefix: str = "echidna_") -> None:
    """Write a contract with a property: that its constructor saw these values."""
    checks = "".join(
        f"        if ({expression} != {value}) wrong |= {1 << number};\n"
        for number, (expression, value) in enumerate(seen.items())
    )
    file.write_text(
        "contract Seen {\n    uint public wrong; uint x;\n    constructor() {\n"
        f"{checks}    }}\n"
        "    function poke(uint y) external { x = y; }\n"
        f"    function {prefix}seen() external view returns (bool) "
        "{ return wrong == 0; }\n}\n"
    )


def fuzz(*words: object) -> Outcome:
    return invoke(
        *("run", "Seen.sol", "--executor", "inline", "--test-mode", "property"),
        *("--test-limit", 20, "--seq-len", 3, "--workers", 1, "--shrink-limit", 0),
        *("--format", "json", "--evm-version", "prague"),
        *words,
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", PRESETS)
def test_a_contract_sees_the_environment_of_the_kind(here, kind, backend):
    require_solc()
    prefix = "property_" if kind == "medusa" else "echidna_"
    write(here / "Seen.sol", PRESETS[kind], prefix)
    done = fuzz("--as", kind, "--backend", backend)
    assert done.code == 0, done
    # It can fail: each other environment is another one.
    for other, seen in PRESETS.items():
        if seen != PRESETS[kind] and "medusa" not in (kind, other):
            assert fuzz("--as", other, "--backend", backend).code == 1


KEYS = """
blockNumber: 77
blockTimestamp: 1e9
blockGasLimit: 0xffffffffffffffff
baseFee: 1e9
coinbase: "0xc0ffee"
prevRandao: "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
chainId: 8453
deployer: "0x20000"
contractAddr: "0x1234"
balances: {"0x1234": "1e18", "0x4321": 0x10, "0x20000": 5, "0x10000": 0}
balanceContract: 3
"""
OWN = {
    "block.number": "77",
    "block.timestamp": "1e9",
    "block.gaslimit": "0xffffffffffffffff",
    "block.basefee": "1e9",
    "uint160(address(block.coinbase))": "0xc0ffee",
    "block.prevrandao": "type(uint256).max",
    "block.chainid": "8453",
    "uint160(address(this))": "0x1234",
    "address(this).balance": "1e18 + 3",
    "address(0x4321).balance": "0x10",
    "msg.sender.balance": "5",
    "address(0x10000).balance": "0",
    "address(0x30000).balance": "0xffffffff",
}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_contract_sees_what_the_keys_say(here, backend):
    require_solc()
    write(here / "Seen.sol", OWN)
    file = here / "Seen.sol"
    file.write_text(file.read_text().replace("constructor()", "constructor() payable"))
    (here / "own.yaml").write_text(KEYS)
    done = fuzz("--config", "own.yaml", "--backend", backend)
    assert done.code == 0, done
    assert fuzz("--backend", backend).code == 1


TARGETS = """
contract Token {
    uint public paid;
    constructor() payable { paid = address(this).balance; }
}
library Sum {
    function total(uint a, uint b) public pure returns (uint) { return a + b; }
}
contract Vault {
    Token token; uint x; bool right;
    constructor(Token token_, uint[] memory parts, string memory name) payable {
        token = token_;
        right = token.paid() == 7 && msg.value == 9
            && Sum.total(parts[0], parts[1]) == 5
            && keccak256(bytes(name)) == keccak256("gold")
            && address(Sum).code.length > 0 && uint160(address(Sum)) == 0xf01
            && uint160(address(token)) == uint160(bytes20(hex"TOKEN"));
    }
    function poke(uint y) external { x = y; }
    function property_right() external view returns (bool) { return right; }
}
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_target_of_medusa_takes_the_place_of_the_last(here, backend):
    require_solc()
    (here / "Seen.sol").write_text(
        "contract A { uint public x; constructor(uint y) { x = y; } "
        "function poke(uint) external {} "
        "function property_a() external view returns (bool) { return x == 3; } } "
        "contract B { uint public x; constructor(uint y) { x = y; } "
        "function poke(uint) external {} "
        "function property_b() external view returns (bool) { return x == 4; } }"
    )
    arguments = {"A": {"y": 3}, "B": {"y": 4}}
    fuzzing = {"targetContracts": ["A", "B"], "constructorArgs": arguments}
    (here / "medusa.json").write_text(json.dumps({"fuzzing": fuzzing}))
    words = ("--config", "medusa.json", "--backend", backend)
    for words_more in ((), ("--contract", "A")):
        done = fuzz(*words, *words_more)
        assert done.code == 0, done
        tests = {each["name"] for each in json.loads(done.out)["tests"]}
        assert len(tests) == 2
    places = json.loads(
        invoke(
            "run",
            "Seen.sol",
            *words[:2],
            "--contract",
            "A",
            "--dry-run",
            "--format",
            "json",
        ).out
    )["deployments"]
    first, second = (f"0x{created_address(0x30000, n):040x}" for n in (0, 1))
    assert [(x["contract"], x["address"]) for x in places] == [
        ("Seen.sol:B", second),
        ("Seen.sol:A", first),
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_medusas_contracts_are_deployed_in_order(here, backend):
    require_solc()
    token = f"{created_address(0x30000, 1):040x}"  # Sum is the first that it creates.
    (here / "Seen.sol").write_text(TARGETS.replace("TOKEN", token))
    fuzzing = {
        "targetContracts": ["Token", "Vault"],
        "predeployedContracts": {"Sum": "0xf01"},
        "targetContractsBalances": ["7", "0x9"],
        "constructorArgs": {
            "Vault": {
                "token_": "DeployedContract:Token",
                "parts": ["2", 3],
                "name": "gold",
            }
        },
    }
    (here / "medusa.json").write_text(json.dumps({"fuzzing": fuzzing}))
    done = fuzz("--config", "medusa.json", "--backend", backend, "--ignore-unsupported")
    assert done.code == 0, done

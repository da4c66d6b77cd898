"""Whole campaigns by the rules of each fork: the same digests on both backends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import small_config, started
from delegated_backend import delegated
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.evm.fork import FORKS, ForkName

pytestmark = pytest.mark.digests

CALLS = 60

LEADING = """
contract Leading {
    uint256 public seen;
    function look(uint256 x, uint8 by) external {
        uint256 zeros;
        assembly { zeros := clz(shr(by, x)) }
        seen = zeros;
    }
    function echidna_never_many() external view returns (bool) {
        return seen < 9 || seen > 250;
    }
}
"""
PASSING = """
contract Passing {
    uint256 public kept;
    function lock(uint256 x, bytes calldata data) external {
        assembly { tstore(1, x) }
        this.unlock(data);
    }
    function unlock(bytes memory data) external {
        uint256 x;
        assembly { x := tload(1) }
        kept = x + bytes.concat(data, data).length;
    }
    function echidna_never_kept() external view returns (bool) {
        uint256 x;
        assembly { x := tload(1) }
        return kept == 0 && x == 0;
    }
}
"""
REBIRTH = """
contract Child {
    constructor() payable {}
    function end(address payable heir) external payable { selfdestruct(heir); }
}
contract Rebirth {
    uint256 public births;
    uint256 public calls;
    address public child;
    constructor() payable {}
    function birth() external payable {
        child = address(new Child{salt: 0, value: msg.value}());
        births++;
    }
    function end(bool self) external payable {
        Child(child).end{value: msg.value}(payable(self ? child : address(this)));
        calls++;
    }
    receive() external payable {}
    function echidna_born_once() external view returns (bool) { return births < 2; }
    function echidna_stays() external view returns (bool) {
        return calls == 0 || child.code.length != 0;
    }
}
"""
HISTORY = """
contract History {
    address constant SERVER = 0x0000F90827F1C53a10cb7A02335B175320002935;
    uint256 public found;
    uint256 public agreed;
    function ask(uint16 back) external {
        uint256 number = block.number - back;
        (bool good, bytes memory answer) = SERVER.staticcall(abi.encode(number));
        if (!good || answer.length != 32) return;
        found = back;
        if (abi.decode(answer, (bytes32)) == blockhash(number)) agreed++;
    }
    function echidna_far_is_unknown() external view returns (bool) {
        return found < 300;
    }
    function echidna_near_is_unknown() external view returns (bool) {
        return agreed == 0;
    }
    function echidna_window() external view returns (bool) { return found <= 8191; }
}
"""
ADDRESSES = """
contract Addresses {
    uint256 public spent;
    bytes public last;
    function poke(uint16 number, bytes calldata data) external {
        uint256 before = gasleft();
        (bool good, bytes memory answer) =
            address(uint160(number % 0x102)).staticcall{gas: 100000}(data);
        spent = before - gasleft();
        if (good && answer.length < 100) last = answer;
    }
    function look(uint160 at) external {
        spent = address(at % 0x102).code.length + address(at % 0x102).balance;
    }
    function echidna_cheap() external view returns (bool) { return spent < 30000; }
}
"""
DELEGATED = """
contract Delegated {
    uint256 public reached;
    uint256 public size;
    bytes32 public digest;
    function answer(uint256 x) external returns (uint256) {
        reached++;
        digest = keccak256(abi.encode(digest, x, address(this)));
        bool ends = x == 0 || msg.sender == tx.origin;
        return ends ? reached : Delegated(msg.sender).answer((x >> 1) % 64);
    }
    function ask(uint256 x, uint24 gas_) external {
        try Delegated(msg.sender).answer{gas: gas_}(x % 64) returns (uint256 by) {
            reached += by;
        } catch {}
        size = msg.sender.code.length;
        digest = keccak256(abi.encode(digest, msg.sender.codehash, msg.sender.code));
    }
    function echidna_reached_once() external view returns (bool) {
        return reached < 2;
    }
    function echidna_senders_are_people() external view returns (bool) {
        return size == 0;
    }
}
"""
CONTRACTS = {
    "Leading": (LEADING, "osaka"),
    "Passing": (PASSING, "cancun"),
    "Rebirth": (REBIRTH, "shanghai"),
    "History": (HISTORY, "shanghai"),
    "Addresses": (ADDRESSES, "shanghai"),
    "Delegated": (DELEGATED, "prague"),
}
"""Sources, and the first fork that can run them."""


def cases() -> list[tuple[str, ForkName]]:
    return [
        (name, fork)
        for name, (_, since) in CONTRACTS.items()
        for fork in FORKS[FORKS.index(since) :]
    ]


def run(
    directory: Path, name: str, fork: ForkName, backend: str
) -> tuple[list[Any], dict[str, Any]]:
    """Return what each round committed, and which properties were falsified."""
    source, since = CONTRACTS[name]
    program = compile_solidity(source, name, solc_args=f"--evm-version {since}")
    config = small_config(
        evm_version=fork,
        workers=2,
        round_budget=3_000,
        broods=False,
        echoes=False,
        shortening=False,
    )
    plugin = named(backend)
    if name == "Delegated":
        plugin = delegated(plugin)
    with started(directory / backend, program, config, backend=plugin) as running:
        while running.views.progress.calls < CALLS:
            running.rounds(1)
        events = running.events
    assert not [e for e in events if e.type == "FalsificationDisputed"]
    return (
        [e.payload for e in events if e.type == "RoundCommitted"],
        {e.payload["property"]: e for e in events if e.type == "PropertyFalsified"},
    )


EXPECTED = {
    ("Leading", "osaka"): {"echidna_never_many"},
    ("Passing", "cancun"): {"echidna_never_kept"},
    ("Passing", "prague"): {"echidna_never_kept"},
    ("Passing", "osaka"): {"echidna_never_kept"},
    # By the rules of Shanghai what is destroyed is gone, and can come again.
    ("Rebirth", "shanghai"): {"echidna_stays", "echidna_born_once"},
    ("Rebirth", "cancun"): set(),
    ("Rebirth", "prague"): set(),
    ("Rebirth", "osaka"): set(),
    ("Delegated", "prague"): {"echidna_reached_once", "echidna_senders_are_people"},
    ("Delegated", "osaka"): {"echidna_reached_once", "echidna_senders_are_people"},
    ("History", "shanghai"): set(),
    ("History", "cancun"): set(),
    ("History", "prague"): {"echidna_far_is_unknown", "echidna_near_is_unknown"},
    ("History", "osaka"): {"echidna_far_is_unknown", "echidna_near_is_unknown"},
}


@pytest.mark.solc
@pytest.mark.parametrize(("name", "fork"), cases())
def test_a_campaign_by_the_rules_of_a_fork_is_the_same_on_both_backends(
    tmp_path: Path, name: str, fork: ForkName
) -> None:
    rounds, falsified = run(tmp_path, name, fork, REFERENCE)
    # To compile all code takes seconds: once a contract.
    candidates = ("compiled", "hot") if fork == CONTRACTS[name][1] else ("compiled",)
    for backend in candidates:
        assert run(tmp_path, name, fork, backend)[0] == rounds, backend
    if (name, fork) in EXPECTED:
        assert set(falsified) == EXPECTED[name, fork]


@pytest.mark.solc
def test_the_fork_decides_the_digests(tmp_path: Path) -> None:
    digests = {
        fork: run(tmp_path / fork, "Addresses", fork, "compiled")[0][-1]["stateDigest"]
        for fork in FORKS
    }
    assert len(set(digests.values())) == len(FORKS)

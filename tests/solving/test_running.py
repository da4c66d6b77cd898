"""Sequences on the solver's interpreter do what they do on the campaign's EVMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from campaigns import small_config, started
from corpus_contracts import corpus_program
from eth_abi import encode
from eth_hash.auto import keccak
from native_backends import named
from solc import compile_solidity
from stored_calls import stored_call

from echidna_mcp.abi.function import selector_of
from echidna_mcp.campaign.start_state import start_state
from echidna_mcp.evm.backend import AccountState, Message
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.solving.expressions import value_of
from echidna_mcp.solving.inputs import Calls
from echidna_mcp.solving.jobs import plain_call
from echidna_mcp.solving.running import Run, Shadow
from echidna_mcp.solving.state import State

pytestmark = pytest.mark.solc

STEPS: Final = 100_000
VM: Final = """
interface Vm {
    function deal(address, uint256) external;
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function addr(uint256) external returns (address);
    function sign(uint256, bytes32) external returns (uint8, bytes32, bytes32);
}
"""
CALLED: Final = """
contract Seen {
    address public last; uint256 public paid;
    constructor() payable { last = msg.sender; paid = msg.value; }
    function see() external payable { last = msg.sender; paid += msg.value; }
}
contract Taker { constructor() payable {} }
contract Refuser { constructor() { revert(); } }
contract Called {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    address constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;
    Seen seen = new Seen();
    uint256[] log;
    constructor() payable {}
    function echidna_ok() external pure returns (bool) { return true; }
    function note() internal {
        log.push(uint160(seen.last())); log.push(seen.paid());
        log.push(address(this).balance);
    }
    function pays(address who, uint64 amount) external {
        vm.deal(who, amount);
        vm.prank(who);
        seen.see{value: amount}();
        note();
        log.push(who.balance);
    }
    function lacks(address who, uint64 amount) external {
        vm.deal(who, amount);
        vm.prank(who);
        (bool done,) = address(seen).call{value: uint256(amount) + 1}(
            abi.encodeCall(Seen.see, ()));
        log.push(done ? 1 : 0);
        seen.see();
        note();
    }
    function creates(address who, bytes32 salt) external {
        vm.deal(who, 9);
        vm.startPrank(who);
        Seen one = new Seen{value: 2}();
        Seen two = new Seen{value: 3, salt: salt}();
        vm.stopPrank();
        log.push(uint160(address(one))); log.push(uint160(address(two)));
        log.push(uint160(one.last())); log.push(uint160(two.last()));
        log.push(who.balance);
        vm.prank(who);
        try new Refuser() { log.push(1); } catch { log.push(2); }
        log.push(uint160(address(new Seen())));
        seen.see();
        note();
    }
    function poor() external {
        bytes memory code = type(Taker).creationCode; address made; uint256 more;
        more = address(this).balance + 1;
        assembly { made := create(more, add(code, 32), mload(code)) }
        log.push(uint160(made));
        log.push(uint160(address(new Taker())));
    }
    function deploys(uint16 size, uint8 first) external {
        // MSTORE8(0, first), RETURN(0, size)
        bytes memory code = abi.encodePacked(
            hex"60", first, hex"600053", hex"61", size, hex"6000f3");
        address made; uint256 returned;
        assembly {
            made := create(0, add(code, 32), mload(code))
            returned := returndatasize()
        }
        log.push(uint160(made)); log.push(made.code.length); log.push(returned);
    }
    function quiet(address who) external {
        vm.prank(who);
        CONSOLE.staticcall(abi.encodeWithSignature("log(uint256)", 1));
        seen.see();
        note();
        vm.prank(who);
        address(seen).delegatecall(abi.encodeWithSignature("nobody()"));
        seen.see();
        note();
    }
    function lasts(address who) external { vm.startPrank(who); seen.see(); note(); }
    function goes_on() external { seen.see(); note(); }
    function twice(address who) external {
        vm.prank(who);
        try vm.prank(address(7)) { log.push(1); } catch { log.push(2); }
        seen.see();
        note();
    }
    function hashes(uint8 back) external {
        log.push(uint256(blockhash(block.number - back)));
        log.push(uint256(blockhash(block.number)));
        log.push(uint256(blockhash(block.number + back)));
    }
    function zeros(uint256 word) external {
        uint256 found;
        assembly { found := clz(word) }
        log.push(found);
    }
    function signs(uint256 key, bytes32 digest, uint8 other, uint256 s) external {
        log.push(uint160(vm.addr(key)));
        (uint8 v, bytes32 r, bytes32 low) = vm.sign(key, digest);
        log.push(v); log.push(uint256(r)); log.push(uint256(low));
        log.push(uint160(ecrecover(digest, v, r, low)));
        log.push(uint160(ecrecover(digest, other, r, low)));
        log.push(uint160(ecrecover(digest, v, r, bytes32(s))));
        try vm.addr(0) { log.push(1); } catch { log.push(2); }
    }
}
"""


def call(name: str, *args: Any, blocks: int = 0) -> dict[str, Any]:
    """Return a call of a sequence; what its arguments are stands in its name."""
    kinds = name.partition("(")[2].rstrip(")").split(",") if args else []
    return stored_call(name, selector_of(name) + encode(kinds, args), blocks=blocks)


def target_of(dialect: str) -> FuzzTarget:
    config = small_config(cheat_dialect=dialect, balance_contract=1000)
    return build_target(compile_solidity(VM + CALLED, "Called"), config)


def shadowed(target: FuzzTarget, calls: Calls, backend: str = "compiled") -> Run:
    start = start_state(named(backend), target)
    return Shadow(target, start).run(calls, STEPS)


def accounts_after(
    target: FuzzTarget, calls: Calls, backend: str
) -> dict[int, AccountState]:
    """Return the world when an EVM has run the calls."""
    outside = Outside(Answers({}))
    plugin = named(backend)
    plugin.load()
    evm, _ = deployed_world(plugin, target, outside)
    for each in calls:
        callee = target.callee_of[target.function_index[each["function"]]]
        evm.call(
            Message(
                sender=int(each["sender"], 16),
                to=target.callees[callee].address,
                data=bytes.fromhex(each["calldata"][2:]),
                value=int(each["value"]),
                time_delay=each["timeDelay"],
                block_delay=each["blockDelay"],
            )
        )
    outside.close()
    return dict(evm.accounts())


def storage_of(state: State, address: int) -> dict[int, int]:
    """Return the storage of an account as it is in a run, without words that are 0."""
    words = state.words(address)
    return nonzero({slot: value_of(word) for slot, word in words.items()})


def nonzero(words: Mapping[int, int]) -> dict[int, int]:
    return {slot: word for slot, word in words.items() if word}


def storage_after(target: FuzzTarget, calls: Calls, backend: str) -> dict[int, int]:
    """Return the storage of the contract when an EVM has run the calls."""
    accounts = accounts_after(target, calls, backend)
    return dict(accounts[target.config.contract_addr].storage)


SOURCES: Final = (
    *("Assembly", "Factory", "MinimalProxy", "MultiToken", "Nursery", "Payments"),
    *("Reentrancy", "SelfDestruct", "Timelock", "Transient", "TransparentProxy"),
    *("TryCatch", "UupsProxy", "Vouchers", "VyperAuction", "VyperToken"),
)
WHO: Final = "0x00000000000000000000000000000000000a11ce"
SEQUENCES: Final[dict[str, Sequence[dict[str, Any]]]] = {
    "who is pranked pays": [call("pays(address,uint64)", WHO, 5)],
    "a prank ends with a call that can't be paid": [
        call("lacks(address,uint64)", WHO, 5)
    ],
    "who is pranked creates": [call("creates(address,bytes32)", WHO, b"\7" * 32)],
    "what can't be paid takes no nonce": [call("poor()"), call("poor()")],
    "code that is too long, or reserved, is none": [
        call("deploys(uint16,uint8)", size, first)
        for size, first in ((100, 1), (65_535, 1), (3, 0xEF), (0, 0xEF), (32, 0))
    ],
    "a prank outlives the console and no delegate call": [call("quiet(address)", WHO)],
    "a lasting prank may outlive its call": [
        call("lasts(address)", WHO),
        call("goes_on()"),
    ],
    "a prank that was not applied": [call("twice(address)", WHO)],
    "hashes of blocks": [
        call("hashes(uint8)", 1, blocks=300),
        call("hashes(uint8)", 255, blocks=1),
    ],
    "signatures and their signers": [
        call("signs(uint256,bytes32,uint8,uint256)", key, b"\5" * 32, other, s)
        for key, other, s in ((1, 27, 1), (77, 28, 0), (1 << 200, 29, 1 << 255))
    ],
    "leading zeros": [call("zeros(uint256)", n) for n in (0, 1, 77, (1 << 256) - 1)],
}


@pytest.mark.parametrize("dialect", ["echidna", "foundry"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_sequence_writes_what_it_writes_on_the_evm(
    sequence: str, dialect: str
) -> None:
    target, calls = target_of(dialect), tuple(SEQUENCES[sequence])
    run = shadowed(target, calls)
    assert not run.trace.ended
    expected = storage_after(target, calls, "compiled")
    assert expected == storage_after(target, calls, "py-evm")
    state = run.moments[-1].state
    assert storage_of(state, target.config.contract_addr) == nonzero(expected)
    log = int.from_bytes(keccak((1).to_bytes(32, "big")), "big")
    length = expected[1]
    assert length >= 3
    assert not value_of(state.storage(target.config.contract_addr, log + length))


def test_a_precompile_that_is_not_modelled_ends_the_run() -> None:
    source = """
contract P {
    bool done;
    function echidna_ok() external view returns (bool) { return !done; }
    function verify() external { (done,) = address(0x100).staticcall(""); }
}
"""
    target = build_target(compile_solidity(source, "P"), small_config())
    run = shadowed(target, (call("verify()"),))
    assert "precompile" in run.trace.ended


@pytest.mark.parametrize("name", SOURCES)
def test_what_a_campaign_has_kept_leads_to_the_same_world(tmp_path, name: str) -> None:
    program = corpus_program(name)
    config = small_config(round_budget=60_000, seq_len=40)
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(8)
        target = running.views.target
        entries = [each.calls for each in running.views.corpus.entries]
    start, checked = start_state(named("compiled"), target), 0
    for entry in entries[-30:]:
        calls = tuple(map(plain_call, entry))
        run = Shadow(target, start).run(calls, 8 * STEPS)
        done = len(run.moments) - 1
        state = run.moments[-1].state
        for address, account in accounts_after(
            target, calls[:done], "compiled"
        ).items():
            assert value_of(state.balance(address)) == account.balance
            assert state.code(address) == account.code
            assert storage_of(state, address) == nonzero(account.storage)
        checked += done == len(calls)
    assert checked > 2

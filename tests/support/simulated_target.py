"""A contract that does what few contracts do, in calls that take microseconds.

Each precompile, CREATE2, self-destruction, transient storage, CLZ, and calls of senders
that run its own code (`delegated_backend`).
"""

from __future__ import annotations

from functools import cache

from precompile_inputs import GOOD
from solc import compile_solidity

from echidna_mcp.program.model import Program

_CASE = "        if (at % {count} == {which}) return (address({number}), hex'{good}');"

_SOURCE = """
pragma solidity ^0.8.30;

contract Child {
    constructor() payable {}
    function end(address payable heir) external { selfdestruct(heir); }
}

contract Everything {
    uint256 public done;
    bytes32 public digest;
    Child private child;
    uint256 private transient open;

    constructor() payable {}
    receive() external payable {}

    function _note(uint256 what, bytes memory seen) private {
        done |= 1 << what;
        digest = keccak256(abi.encode(digest, what, seen));
    }

    function _input(uint256 at) private pure returns (address, bytes memory) {
%(cases)s
        revert();
    }

    function compute(uint8 at, uint8 by, bool whole) external {
        (address target, bytes memory data) = _input(at);
        if (!whole) data[by %% data.length] = bytes1(by);
        (bool good, bytes memory answer) = target.call{gas: 400_000}(data);
        _note(good ? 0 : 1, answer);
    }

    function bear(uint8 salt) external payable {
        child = new Child{salt: bytes32(uint256(salt %% 4)), value: msg.value}();
        _note(2, abi.encode(child));
    }

    function end(bool at_once, uint8 salt) external {
        if (at_once) child = new Child{salt: bytes32(uint256(salt))}();
        child.end(payable(address(this)));
        _note(3, abi.encode(address(child).code.length, address(this).balance));
    }

    function enter(uint8 depth) external {
        uint256 before = open;
        open = before + 1;
        if (depth %% 8 != 0) this.enter(depth %% 8 - 1);
        _note(4, abi.encode(open, before));
        open = before;
    }

    function lead(uint256 x, uint8 by) external {
        uint256 zeros;
        assembly { zeros := clz(shr(by, x)) }
        _note(5, abi.encode(zeros));
    }

    function ask(uint16 times) external {
        (bool good, bytes memory answer) =
            msg.sender.call{gas: 300_000}(abi.encodeCall(this.answer, (times %% 9)));
        _note(6, abi.encode(good, answer, msg.sender.code.length, msg.sender.codehash));
    }

    function answer(uint16 times) external returns (bytes32) {
        if (times != 0 && msg.sender.code.length != 0) {
            return Everything(payable(msg.sender)).answer(times - 1);
        }
        _note(7, abi.encode(tx.origin, msg.sender));
        return digest;
    }

    function echidna_does_little() external view returns (bool) {
        return done & 0x7d != 0x7d;
    }
}
"""


@cache
def everything() -> Program:
    """Compile it; skips the test if there is no compiler."""
    cases = "\n".join(
        _CASE.format(count=len(GOOD), which=which, number=number, good=data.hex())
        for which, (number, data) in enumerate(GOOD.items())
    )
    return compile_solidity(
        _SOURCE % {"cases": cases},
        "Everything",
        solc_args="--evm-version osaka --optimize",
    )

"""Contracts that ask too much: for ever, by the ten thousand, without bound."""

from __future__ import annotations

_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;
"""

LOOPING = (
    _HEAD
    + """
contract Looping {
    uint256 public pokes;

    function poke(uint256 by) external {
        unchecked { pokes += by; }
    }

    function spin(uint256 by) external {
        while (true) {
            unchecked { pokes += by; }
        }
    }

    function spinIf(uint8 which) external {
        pokes++;
        while (which % 4 == 1) {}
    }

    function echidna_loops_for_ever() external view returns (bool) {
        while (pokes % 2 == pokes % 2) {}
        return true;
    }

    function echidna_loops_once_poked() external view returns (bool) {
        while (pokes > 5) {}
        return true;
    }

    function echidna_holds() external pure returns (bool) {
        return true;
    }
}
"""
)

CHILD = (
    _HEAD
    + """
contract Child {
    uint256 public immutable number;
    uint256 public pokes;

    constructor(uint256 number_) {
        number = number_;
    }

    function poke() external {
        pokes++;
    }
}
"""
)

BREEDING = (
    CHILD
    + """
contract Breeding {
    uint256 public made;
    Child private last;

    /// As many as are asked for, each with code of its own.
    function breed(uint256 count) external {
        count %= 10001;
        for (uint256 i = 0; i < count; i++) last = new Child(made++);
    }

    /// Until there is no gas left; then all of them are gone.
    function fill() external {
        while (true) last = new Child(made++);
    }

    /// Until there is little gas left.
    function breedMany() external {
        while (gasleft() > 1_000_000) last = new Child(made++);
    }

    function poke() external {
        last.poke();
    }

    function echidna_counts_up() external view returns (bool) {
        return made < 1 << 200;
    }
}
"""
)

GREEDY = (
    _HEAD
    + """
/// Takes more of something than a small machine has, for one argument in 256.
contract Greedy {
    uint256 public calls;
    mapping(uint256 => uint256) private words;

    event Filled(bytes data);

    modifier sometimes(uint256 which) {
        calls++;
        if (uint256(keccak256(abi.encode(which))) % 256 == 7) _;
    }

    function accounts(uint256 which) external sometimes(which) {
        for (uint256 i = 1; i < 4000; i++) {
            address other = address(uint160(uint256(keccak256(abi.encode(i)))));
            if (other.balance > 0) calls++;
        }
    }

    function slots(uint256 which) external sometimes(which) {
        for (uint256 i = 0; i < 4000; i++) {
            if (words[i] > 0) calls++;
        }
    }

    function journal(uint256 which) external sometimes(which) {
        for (uint256 i = 1; i < 40000; i++) words[0] = i;
    }

    function memories(uint256 which) external sometimes(which) {
        assembly {
            mstore(300000, 1)
        }
    }

    function logs(uint256 which) external sometimes(which) {
        for (uint256 i = 0; i < 400; i++) emit Filled(new bytes(1000));
    }

    function programs(uint256 which) external sometimes(which) {
        for (uint256 i = 0; i < 300; i++) {
            assembly {
                // PUSH4 i, MSTORE(0), RETURN(28, 4)
                let push := or(shl(248, 0x63), shl(216, i))
                mstore(0, or(push, shl(160, 0x5f526004601cf3)))
                if iszero(create(0, 0, 12)) { invalid() }
            }
        }
    }

    function poke() external {
        calls++;
    }

    function echidna_holds() external pure returns (bool) {
        return true;
    }
}
"""
)

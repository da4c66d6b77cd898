// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Members rise by one duty after another, and fall to the bottom with the wrong one.
/// What is kept of a member is one word: no number of it shows by itself.
contract Ranks {
    struct Member {
        uint128 given;
        uint64 since;
        uint64 rank;
    }

    mapping(address => Member) private members;
    bool private crowned;

    function join() external payable {
        require(members[msg.sender].since == 0, "joined");
        members[msg.sender] = Member(uint128(msg.value), uint64(block.timestamp), 0);
    }

    function serve(uint8 duty) external {
        Member storage member = members[msg.sender];
        require(member.since != 0, "no member");
        member.rank = duty % 4 == (member.rank * 5 + 3) % 4 ? member.rank + 1 : 0;
    }

    function crown() external {
        require(members[msg.sender].rank >= 24, "too low");
        crowned = true;
    }

    function echidna_nobody_is_crowned() external view returns (bool) {
        return !crowned;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

event Moved(address indexed from, address indexed to, uint256 indexed id, uint256 amount, string note);

event Counted(uint256 number);

event Silent(uint256 indexed number) anonymous;

contract Emitter {
    Emitter public next;

    constructor(Emitter other) {
        next = other;
        emit Counted(77);
    }

    function move(address from, address to, uint256 id, uint256 amount) external {
        emit Moved(from, to, id, amount, "moved");
    }

    function count(uint256 from, uint256 to) external {
        for (uint256 i = from; i < to; i++) {
            emit Counted(i);
        }
    }

    function countAndFail(uint256 number) external {
        emit Counted(number);
        revert("after the event");
    }

    function nothing() external {}

    function silent(uint256 number) external {
        emit Silent(number);
    }

    function byNext(uint256 number) external {
        next.count(number, number + 1);
    }

    function byNextCaught(uint256 number) external {
        try next.countAndFail(number) {} catch {}
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Numbers that anybody sets have many states that lead nowhere; what leads on is new code.
contract Settings {
    uint64 public rate;
    uint64 public fee;
    uint64 public cap;
    mapping(address => uint256) private stage;
    bool public open;

    function setRate(uint64 value) external {
        rate = value;
    }

    function setFee(uint64 value) external {
        fee = value;
    }

    function setCap(uint64 value) external {
        cap = value;
    }

    function apply_(uint32 word) external {
        require(stage[msg.sender] == 0 && word % 7 == 3);
        stage[msg.sender] = 1;
    }

    function vouch(address who) external {
        require(stage[who] == 1 && who != msg.sender);
        stage[who] = 2;
    }

    function pay(uint32 word) external {
        require(stage[msg.sender] == 2 && word > 1e6);
        stage[msg.sender] = 3;
    }

    function admit(address who) external {
        require(stage[who] == 3 && stage[msg.sender] >= 1 && who != msg.sender);
        stage[who] = 4;
    }

    function swear(uint32 word) external {
        require(stage[msg.sender] == 4 && word % 11 == 5);
        stage[msg.sender] = 5;
    }

    function enter() external {
        require(stage[msg.sender] == 5);
        open = true;
    }

    function echidna_closed() external view returns (bool) {
        return !open;
    }
}

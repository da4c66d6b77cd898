// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Bomb {
    uint256 public state;

    constructor(bool atOnce) payable {
        state = 5;
        if (atOnce) selfdestruct(payable(msg.sender));
    }

    function explode(address payable heir) external {
        state++;
        selfdestruct(heir);
    }
}

/// @notice SELFDESTRUCT since Cancun (EIP-6780): deletes only what this transaction made.
contract SelfDestruct {
    Bomb private old = new Bomb{salt: 0}(false);
    Bomb private last;
    uint256 private exploded;
    bool private wrong;

    function explodeOld() external payable {
        uint256 before = old.state();
        old.explode(payable(address(this)));
        exploded++;
        // It goes on living, with all it has.
        if (old.state() != before + 1) wrong = true;
    }

    function explodeNew(uint8 salt, bool again) external payable {
        Bomb bomb = new Bomb{salt: bytes32(uint256(salt) % 4), value: msg.value}(false);
        bomb.explode(payable(address(this)));
        if (address(bomb).balance != 0 || bomb.state() != 6) wrong = true;
        if (again) bomb.explode(payable(address(bomb)));
        last = bomb;
        exploded++;
    }

    function explodeAtOnce() external payable {
        uint256 before = address(this).balance;
        Bomb bomb = new Bomb{value: msg.value}(true);
        if (address(this).balance != before || address(bomb).code.length != 0) {
            wrong = true;
        }
        last = bomb;
    }

    function keep(uint8 salt) external {
        last = new Bomb{salt: bytes32(uint256(salt) % 4)}(false);
    }

    function burn() external payable {
        // To oneself: the ether is lost if the contract is new.
        Bomb bomb = new Bomb{value: msg.value}(false);
        bomb.explode(payable(address(bomb)));
    }

    function undone() external payable {
        try this.explodeAndRevert{value: msg.value}() {}
        catch {
            exploded++;
        }
    }

    function explodeAndRevert() external payable {
        Bomb bomb = new Bomb{salt: bytes32(uint256(77)), value: msg.value}(false);
        bomb.explode(payable(msg.sender));
        revert("never mind");
    }

    function look() external view returns (uint256 size) {
        size = address(last).code.length;
    }

    function echidna_rules_hold() external view returns (bool) {
        return !wrong;
    }

    function echidna_few_explosions() external view returns (bool) {
        return exploded < 6;
    }

    receive() external payable {}
}

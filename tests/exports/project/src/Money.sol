// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Value, delays, senders: what a call is sent with.
contract Money {
    bool internal constant BUGGY = true;

    address public owner = msg.sender;
    mapping(address => uint256) public balanceOf;
    uint256 public total;
    uint256 public openedAt;
    uint256 public openedIn;
    address public last;
    address public lastOrigin;
    uint256 public gifts;
    bool public timeIsOdd;

    receive() external payable {
        gifts += msg.value;
    }

    fallback() external payable {
        if (msg.data.length == 7) gifts = type(uint256).max;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        total += msg.value;
        last = msg.sender;
        lastOrigin = tx.origin;
    }

    function withdraw(uint256 amount) external {
        require(BUGGY || balanceOf[msg.sender] >= amount, "too much");
        unchecked {
            balanceOf[msg.sender] -= amount;
            if (!BUGGY) total -= amount;
        }
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok, "not paid");
    }

    function open() external {
        openedAt = block.timestamp;
        openedIn = block.number;
    }

    function claim() external {
        require(openedAt != 0 && block.timestamp > openedAt + 1 days, "early");
        if (BUGGY) gifts = type(uint256).max;
    }

    function blocks() external {
        require(openedIn != 0 && block.number > openedIn + 10, "early");
        if (BUGGY) timeIsOdd = true;
    }

    function takeOver() external {
        require(msg.sender == address(0x20000), "not you");
        if (BUGGY) owner = msg.sender;
    }

    function pay() external payable {
        require(msg.value == 3 ether, "exactly three");
        if (BUGGY) total += 1;
    }

    // It has to fail, and 0xfe is as good as a revert.
    function echidna_revert_odd() external view returns (bool) {
        if (!BUGGY || !timeIsOdd) assembly { invalid() }
        return true;
    }

    function echidna_solvent() external view returns (bool) {
        return address(this).balance >= total;
    }

    function echidna_gifts() external view returns (bool) {
        return gifts < type(uint256).max;
    }

    function echidna_owner() external view returns (bool) {
        return owner == address(0x30000);
    }

    function echidna_blocks() external view returns (bool) {
        return !timeIsOdd;
    }

    function echidna_origin() external view returns (bool) {
        return !BUGGY || last != address(0x10000) || lastOrigin != last;
    }

    function echidna_counted() external view returns (bool) {
        return !BUGGY || total % 1 gwei != 1;
    }

    function echidna_revert_always() external view returns (bool) {
        require(BUGGY && openedAt != 0, "as wanted");
        return true;
    }

    function echidna_throws() external view returns (bool) {
        require(!BUGGY || total < 5, "throws");
        return true;
    }
}

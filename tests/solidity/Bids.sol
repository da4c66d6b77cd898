// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Each bid is a little more than the last one, which is never twice the same.
contract Bids {
    uint256 private last = 1 ether;
    address private bidder;
    uint256 private bids;
    bool private ended;

    function bid(uint256 amount) external {
        require(msg.sender != bidder, "not again");
        require(amount > last, "too little");
        require(amount <= last + last / 64, "too much");
        last = amount;
        bidder = msg.sender;
        bids++;
        if (bids == 12) ended = true;
    }

    function echidna_goes_on() external view returns (bool) {
        return !ended;
    }
}

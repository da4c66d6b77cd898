// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Shares that are redeemed but for one. No comparison tells how many are left.
contract Leftover {
    bytes32 private constant ONE = keccak256(abi.encode(uint256(1)));

    mapping(address => uint256) private sharesOf;
    uint256 private total;
    bool private spoiled;

    function deposit(uint96 amount) external {
        require(amount >= 1e15, "too little");
        uint256 shares = uint256(amount) * 1_000_003 / 7;
        sharesOf[msg.sender] += shares;
        total += shares;
    }

    function redeem(uint256 shares) external {
        require(shares <= sharesOf[msg.sender], "too many");
        sharesOf[msg.sender] -= shares;
        total -= shares;
    }

    function reckon() external {
        if (keccak256(abi.encode(total)) == ONE) spoiled = true;
    }

    function echidna_unspoiled() external view returns (bool) {
        return !spoiled;
    }
}

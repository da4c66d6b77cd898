// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Three beacons are lit one after the other, each by a number that no branch asks for and
/// that stands in another function: only storage shows it. Five numbers that anybody sets have many
/// values.
contract Beacons {
    uint256 public price;
    uint256 public fee;
    uint256 public rate;
    uint256 public cap;
    uint256 public term;
    bool public red;
    bool public amber;
    bool public green;

    function setPrice(uint256 value) external {
        price = value;
    }

    function setFee(uint256 value) external {
        fee = value % 10_000;
    }

    function setRate(uint256 value) external {
        rate = value;
    }

    function setCap(uint256 value) external {
        cap = value % 1e18;
    }

    function setTerm(uint256 value) external {
        term = value % 365 days;
    }

    function codes() external pure returns (uint256, uint256) {
        return (4242, 7_654_321);
    }

    function light(uint256 code) external {
        unchecked {
            bool first = code * 3 == 12_726;
            bool second = code * 3 == 22_962_963;
            bool third = code == price;
            green = amber && third;
            amber = red && second;
            red = first;
        }
    }

    function echidna_not_green() external view returns (bool) {
        return !green;
    }
}

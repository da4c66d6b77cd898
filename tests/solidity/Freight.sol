// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Freight goes from port to port by the line that leads on, and back to the first one by
/// any other. Numbers of ports have no order: the one next to where it lands is the first of nine.
contract Freight {
    struct Load {
        uint64 booked;
        uint128 weight;
        uint8 port;
    }

    mapping(address => Load) private loads;
    bool private landed;

    function book(uint128 weight) external {
        require(loads[msg.sender].booked == 0, "booked");
        require(weight != 0, "nothing");
        loads[msg.sender] = Load(uint64(block.timestamp), weight, 0);
    }

    function carry(uint8 line) external {
        Load storage load = loads[msg.sender];
        require(load.booked != 0, "no load");
        uint256 port = load.port;
        load.port = line % 4 == (port + 3) % 4 ? uint8((port * 3 + 6) % 17) : 0;
    }

    function land() external {
        require(loads[msg.sender].port == 5, "not there");
        landed = true;
    }

    function echidna_nothing_lands() external view returns (bool) {
        return !landed;
    }
}

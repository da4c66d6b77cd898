// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";

/// Notes who calls.
contract Visited {
    address[] internal visitors;
    mapping(address => bool) public came;

    function visit() external {
        if (!came[msg.sender]) visitors.push(msg.sender);
        came[msg.sender] = true;
    }

    function count() external view returns (uint256) {
        return visitors.length;
    }
}

abstract contract VisitedTest is Base {
    Visited internal visited;

    function setUp() public virtual {
        visited = new Visited();
    }
}

contract AnySenderTest is VisitedTest {
    function invariant_Fails_MoreThanSixComeByAndBy() public view {
        check(visited.count() <= 6, "more than six");
    }

    function invariant_NobodyIsBarred() public view {
        check(!visited.came(address(0)), "zero");
        check(!visited.came(address(vm)), "the cheatcodes");
        check(!visited.came(CONSOLE), "the console");
        check(!visited.came(0x4e59b44847b379578588920cA78FbF26c0B4956C), "the factory");
        for (uint160 at = 1; at <= 0x11; at++) {
            check(!visited.came(address(at)), "a precompile");
        }
        check(!visited.came(address(0x100)), "the last precompile");
    }
}

contract ExcludedSendersTest is VisitedTest {
    function excludeSenders() public view returns (address[] memory senders) {
        senders = new address[](5);
        senders[0] = address(visited);
        senders[1] = address(this);
        senders[2] = 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38;
        senders[3] = address(0x10000);
        senders[4] = address(0x20000);
    }

    function invariant_TheyNeverCome() public view {
        address[] memory senders = excludeSenders();
        for (uint256 at; at < senders.length; at++) {
            check(!visited.came(senders[at]), "an excluded sender");
        }
    }

    function invariant_Fails_OthersDo() public view {
        check(visited.count() <= 6, "more than six");
    }
}

contract TargetedSendersTest is VisitedTest {
    function targetSenders() public view returns (address[] memory senders) {
        senders = new address[](2);
        senders[0] = alice;
        senders[1] = bob;
    }

    function invariant_NobodyElseComes() public view {
        check(visited.count() <= 2, "another sender");
    }

    function invariant_Fails_TheyDo() public view {
        check(!visited.came(alice) || !visited.came(bob), "both");
    }
}

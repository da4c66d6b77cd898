// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";

contract Counter {
    uint256 public count;

    function add(uint256 by) external returns (uint256) {
        return count += by;
    }
}

contract Subtractor {
    uint256 public count;

    function add(uint256 by) external returns (uint256) {
        return count -= by;
    }
}

/// Several proxies of one beacon, which changes what they are.
contract Beacons {
    UpgradeableBeacon internal beacon =
        new UpgradeableBeacon(address(new Counter()), address(this));
    Counter[] internal counters;

    function make() public returns (Counter counter) {
        bytes memory data = abi.encodeCall(Counter.add, (3));
        counter = Counter(address(new BeaconProxy(address(beacon), data)));
        counters.push(counter);
    }

    function change() external {
        Counter counter = make();
        beacon.upgradeTo(address(new Subtractor()));
        counter.add(2);
        try counter.add(2) {} catch Panic(uint256) {}
    }

    function echidna_counts() external returns (bool) {
        return counters.length < 1 || counters[0].add(1) > 1;
    }
}

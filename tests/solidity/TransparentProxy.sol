// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    ITransparentUpgradeableProxy,
    TransparentUpgradeableProxy
} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {
    UpgradeableBeacon
} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";

contract Box {
    uint256 public value;

    function set(uint256 value_) external payable virtual {
        value = value_;
    }
}

contract SquareBox is Box {
    function set(uint256 value_) external payable override {
        value = value_ * value_;
    }
}

/// @notice Proxies with an admin of their own, and two behind one beacon.
contract TransparentProxy {
    Box private immutable box;
    ProxyAdmin private immutable admin;
    UpgradeableBeacon private immutable beacon;
    Box[2] private followers;
    address[2] private implementations;
    bytes32 private constant ADMIN_SLOT =
        bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    constructor() {
        implementations = [address(new Box()), address(new SquareBox())];
        TransparentUpgradeableProxy proxy = new TransparentUpgradeableProxy(
            implementations[0], address(this), abi.encodeCall(Box.set, (7))
        );
        box = Box(address(proxy));
        // The proxy deploys its admin with its first nonce.
        bytes32 hash = keccak256(abi.encodePacked(hex"d694", address(proxy), hex"01"));
        admin = ProxyAdmin(address(uint160(uint256(hash))));
        beacon = new UpgradeableBeacon(implementations[0], address(this));
        for (uint256 i = 0; i < 2; i++) {
            bytes memory start = abi.encodeCall(Box.set, (i + 1));
            followers[i] = Box(address(new BeaconProxy(address(beacon), start)));
        }
    }

    function set(uint256 value) external payable {
        box.set{value: msg.value}(value % 1e9);
    }

    function upgrade(uint8 which, uint256 value) external {
        admin.upgradeAndCall(
            ITransparentUpgradeableProxy(address(box)),
            implementations[which % 2],
            abi.encodeCall(Box.set, (value % 1e40))
        );
    }

    function move(uint8 which) external {
        beacon.upgradeTo(implementations[which % 2]);
    }

    function follow(uint8 which, uint256 value) external {
        followers[which % 2].set(value);
    }

    function echidna_followers_are_small() external view returns (bool) {
        return followers[0].value() <= 1e38 || followers[1].value() <= 1e38;
    }

    function echidna_box_is_light() external view returns (bool) {
        return box.value() < 1e30;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";
import {
    ITransparentUpgradeableProxy,
    TransparentUpgradeableProxy
} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";

contract Box {
    event Stored(address indexed by, uint256 value);

    uint256 public value;

    function store(uint256 value_) external {
        value = value_;
        emit Stored(msg.sender, value_);
    }

    function refuse(string calldata why) external pure {
        revert(why);
    }
}

contract BiggerBox is Box {
    mapping(uint256 => uint256[]) internal all;

    function push(uint256 key, uint256 item) external returns (uint256[] memory) {
        all[key].push(item);
        all[key].push(item + 1);
        return all[key];
    }
}

/// A transparent proxy with the admin that it makes by itself.
contract Transparent {
    BiggerBox internal box;
    ProxyAdmin internal admin;
    bool internal upgraded;

    constructor() {
        address proxy = address(new TransparentUpgradeableProxy(address(new Box()), address(this), ""));
        box = BiggerBox(proxy);
        admin = ProxyAdmin(address(uint160(uint256(keccak256(abi.encodePacked(
            bytes2(0xd694), proxy, bytes1(0x01)
        ))))));
    }

    function upgrade(uint64 item) external {
        try box.refuse("not today") {} catch {}
        try box.push(1, 2) returns (uint256[] memory) {} catch {}
        admin.upgradeAndCall(
            ITransparentUpgradeableProxy(address(box)),
            address(new BiggerBox()),
            abi.encodeCall(Box.store, (item))
        );
        box.push(item, item);
        upgraded = true;
    }

    function check() external {
        box.store(5);
        assert(!upgraded);
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

contract First is UUPSUpgradeable {
    error NotOwner(address who, address owner);
    event Set(uint256 indexed before, uint256 now_, string note);

    address public owner;
    uint256 public value;

    function initialize(address owner_) external {
        owner = owner_;
    }

    function set(uint256 value_) external payable returns (uint256 before) {
        before = value;
        value = value_;
        emit Set(before, value_, "set");
    }

    function _authorizeUpgrade(address) internal view override {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
    }
}

contract Second is First {
    function twice() external returns (uint256) {
        return value *= 2;
    }
}

contract Stranger {
    function upgrade(First proxy, address to) external {
        proxy.upgradeToAndCall(to, "");
    }
}

/// UUPS behind an ERC-1967 proxy.
contract Upgrades {
    First internal proxy;
    Second internal second = new Second();
    Stranger internal stranger = new Stranger();

    constructor() {
        bytes memory data = abi.encodeCall(First.initialize, (address(this)));
        proxy = First(address(new ERC1967Proxy(address(new First()), data)));
    }

    function upgrade(uint128 value) external payable {
        proxy.set{value: msg.value}(value);
        try stranger.upgrade(proxy, address(second)) {} catch {}
        try proxy.upgradeToAndCall(address(this), "") {} catch {}
        proxy.upgradeToAndCall(address(second), abi.encodeCall(Second.twice, ()));
    }

    function check() external view {
        (bool ok, bytes memory data) =
            address(proxy).staticcall(abi.encodeWithSignature("value()"));
        assert(ok && abi.decode(data, (uint256)) < 2);
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {
    UUPSUpgradeable
} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

contract First is UUPSUpgradeable {
    address internal owner;
    uint256 public total;

    function initialize(address owner_) external {
        require(owner == address(0), "initialized");
        owner = owner_;
    }

    function add(uint256 amount) external virtual {
        total += amount % 1000;
    }

    function version() external pure virtual returns (uint256) {
        return 1;
    }

    function _authorizeUpgrade(address) internal view override {
        require(msg.sender == owner, "not the owner");
    }
}

contract Second is First {
    function add(uint256 amount) external override {
        total += (amount % 1000) * 2;
    }

    function version() external pure override returns (uint256) {
        return 2;
    }
}

/// @notice A proxy that its implementation upgrades (ERC-1822, ERC-1967).
contract UupsProxy {
    First private immutable proxy;
    address[3] private implementations;
    uint256 private expected;

    constructor() {
        implementations = [address(new First()), address(new Second()), address(this)];
        bytes memory start = abi.encodeCall(First.initialize, (address(this)));
        proxy = First(address(new ERC1967Proxy(implementations[0], start)));
    }

    function add(uint256 amount) external {
        expected += (amount % 1000) * proxy.version();
        proxy.add(amount);
    }

    function upgrade(uint8 which, bool andCall) external {
        bytes memory data = andCall ? abi.encodeCall(First.add, (uint256(which))) : bytes("");
        uint256 before = proxy.total();
        proxy.upgradeToAndCall(implementations[which % 3], data);
        expected += proxy.total() - before;
    }

    function touchImplementation(uint256 amount) external {
        First(implementations[0]).add(amount);
        First(implementations[0]).upgradeToAndCall(implementations[1], "");
    }

    function echidna_total_is_as_expected() external view returns (bool) {
        return proxy.total() == expected;
    }

    function echidna_is_never_upgraded() external view returns (bool) {
        return proxy.version() == 1;
    }
}

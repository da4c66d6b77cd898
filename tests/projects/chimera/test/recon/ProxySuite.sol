// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {Suite} from "@recon/Suite.sol";

contract FirstBank is Initializable, UUPSUpgradeable {
    address public owner;
    uint256 public total;
    mapping(address => uint256) public balances;

    function initialize(address owner_) external initializer {
        owner = owner_;
    }

    function save() external payable {
        balances[msg.sender] += msg.value;
        total += msg.value;
    }

    function take(uint256 amount) external virtual {
        balances[msg.sender] -= amount;
        total -= amount;
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
    }

    function _authorizeUpgrade(address) internal view override {
        require(msg.sender == owner, "not the owner");
    }
}

contract SecondBank is FirstBank {
    function take(uint256 amount) external override {
        balances[msg.sender] -= amount;
        // The bug: the new version forgets the total.
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
    }
}

/// @notice A bank behind OpenZeppelin's proxy, which can be upgraded.
abstract contract ProxySuite is Suite {
    FirstBank internal bank;
    uint256 internal upgrades;

    function setup() internal override {
        _addActor(address(0xA11CE));
        _addActor(address(0xB0B));
        vm.deal(address(0xA11CE), 1000 ether);
        vm.deal(address(0xB0B), 1000 ether);
        bytes memory start = abi.encodeCall(FirstBank.initialize, (address(this)));
        bank = FirstBank(address(new ERC1967Proxy(address(new FirstBank()), start)));
    }

    receive() external payable {}

    function bank_save(uint256 amount) public asActor {
        bank.save{value: between(amount, 1, 10 ether)}();
    }

    function bank_take(uint256 amount) public asActor {
        bank.take(amount);
    }

    function bank_take_all() public {
        uint256 amount = bank.balances(_getActor());
        vm.prank(_getActor());
        bank.take(amount);
    }

    function bank_upgrade() public asActor {
        bank.upgradeToAndCall(address(new SecondBank()), "");
        ++upgrades;
        t(_getActor() == address(this), "someone else upgraded");
    }

    function bank_initialize(address owner) public asActor {
        try bank.initialize(owner) {
            t(false, "initialized twice");
        } catch {}
    }

    function property_the_total_is_there() public {
        eq(bank.total(), address(bank).balance, "the total is not the balance");
    }

    function canary_upgraded() public {
        t(upgrades == 0, "canary: upgraded");
    }
}

contract ProxyTester is ProxySuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract ProxyToFoundry is ProxySuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_the_first_version_counts() public {
        switchActor(1);
        bank_save(3 ether);
        bank_take_all();
        property_the_total_is_there();
    }

    function test_the_second_version_forgets() public {
        bank_upgrade();
        switchActor(1);
        bank_save(3 ether);
        bank_take_all();
        property_the_total_is_there();
    }
}

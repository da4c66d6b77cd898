// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

contract Account {
    address public owner;
    uint256 public balance;

    function open(address owner_) external {
        require(owner == address(0), "open already");
        owner = owner_;
    }

    function put(uint256 amount) external {
        require(msg.sender == owner, "not the owner");
        balance += amount;
    }

    function argument() external view returns (bytes memory) {
        return Clones.fetchCloneArgs(address(this));
    }
}

/// @notice Minimal proxies (ERC-1167), with and without arguments, also by CREATE2.
contract MinimalProxy {
    using Clones for address;

    address private immutable implementation = address(new Account());
    Account[] private accounts;
    mapping(bytes32 => bool) private used;
    uint256 private total;

    function open() external {
        add(implementation.clone());
    }

    function openAt(bytes32 salt) external {
        salt = bytes32(uint256(salt) % 64);
        address expected = implementation.predictDeterministicAddress(salt);
        require(!used[salt] || expected.code.length != 0, "lost");
        address made = implementation.cloneDeterministic(salt);
        assert(made == expected);
        used[salt] = true;
        add(made);
    }

    function openWith(bytes calldata argument) external {
        Account account = add(implementation.cloneWithImmutableArgs(argument));
        assert(keccak256(account.argument()) == keccak256(argument));
    }

    function put(uint8 which, uint256 amount) external {
        total += amount % 1e18;
        accounts[which % accounts.length].put(amount % 1e18);
    }

    function echidna_accounts_add_up() external view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < accounts.length; i++) sum += accounts[i].balance();
        return sum == total;
    }

    function echidna_fewer_than_three_accounts() external view returns (bool) {
        return accounts.length < 3;
    }

    function add(address made) private returns (Account account) {
        account = Account(made);
        account.open(address(this));
        accounts.push(account);
    }
}

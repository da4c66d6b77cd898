// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice OpenZeppelin's ERC20Permit: each call asks the precompile ecrecover.
contract PermitToken is ERC20, ERC20Permit {
    uint256 private recovered;

    constructor() ERC20("Permit", "PMT") ERC20Permit("Permit") {
        _mint(address(0x10000), 1_000_000);
        _mint(address(0x20000), 1_000_000);
    }

    function permitAs(address owner, uint256 value, bool odd, bytes32 r, bytes32 s)
        external
    {
        uint8 v = odd ? 28 : 27;
        this.permit(owner, msg.sender, value, type(uint256).max, v, r, s >> 1);
    }

    function recover(bytes32 hash, bool odd, bytes32 r, bytes32 s) external {
        (address signer,,) = ECDSA.tryRecover(hash, odd ? 28 : 27, r, s >> 1);
        if (signer != address(0)) recovered++;
    }

    function echidna_supply_stays() external view returns (bool) {
        return totalSupply() == 2_000_000;
    }

    /// @dev Half of all r belong to a point, so this falls soon.
    function echidna_recovers_few() external view returns (bool) {
        return recovered < 2;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {OwnableRoles} from "solady/src/auth/OwnableRoles.sol";
import {ERC20} from "solady/src/tokens/ERC20.sol";
import {ECDSA} from "solady/src/utils/ECDSA.sol";
import {FixedPointMathLib} from "solady/src/utils/FixedPointMathLib.sol";

/// @notice solady's ERC20 with permit: ecrecover, asked in assembly.
contract SoladyToken is ERC20, OwnableRoles {
    uint256 private recovered;
    bool private wrong;

    constructor() {
        _initializeOwner(msg.sender);
        _mint(address(0x10000), 1_000_000);
        _mint(address(0x20000), 1_000_000);
    }

    function name() public pure override returns (string memory) {
        return "Solady";
    }

    function symbol() public pure override returns (string memory) {
        return "SLD";
    }

    function permitAs(address owner, uint256 value, bool odd, bytes32 r, bytes32 s)
        external
    {
        uint8 v = odd ? 28 : 27;
        this.permit(owner, msg.sender, value, type(uint256).max, v, r, s);
    }

    function recover(bytes32 hash, bool odd, bytes32 r, bytes32 s) external {
        address signer = ECDSA.tryRecover(hash, odd ? 28 : 27, r, s);
        if (signer != address(0)) recovered++;
    }

    function mint(address to, uint96 value) external onlyOwnerOrRoles(1) {
        _mint(to, FixedPointMathLib.min(value, 1_000));
    }

    function appoint(address account) external onlyOwner {
        _grantRoles(account, 1);
    }

    function root(uint256 x) external {
        uint256 found = FixedPointMathLib.sqrt(x);
        if (found * found > x || FixedPointMathLib.cbrt(x) > found + 1) wrong = true;
    }

    function echidna_recovers_few() external view returns (bool) {
        return recovered < 2;
    }

    function echidna_roots_are_roots() external view returns (bool) {
        return !wrong;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Suite} from "@recon/Suite.sol";

contract OpenVault is ERC4626 {
    constructor(IERC20 asset_) ERC4626(asset_) ERC20("Open", "O") {}
}

/// @notice Deposits in OpenZeppelin's ERC-4626 vault, and gifts to it.
abstract contract VaultSuite is Suite {
    struct Vars {
        uint256 assets;
        uint256 shares;
    }

    OpenVault internal vault;
    Vars internal _before;
    Vars internal _after;
    uint256 internal deposits;

    modifier updateGhosts() {
        _before = Vars(vault.totalAssets(), vault.totalSupply());
        _;
        _after = Vars(vault.totalAssets(), vault.totalSupply());
    }

    function setup() internal override {
        _addActor(address(0xA11CE));
        _addActor(address(0xB0B));
        vault = new OpenVault(IERC20(address(_newAsset(18))));
        address[] memory spenders = new address[](1);
        spenders[0] = address(vault);
        _finalizeAssets(_getActors(), spenders, 1e30);
    }

    function vault_deposit(uint256 assets) public updateGhosts asActor {
        assets = between(assets, 1, 1e24);
        uint256 shares = vault.deposit(assets, _getActor());
        ++deposits;
        // The bug: gifts can make a share worth more than what is deposited.
        gt(shares, 0, "a deposit got no share");
    }

    function vault_mint(uint256 shares) public updateGhosts asActor {
        vault.mint(between(shares, 1, 1e24), _getActor());
    }

    function vault_withdraw(uint256 assets) public updateGhosts asActor {
        vault.withdraw(assets, _getActor(), _getActor());
    }

    function vault_redeem(uint256 shares) public updateGhosts asActor {
        vault.redeem(shares, _getActor(), _getActor());
    }

    function vault_gift(uint256 assets) public updateGhosts asActor {
        _getAsset().transfer(address(vault), between(assets, 1, 1e27));
    }

    function property_shares_are_backed() public {
        gte(
            vault.totalAssets() + 1,
            vault.convertToAssets(vault.totalSupply()),
            "shares claim more than there is"
        );
    }

    function property_price_does_not_fall() public {
        // In units of (assets + 1) / (shares + 1), as the vault counts.
        gte(
            (_after.assets + 1) * (_before.shares + 1),
            (_before.assets + 1) * (_after.shares + 1),
            "the price of a share fell"
        );
    }

    function doomsday_everyone_leaves() public stateless {
        address[] memory actors = _getActors();
        for (uint256 i; i < actors.length; ++i) {
            uint256 shares = vault.balanceOf(actors[i]);
            vm.prank(actors[i]);
            vault.redeem(shares, actors[i], actors[i]);
        }
        eq(vault.totalSupply(), 0, "shares were left");
    }

    function canary_deposited_twice() public {
        t(deposits < 2, "canary: deposited twice");
    }

    function optimize_price() public view returns (int256) {
        return int256(vault.convertToAssets(1e18));
    }
}

contract VaultTester is VaultSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract VaultToFoundry is VaultSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_shares_are_backed() public {
        property_shares_are_backed();
    }

    function test_gifts_take_deposits() public {
        vault_deposit(1);
        vault_gift(3);
        vault_deposit(1);
    }

    function test_deposit() public {
        switchActor(1);
        vault_deposit(5 ether);
        vault_redeem(1 ether);
        doomsday();
    }

    function doomsday() internal {
        vm.expectRevert(Stateless.selector);
        this.doomsday_everyone_leaves();
    }
}

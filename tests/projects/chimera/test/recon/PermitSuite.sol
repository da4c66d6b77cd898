// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {ERC20} from "solady/src/tokens/ERC20.sol";
import {Suite} from "@recon/Suite.sol";

contract Coin is ERC20 {
    uint256 public constant CAP = 1e24;

    function name() public pure override returns (string memory) {
        return "Coin";
    }

    function symbol() public pure override returns (string memory) {
        return "C";
    }

    function mint(address to, uint256 amount) external {
        // The bug: what is minted now does not count.
        require(totalSupply() <= CAP, "cap");
        _mint(to, amount);
    }
}

/// @notice Solady's ERC20: signed permits of actors whose keys are known.
abstract contract PermitSuite is Suite {
    uint256 private constant KEY = 0xA11CE;

    Coin internal coin;
    address internal signer;
    uint256 internal permitted;

    function setup() internal override {
        coin = new Coin();
        signer = vm.addr(KEY);
        vm.label(signer, "signer");
        _addActor(signer);
        _addActor(address(0xB0B));
    }

    function coin_mint(uint256 amount) public asActor {
        coin.mint(_getActor(), between(amount, 1, 1e24));
        lte(coin.totalSupply(), coin.CAP(), "more coins than the cap");
    }

    function coin_transfer(uint256 to, uint256 amount) public asActor {
        address[] memory actors = _getActors();
        coin.transfer(actors[to % actors.length], amount);
    }

    function coin_permit(uint256 amount, uint256 deadline) public {
        uint256 nonce = coin.nonces(signer);
        bytes32 what = keccak256(
            abi.encode(
                keccak256(
                    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
                ),
                signer,
                address(this),
                amount,
                nonce,
                deadline
            )
        );
        bytes32 digest =
            keccak256(abi.encodePacked("\x19\x01", coin.DOMAIN_SEPARATOR(), what));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        coin.permit(signer, address(this), amount, deadline, v, r, s);
        ++permitted;
        eq(coin.nonces(signer), nonce + 1, "a permit used no nonce");
        eq(coin.allowance(signer, address(this)), amount, "allowance");
    }

    function coin_spend(uint256 amount) public {
        uint256 allowed = coin.allowance(signer, address(this));
        coin.transferFrom(signer, address(this), amount);
        lte(amount, allowed, "spent more than was allowed");
    }

    function canary_permitted() public {
        t(permitted == 0, "canary: permitted");
    }
}

contract PermitTester is PermitSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract PermitToFoundry is PermitSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_permit() public {
        coin_permit(5, type(uint256).max);
        switchActor(1);
        coin_mint(10);
        coin_spend(5);
    }

    function test_more_than_the_cap() public {
        coin_mint(1e24);
        coin_mint(1);
    }
}

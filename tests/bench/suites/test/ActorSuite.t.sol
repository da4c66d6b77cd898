// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Test} from "forge-std/Test.sol";
import {Token} from "./TokenSuite.t.sol";

/// @notice In the style of Chimera: the test is its own handler, ghosts around each call.
contract ActorInvariants is Test {
    struct Ghosts {
        uint256 supply;
        uint256 balance;
    }

    Token internal token;
    address[] internal actors;
    address internal actor;
    Ghosts internal before_;
    Ghosts internal after_;

    modifier asActor() {
        before_ = Ghosts(token.totalSupply(), token.balanceOf(actor));
        vm.startPrank(actor);
        _;
        vm.stopPrank();
        after_ = Ghosts(token.totalSupply(), token.balanceOf(actor));
    }

    function setUp() public {
        token = new Token();
        for (uint160 i = 1; i <= 3; ++i) actors.push(address(0xA0000 + i));
        actor = actors[0];
        targetContract(address(this));
    }

    function switchActor(uint256 entropy) public {
        actor = actors[entropy % actors.length];
    }

    function token_mint(uint256 amount) public asActor {
        token.mint(actor, bound(amount, 0, 1e24));
    }

    function token_burn(uint256 amount) public asActor {
        token.burn(bound(amount, 0, before_.balance));
    }

    function token_transfer(uint256 to, uint256 amount) public asActor {
        token.transfer(actors[to % actors.length], amount % (before_.balance + 1));
    }

    function token_approve(uint256 to, uint256 amount) public asActor {
        address spender = actors[to % actors.length];
        token.approve(spender, amount);
        t(token.allowance(actor, spender) == amount, "allowance");
    }

    function property_nobody_has_more_than_all() public {
        t(after_.balance <= after_.supply, "more than all");
    }

    function invariant_balances_are_the_supply() public view {
        uint256 sum;
        for (uint256 i; i < actors.length; ++i) sum += token.balanceOf(actors[i]);
        assertEq(sum, token.totalSupply());
    }

    function t(bool holds, string memory reason) internal {
        assertTrue(holds, reason);
    }
}

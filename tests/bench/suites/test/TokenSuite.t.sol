// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Test} from "forge-std/Test.sol";

contract Token is ERC20("Token", "T") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

contract TokenHandler is Test {
    Token public immutable token;
    address[] public actors;
    uint256 public minted;
    uint256 public burnt;

    constructor(Token token_) {
        token = token_;
        for (uint160 i = 1; i <= 3; ++i) actors.push(address(0xA0000 + i));
    }

    function mint(uint256 actor, uint256 amount) external {
        amount = bound(amount, 0, 1e24);
        token.mint(_actor(actor), amount);
        minted += amount;
    }

    function burn(uint256 actor, uint256 amount) external {
        address who = _actor(actor);
        amount = bound(amount, 0, token.balanceOf(who));
        vm.prank(who);
        token.burn(amount);
        burnt += amount;
    }

    function transfer(uint256 from, uint256 to, uint256 amount) external {
        address who = _actor(from);
        address whom = _actor(to);
        amount = bound(amount, 0, token.balanceOf(who));
        uint256 had = token.balanceOf(whom);
        vm.prank(who);
        token.transfer(whom, amount);
        vm.assertEq(token.balanceOf(whom), who == whom ? had : had + amount);
    }

    function approve(uint256 from, uint256 to, uint256 amount) external {
        vm.prank(_actor(from));
        token.approve(_actor(to), amount);
        vm.assertEq(token.allowance(_actor(from), _actor(to)), amount);
    }

    function spend(uint256 spender, uint256 from, uint256 to, uint256 amount) external {
        address who = _actor(from);
        address by = _actor(spender);
        uint256 most = token.allowance(who, by);
        if (most > token.balanceOf(who)) most = token.balanceOf(who);
        vm.prank(by);
        token.transferFrom(who, _actor(to), bound(amount, 0, most));
    }

    function count() external view returns (uint256) {
        return actors.length;
    }

    function _actor(uint256 seed) private view returns (address) {
        return actors[seed % actors.length];
    }
}

contract TokenInvariants is Test {
    Token internal token;
    TokenHandler internal handler;

    function setUp() public {
        token = new Token();
        handler = new TokenHandler(token);
        targetContract(address(handler));
    }

    function invariant_supply_is_what_was_minted() public view {
        assertEq(token.totalSupply(), handler.minted() - handler.burnt());
    }

    function invariant_balances_are_the_supply() public view {
        uint256 sum;
        for (uint256 i; i < handler.count(); ++i) {
            sum += token.balanceOf(handler.actors(i));
        }
        assertEq(sum, token.totalSupply());
    }
}

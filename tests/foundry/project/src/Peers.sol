// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Vm} from "./Vm.sol";

library Mirror {
    /// External, so called with DELEGATECALL.
    function whoAsks() external view returns (address sender, address self) {
        return (msg.sender, address(this));
    }

    function askThrough(Witness witness) external returns (address sender) {
        (sender,) = witness.who();
    }
}

/// Says who called.
contract Witness {
    address public sender;
    address public origin;
    uint256 public value;

    event Noted(address indexed sender, uint256 value);

    constructor() payable {
        sender = msg.sender;
        origin = tx.origin;
        value = msg.value;
    }

    receive() external payable {}

    function who() external payable returns (address, address) {
        return (msg.sender, tx.origin);
    }

    function whoReads() external view returns (address, address) {
        return (msg.sender, tx.origin);
    }

    function note() external payable {
        sender = msg.sender;
        origin = tx.origin;
        value = msg.value;
        emit Noted(msg.sender, msg.value);
    }

    function fails() external pure {
        revert("the witness fails");
    }

    function askOther(Witness other) external returns (address, address) {
        return other.who();
    }

    function askLibrary() external view returns (address, address) {
        return Mirror.whoAsks();
    }
}

/// Cheats in frames of its own.
contract Cheater {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function prank(address account) external {
        vm.prank(account);
    }

    function startPrank(address account) external {
        vm.startPrank(account);
    }

    function stopPrank() external {
        vm.stopPrank();
    }

    function prankAndAsk(address account, Witness witness) external returns (address sender) {
        vm.prank(account);
        (sender,) = witness.who();
    }

    function ask(Witness witness) external returns (address sender) {
        (sender,) = witness.who();
    }

    function prankAndFail(address account) external {
        vm.prank(account);
        revert("after prank");
    }

    function startPrankAndFail(address account) external {
        vm.startPrank(account);
        revert("after startPrank");
    }

    function create() external returns (Witness) {
        return new Witness();
    }

    function run(bytes[] calldata cheats, bool fails) external {
        for (uint256 i; i < cheats.length; i++) {
            (bool done,) = address(vm).call(cheats[i]);
            require(done, "a cheatcode was refused");
        }
        require(!fails, "after cheatcodes");
    }

    function payAndRun(address payable to, uint256 amount, bytes[] calldata cheats) external {
        to.transfer(amount);
        this.run(cheats, false);
        revert("after payment");
    }
}

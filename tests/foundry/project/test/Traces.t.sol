// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import {Test, console} from "forge-std/Test.sol";
import {Bank, Ledger} from "../src/Traced.sol";

/// Of these tests forge's traces and ours must be alike: tests/foundry/test_traces.py.
contract TracesTest is Test {
    Bank internal bank;
    Ledger internal ledger;

    function setUp() public {
        bank = new Bank();
        ledger = bank.open("first");
        vm.label(address(0xa11ce), "Alice");
    }

    receive() external payable {}

    function test_Fails_CustomError() public {
        Ledger.Entry memory entry = Ledger.Entry(5, 6, true);
        (uint256 total, bool first) = ledger.deposit{value: 1 ether}(entry);
        console.log("deposited", total, first);
        ledger.withdraw(0.25 ether);
        ledger.withdraw(2 ether);
    }

    function test_Fails_Assertion() public {
        bank.lend();
        assertEq(bank.opened(), 8);
        assertEq(ledger.total(), 1, "nothing is there");
    }

    function test_Fails_Panic() public {
        Bank other = new Bank{salt: "salt"}();
        vm.prank(address(0xa11ce));
        other.open("second");
        uint256 none = ledger.total();
        console.log(1 / none);
    }

    function test_Fails_Caught() public {
        try ledger.withdraw(1) {
            console.log("paid");
        } catch (bytes memory reason) {
            console.logBytes(reason);
        }
        vm.expectRevert(abi.encodeWithSelector(Ledger.TooMuch.selector, address(this), 2, 0));
        ledger.withdraw(2);
        (bool ok,) = address(0xdead).call{value: 1}(hex"1234");
        require(!ok, "somebody was there");
    }

    function test_Fails_Console() public {
        console.log("%s and %d, %i", "text", 12, 13);
        console.log("%o, %x", uint256(14), uint256(15));
        console.log("%x of %s", uint256(255), address(0xa11ce));
        console.log("%e %18e %2e", uint256(1234500), uint256(1234500), uint256(1234500));
        console.log("%e %e %e", uint256(1000), uint256(7), uint256(0));
        console.log("%d %o %s", true, false, true);
        console.log("%x %i %e", true, false, true);
        console.log("%d %x %o", address(0xa11ce), address(0xa11ce), address(0xa11ce));
        console.log("%d %x %o", "text", "text", "text");
        console.log("100%% of %s", "it", uint256(1), true);
        console.log("%s %s %s", "one");
        console.log("a % b %z %s", "c");
        console.log(true, "%s", uint256(3), address(0xa11ce));
        console.log(uint256(1));
        console.log(int256(-5));
        console.log("%d", int256(-5));
        console.log("%x", int256(-255));
        console.log("%3e", int256(-5));
        console.log("");
        console.log();
        console.logBytes(hex"c0de");
        console.logBytes32("abc");
        console.logBytes4(0x12345678);
        console.logInt(-7);
        revert("the end");
    }
}

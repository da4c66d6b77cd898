// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract LifecycleTest is Base {
    uint256 internal immutable made;
    uint256 internal number;
    uint256 internal settings;

    constructor() payable {
        made = 5;
        number = 1;
    }

    function setUp() public {
        number += 10;
        settings++;
    }

    function test_ConstructorThenSetUp() public view {
        checkUint(made, 5);
        checkUint(number, 11);
        checkUint(settings, 1);
    }

    function test_EachStartsAfterSetUp1() public {
        checkUint(number, 11);
        number = 1000;
    }

    function test_EachStartsAfterSetUp2() public {
        checkUint(number, 11);
        number = 2000;
    }

    function test_View() external view {
        checkUint(number, 11);
    }

    function test_Pure() external pure {
        check(true, "");
    }

    function test_Returns() external pure returns (bool) {
        return false;
    }

    function testWithoutAnUnderscore() public pure {}

    function testthis() public pure {}

    function test() public pure {}

    function test_Payable() public payable {
        checkUint(msg.value, 0);
    }

    function notATest() public pure {
        revert("it is not run");
    }

    function test_Fails_Require() public pure {
        require(false, "why");
    }

    function test_Fails_RequireWithoutAReason() public pure {
        require(false);
    }

    function test_Fails_Assert() public pure {
        assert(false);
    }

    function test_Fails_Overflow() public view {
        uint8 small = uint8(number);
        small = small * 200;
    }

    function test_Fails_CallOfAnEoa() public view {
        LifecycleTest(alice).test_View();
    }

    function test_Fails_Invalid() public pure {
        assembly {
            invalid()
        }
    }

    function test_Fails_OutOfGas() public view {
        this.endless{gas: 100_000}();
    }

    function endless() external pure {
        while (true) {}
    }

    function test_FailedIsNotAsked() public {
        // Only the mark in the cheat address says so.
        this.failed();
    }

    function failed() public pure returns (bool) {
        return true;
    }
}

contract FailedIsNotReadTest is Base {
    bool public failed;

    function test_TheVariableOfOldTests() public {
        failed = true;
    }
}

contract SetUpFailsTest is Base {
    function setUp() public pure {
        revert("setUp fails");
    }

    function test_Fails_All() public pure {}
}

contract ConstructorFailsTest is Base {
    constructor() {
        revert("the constructor fails");
    }

    function test_Fails_All() public pure {}
}

contract SetUpInOtherLettersTest is Base {
    uint256 internal number;

    function setup() public {
        number = 3;
    }

    function test_ItIsNotRun() public view {
        checkUint(number, 0);
    }
}

abstract contract Inherited is Base {
    uint256 internal number;

    function setUp() public virtual {
        number = 1;
    }

    function inherited() internal view {
        check(number > 0, "setUp");
    }
}

contract InheritsTest is Inherited {
    function setUp() public override {
        super.setUp();
        number += 1;
    }

    function test_SetUpOfBoth() public view {
        inherited();
        checkUint(number, 2);
    }
}

contract SenderOfSetUpTest is Base {
    address internal maker = msg.sender;
    address internal setter;
    uint256 internal balance;
    uint256 internal own;

    function setUp() public {
        setter = msg.sender;
        balance = msg.sender.balance;
        own = address(this).balance;
    }

    function test_IsThatOfTheTests() public view {
        checkAddress(maker, msg.sender);
        checkAddress(setter, msg.sender);
    }

    function test_Balances() public view {
        checkUint(own, type(uint96).max);
        checkUint(balance, type(uint96).max);
    }
}

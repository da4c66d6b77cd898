// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

/// Variables are those of the process: each test has names of its own.
contract EnvTest is Base {
    function test_SetAndGet() public {
        vm.setEnv("ORACLE_TEXT", "some text, with a comma");
        checkText(vm.envString("ORACLE_TEXT"), "some text, with a comma");
        vm.setEnv("ORACLE_TEXT", "");
        checkText(vm.envString("ORACLE_TEXT"), "");
    }

    function test_Exists() public {
        check(!vm.envExists("ORACLE_EXISTS"), "not yet");
        vm.setEnv("ORACLE_EXISTS", "1");
        check(vm.envExists("ORACLE_EXISTS"), "now");
    }

    function test_Types() public {
        vm.setEnv("ORACLE_UINT", "12");
        checkUint(vm.envUint("ORACLE_UINT"), 12);
        vm.setEnv("ORACLE_UINT", "0x12");
        checkUint(vm.envUint("ORACLE_UINT"), 18);
        vm.setEnv("ORACLE_INT", "-12");
        check(vm.envInt("ORACLE_INT") == -12, "int");
        vm.setEnv("ORACLE_BOOL", "true");
        check(vm.envBool("ORACLE_BOOL"), "bool");
        vm.setEnv("ORACLE_ADDRESS", "0x00000000000000000000000000000000000A11cE");
        checkAddress(vm.envAddress("ORACLE_ADDRESS"), alice);
        vm.setEnv("ORACLE_WORD", "0x00000000000000000000000000000000000000000000000000000000000000ab");
        checkUint(uint256(vm.envBytes32("ORACLE_WORD")), 0xab);
        vm.setEnv("ORACLE_BYTES", "0x0102");
        check(same(vm.envBytes("ORACLE_BYTES"), hex"0102"), "bytes");
    }

    function test_Lists() public {
        vm.setEnv("ORACLE_UINTS", "1, 2,0x3");
        uint256[] memory numbers = vm.envUint("ORACLE_UINTS", ",");
        checkUint(numbers.length, 3);
        checkUint(numbers[0] + 10 * numbers[1] + 100 * numbers[2], 321);
        vm.setEnv("ORACLE_STRINGS", "one|two| three");
        string[] memory texts = vm.envString("ORACLE_STRINGS", "|");
        checkUint(texts.length, 3);
        checkText(texts[2], "three");
        vm.setEnv("ORACLE_BOOLS", "true,false");
        check(vm.envBool("ORACLE_BOOLS", ",")[0], "first");
        vm.setEnv("ORACLE_INTS", "-1,1");
        check(vm.envInt("ORACLE_INTS", ",")[0] == -1, "first");
        vm.setEnv("ORACLE_ADDRESSES", "0x00000000000000000000000000000000000A11cE");
        checkAddress(vm.envAddress("ORACLE_ADDRESSES", ",")[0], alice);
        vm.setEnv("ORACLE_MANY_BYTES", "0x01,0x02");
        checkUint(vm.envBytes("ORACLE_MANY_BYTES", ",").length, 2);
    }

    function test_OrWithoutAVariable() public view {
        checkUint(vm.envOr("ORACLE_NONE", uint256(5)), 5);
        check(vm.envOr("ORACLE_NONE", int256(-5)) == -5, "int");
        check(vm.envOr("ORACLE_NONE", true), "bool");
        checkAddress(vm.envOr("ORACLE_NONE", alice), alice);
        check(vm.envOr("ORACLE_NONE", bytes32("x")) == "x", "word");
        checkText(vm.envOr("ORACLE_NONE", string("text")), "text");
        check(same(vm.envOr("ORACLE_NONE", bytes("bytes")), "bytes"), "bytes");
        uint256[] memory numbers = new uint256[](2);
        checkUint(vm.envOr("ORACLE_NONE", ",", numbers).length, 2);
        string[] memory texts = new string[](3);
        checkUint(vm.envOr("ORACLE_NONE", ",", texts).length, 3);
    }

    function test_OrWithAVariable() public {
        vm.setEnv("ORACLE_OR", "6");
        checkUint(vm.envOr("ORACLE_OR", uint256(5)), 6);
        checkText(vm.envOr("ORACLE_OR", string("text")), "6");
        uint256[] memory numbers = new uint256[](2);
        checkUint(vm.envOr("ORACLE_OR", ",", numbers).length, 1);
    }

    function test_OrOfWhatDoesNotParse() public {
        vm.setEnv("ORACLE_ODD", "odd");
        checkUint(vm.envOr("ORACLE_ODD", uint256(5)), 5);
    }

    function test_WithoutAVariable() public {
        refused(
            abi.encodeWithSignature("envUint(string)", "ORACLE_NONE"),
            "vm.envUint: environment variable \"ORACLE_NONE\" not found"
        );
        refused(
            abi.encodeWithSignature("envString(string)", "ORACLE_NONE"),
            "vm.envString: environment variable \"ORACLE_NONE\" not found"
        );
    }

    function test_WhatDoesNotParse() public {
        vm.setEnv("ORACLE_WRONG", "wrong");
        refused(abi.encodeWithSignature("envUint(string)", "ORACLE_WRONG"),
            "vm.envUint: failed parsing $ORACLE_WRONG as type `uint256`: parser error:\n"
            "$ORACLE_WRONG\n^\nexpected at least one digit"
        );
    }

    function test_NamesThatCannotBe1() public {
        refused(abi.encodeCall(Vm.setEnv, ("", "x")), "vm.setEnv: environment variable key can't be empty");
    }

    function test_NamesThatCannotBe2() public {
        refused(
            abi.encodeCall(Vm.setEnv, ("A=B", "x")),
            "vm.setEnv: environment variable key can't contain equal sign `=`"
        );
    }

    function test_SurvivesTheRevertOfTheFrame() public {
        try this.setAndFail() {} catch {}
        checkText(vm.envString("ORACLE_REVERTED"), "set");
    }

    function setAndFail() external {
        vm.setEnv("ORACLE_REVERTED", "set");
        revert("after setEnv");
    }

    function test_Fails_WithoutAVariable() public view {
        vm.envAddress("ORACLE_NONE");
    }

    function test_Fails_WhatDoesNotParse() public {
        vm.setEnv("ORACLE_BAD", "bad");
        vm.envBool("ORACLE_BAD");
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract StringsTest is Base {
    uint256 internal constant NOT_FOUND = type(uint256).max;

    function test_ToStringOfNumbers() public pure {
        checkText(vm.toString(uint256(0)), "0");
        checkText(vm.toString(uint256(12345)), "12345");
        checkText(
            vm.toString(type(uint256).max),
            "115792089237316195423570985008687907853269984665640564039457584007913129639935"
        );
        checkText(vm.toString(int256(-1)), "-1");
        checkText(vm.toString(int256(17)), "17");
        checkText(
            vm.toString(type(int256).min),
            "-57896044618658097711785492504343953926634992332820282019728792003956564819968"
        );
    }

    function test_ToStringOfTheRest() public pure {
        checkText(vm.toString(true), "true");
        checkText(vm.toString(false), "false");
        checkText(vm.toString(address(0xA11CE)), "0x00000000000000000000000000000000000A11cE");
        checkText(
            vm.toString(bytes32(uint256(0xAB))),
            "0x00000000000000000000000000000000000000000000000000000000000000ab"
        );
        checkText(vm.toString(bytes(hex"00FF")), "0x00ff");
        checkText(vm.toString(bytes("")), "0x");
    }

    function test_ParseUint() public pure {
        checkUint(vm.parseUint("123"), 123);
        checkUint(vm.parseUint("0xff"), 255);
        checkUint(vm.parseUint("0"), 0);
        checkUint(vm.parseUint("1e18"), 1e18);
        checkUint(vm.parseUint("1 ether"), 1 ether);
        checkUint(vm.parseUint("1.5gwei"), 1.5 gwei);
    }

    function test_ParseInt() public pure {
        check(vm.parseInt("-5") == -5, "-5");
        check(vm.parseInt("+5") == 5, "+5");
        check(vm.parseInt("0x10") == 16, "0x10");
        check(vm.parseInt("-0x10") == -16, "-0x10");
        check(vm.parseInt("-1e3") == -1000, "-1e3");
    }

    function test_ParseBool() public pure {
        check(vm.parseBool("true") && vm.parseBool("1") && vm.parseBool("True"), "true");
        check(!vm.parseBool("false") && !vm.parseBool("0") && !vm.parseBool("FALSE"), "false");
    }

    function test_ParseAddress() public pure {
        checkAddress(vm.parseAddress("0x00000000000000000000000000000000000A11cE"), address(0xA11CE));
        checkAddress(vm.parseAddress("0x00000000000000000000000000000000000a11ce"), address(0xA11CE));
        checkAddress(vm.parseAddress("00000000000000000000000000000000000a11ce"), address(0xA11CE));
    }

    function test_ParseBytes() public pure {
        check(same(vm.parseBytes("0x00ff"), hex"00ff"), "0x00ff");
        check(same(vm.parseBytes("00ff"), hex"00ff"), "00ff");
        check(same(vm.parseBytes("0x"), ""), "0x");
    }

    function test_ParseBytes32() public pure {
        bytes32 word = vm.parseBytes32("0x00000000000000000000000000000000000000000000000000000000000000ab");
        checkUint(uint256(word), 0xab);
    }

    function test_ParseUintErrors() public {
        refused(
            abi.encodeCall(Vm.parseUint, ("x")),
            "vm.parseUint: failed parsing \"x\" as type `uint256`: parser error:\nx\n^\nexpected at least one digit"
        );
        refused(
            abi.encodeCall(Vm.parseUint, ("-1")),
            "vm.parseUint: failed parsing \"-1\" as type `uint256`: parser error:\n-1\n^\nexpected at least one digit"
        );
        refused(
            abi.encodeCall(Vm.parseUint, (" 5")),
            "vm.parseUint: failed parsing \" 5\" as type `uint256`: parser error:\n 5\n^\nexpected at least one digit"
        );
        refused(
            abi.encodeCall(Vm.parseUint, ("")),
            "vm.parseUint: failed parsing \"\" as type `uint256`: missing hex prefix (\"0x\") for hex string"
        );
    }

    function test_ParseUintTooLarge() public {
        string memory text = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        refused(
            abi.encodeCall(Vm.parseUint, (text)),
            string.concat(
                "vm.parseUint: failed parsing \"",
                text,
                "\" as type `uint256`: missing hex prefix (\"0x\") for hex string"
            )
        );
    }

    function test_ParseIntErrors() public {
        refused(
            abi.encodeCall(Vm.parseInt, ("x")),
            "vm.parseInt: failed parsing \"x\" as type `int256`: parser error:\nx\n^\nexpected at least one digit"
        );
    }

    function test_ParseBoolErrors() public {
        refused(
            abi.encodeCall(Vm.parseBool, ("yes")),
            "vm.parseBool: failed parsing \"yes\" as type `bool`: parser error:\nyes\n   ^\ninvalid boolean"
        );
    }

    function test_ParseAddressErrors() public {
        refused(
            abi.encodeCall(Vm.parseAddress, ("0x12")),
            "vm.parseAddress: failed parsing \"0x12\" as type `address`: parser error:\n0x12\n^\ninvalid string length"
        );
    }

    function test_ParseBytesErrors() public {
        refused(
            abi.encodeCall(Vm.parseBytes, ("0x123")),
            "vm.parseBytes: failed parsing \"0x123\" as type `bytes`: parser error:\n0x123\n^\nodd number of digits"
        );
        refused(
            abi.encodeCall(Vm.parseBytes, ("")),
            "vm.parseBytes: failed parsing \"\" as type `bytes`: missing hex prefix (\"0x\") for hex string"
        );
    }

    function test_ParseBytes32Errors() public {
        refused(
            abi.encodeCall(Vm.parseBytes32, ("0x1234")),
            "vm.parseBytes32: failed parsing \"0x1234\" as type `bytes32`: parser error:\n"
            "0x1234\n      ^\ninvalid string length"
        );
    }

    function test_Case() public pure {
        checkText(vm.toLowercase("HeLLo 1"), "hello 1");
        checkText(vm.toUppercase("HeLLo 1"), "HELLO 1");
        checkText(vm.toUppercase(unicode"straße"), "STRASSE");
        checkText(vm.toLowercase(""), "");
    }

    function test_Trim() public pure {
        checkText(vm.trim("  a b \n\t"), "a b");
        checkText(vm.trim(""), "");
    }

    function test_Replace() public pure {
        checkText(vm.replace("a-b-c", "-", "+"), "a+b+c");
        checkText(vm.replace("abc", "x", "y"), "abc");
        checkText(vm.replace("aaa", "aa", "b"), "ba");
        checkText(vm.replace("ab", "", "-"), "-a-b-");
    }

    function test_Split() public pure {
        string[] memory parts = vm.split("a,b,,c", ",");
        checkUint(parts.length, 4);
        checkText(parts[0], "a");
        checkText(parts[2], "");
        checkText(parts[3], "c");
        checkUint(vm.split("abc", ",").length, 1);
        checkUint(vm.split("", ",").length, 1);
        checkUint(vm.split("ab", "").length, 4);
    }

    function test_IndexOf() public pure {
        checkUint(vm.indexOf("hello", "l"), 2);
        checkUint(vm.indexOf("hello", "hello"), 0);
        checkUint(vm.indexOf("hello", "x"), NOT_FOUND);
        checkUint(vm.indexOf("hello", ""), 0);
        checkUint(vm.indexOf("", "x"), NOT_FOUND);
        checkUint(vm.indexOf(unicode"éa", "a"), 2);
    }

    function test_Contains() public {
        check(vm.contains("hello", "ell"), "inside");
        check(!vm.contains("hello", "elo"), "not inside");
        check(vm.contains("hello", ""), "nothing is in everything");
    }

    function test_Base64() public pure {
        checkText(vm.toBase64(bytes(hex"fbff")), "+/8=");
        checkText(vm.toBase64(string("hello")), "aGVsbG8=");
        checkText(vm.toBase64URL(bytes(hex"fbff")), "-_8=");
        checkText(vm.toBase64URL(string("hello")), "aGVsbG8=");
        checkText(vm.toBase64(string("")), "");
    }

    function test_Namehash() public pure {
        check(vm.ensNamehash("") == 0, "the root");
        checkUint(
            uint256(vm.ensNamehash("eth")), 0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae
        );
    }

    function test_BoundIsAnyOfTheRange() public view {
        // Not that of forge-std: the value is drawn, whatever the first argument is.
        for (uint256 i = 1; i <= 10; i++) {
            uint256 found = vm.bound(i, 1, 10);
            check(found >= 1 && found <= 10, "within");
            int256 signed = vm.bound(int256(i) - 6, -5, 5);
            check(signed >= -5 && signed <= 5, "within");
        }
    }

    function test_BoundOfWhatIsOutside() public {
        refused(
            abi.encodeWithSignature("bound(uint256,uint256,uint256)", 11, 1, 10),
            "vm.bound: cannot bound 11 in [1, 10] range"
        );
        refused(
            abi.encodeWithSignature("bound(uint256,uint256,uint256)", 7, 7, 7),
            "vm.bound: cannot bound 7 in [7, 7] range"
        );
        refused(
            abi.encodeWithSignature("bound(int256,int256,int256)", -6, -5, 10),
            "vm.bound: cannot bound -6 in [-5, 10] range"
        );
    }

    function test_BoundTheWrongWay() public {
        refused(
            abi.encodeWithSignature("bound(uint256,uint256,uint256)", 1, 9, 2),
            "vm.bound: cannot bound 1 in [9, 2] range"
        );
    }

    function test_Sort() public {
        uint256[] memory numbers = new uint256[](4);
        numbers[0] = 7;
        numbers[1] = 3;
        numbers[2] = 9;
        numbers[3] = 3;
        numbers = vm.sort(numbers);
        checkUint(numbers[0] * 1000 + numbers[1] * 100 + numbers[2] * 10 + numbers[3], 3379);
    }

    function test_Shuffle() public {
        uint256[] memory numbers = new uint256[](3);
        numbers[0] = 1;
        numbers[1] = 10;
        numbers[2] = 100;
        numbers = vm.shuffle(numbers);
        checkUint(numbers[0] + numbers[1] + numbers[2], 111);
    }

    function test_RandomIsWithinItsBounds() public view {
        for (uint256 i; i < 20; i++) {
            uint256 number = vm.randomUint(5, 9);
            check(number >= 5 && number <= 9, "between");
            check(vm.randomUint(uint256(8)) < 256, "bits");
            int256 signed = vm.randomInt(8);
            check(signed >= -128 && signed < 128, "bits");
        }
        checkUint(vm.randomBytes(7).length, 7);
        checkUint(vm.randomUint(4, 4), 4);
    }

    function test_RandomTooManyBits() public {
        refused(
            abi.encodeWithSignature("randomUint(uint256)", 257), "vm.randomUint: number of bits cannot exceed 256"
        );
    }

    function test_RandomTheWrongWay() public {
        refused(abi.encodeWithSignature("randomUint(uint256,uint256)", 9, 5), "vm.randomUint: min must be less than or equal to max");
    }

    function test_SeedRepeats() public {
        vm.setSeed(5);
        uint256 one = vm.randomUint();
        vm.setSeed(5);
        checkUint(vm.randomUint(), one);
        check(vm.randomUint() != one, "and goes on");
    }

    function test_Fails_Parse() public pure {
        vm.parseUint("twelve");
    }

    function test_Fails_RandomTheWrongWay() public view {
        vm.randomUint(9, 5);
    }
}

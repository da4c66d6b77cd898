// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";

/// Each overload of each assertion: once it holds, once it does not.
contract AssertsTest is Base {

    function listBool(uint256 which) internal pure returns (bool[] memory found) {
        found = new bool[](2);
        found[0] = true;
        found[1] = which == 1 ? true : false;
    }

    function listUint256(uint256 which) internal pure returns (uint256[] memory found) {
        found = new uint256[](2);
        found[0] = uint256(1);
        found[1] = which == 1 ? uint256(7) : uint256(9);
    }

    function listInt256(uint256 which) internal pure returns (int256[] memory found) {
        found = new int256[](2);
        found[0] = int256(-1);
        found[1] = which == 1 ? int256(-7) : int256(9);
    }

    function listAddress(uint256 which) internal pure returns (address[] memory found) {
        found = new address[](2);
        found[0] = address(0xA11CE);
        found[1] = which == 1 ? address(0xA11CE) : address(0xB0B);
    }

    function listBytes32(uint256 which) internal pure returns (bytes32[] memory found) {
        found = new bytes32[](2);
        found[0] = bytes32(uint256(1));
        found[1] = which == 1 ? bytes32(uint256(1)) : bytes32(uint256(2));
    }

    function listString(uint256 which) internal pure returns (string[] memory found) {
        found = new string[](2);
        found[0] = "left";
        found[1] = which == 1 ? "left" : "right";
    }

    function listBytes(uint256 which) internal pure returns (bytes[] memory found) {
        found = new bytes[](2);
        found[0] = bytes(hex"01ff");
        found[1] = which == 1 ? bytes(hex"01ff") : bytes(hex"02");
    }

    function holds(bytes memory assertion) internal {
        (bool done, bytes memory data) = address(vm).call(assertion);
        if (!done) revert(readable(data));
        checkUint(data.length, 0);
    }

    function fails(bytes memory assertion, string memory text) internal {
        (bool done, bytes memory data) = address(vm).call(assertion);
        check(!done, "it holds");
        checkError(data, "CheatcodeError", text);
    }

    function test_ApproxEqAbs_Int() public {
        holds(abi.encodeWithSignature("assertApproxEqAbs(int256,int256,uint256)", int256(-7), int256(9), uint256(16)));
        fails(
            abi.encodeWithSignature("assertApproxEqAbs(int256,int256,uint256)", int256(-7), int256(9), uint256(15)),
            "assertion failed: -7 !~= 9 (max delta: 15, real delta: 16)"
        );
        holds(abi.encodeWithSignature("assertApproxEqAbs(int256,int256,uint256,string)", int256(-7), int256(9), uint256(16), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqAbs(int256,int256,uint256,string)", int256(-7), int256(9), uint256(15), "why"),
            "why: -7 !~= 9 (max delta: 15, real delta: 16)"
        );
    }

    function test_ApproxEqAbs_Uint() public {
        holds(abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(1)),
            "assertion failed: 7 !~= 9 (max delta: 1, real delta: 2)"
        );
        holds(abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(1), "why"),
            "why: 7 !~= 9 (max delta: 1, real delta: 2)"
        );
    }

    function test_ApproxEqAbsDecimal_Int() public {
        holds(abi.encodeWithSignature("assertApproxEqAbsDecimal(int256,int256,uint256,uint256)", int256(-7), int256(9), uint256(16), uint256(2)));
        fails(
            abi.encodeWithSignature("assertApproxEqAbsDecimal(int256,int256,uint256,uint256)", int256(-7), int256(9), uint256(15), uint256(2)),
            "assertion failed: -0.07 !~= 0.09 (max delta: 0.15, real delta: 0.16)"
        );
        holds(abi.encodeWithSignature("assertApproxEqAbsDecimal(int256,int256,uint256,uint256,string)", int256(-7), int256(9), uint256(16), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqAbsDecimal(int256,int256,uint256,uint256,string)", int256(-7), int256(9), uint256(15), uint256(2), "why"),
            "why: -0.07 !~= 0.09 (max delta: 0.15, real delta: 0.16)"
        );
    }

    function test_ApproxEqAbsDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertApproxEqAbsDecimal(uint256,uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2), uint256(2)));
        fails(
            abi.encodeWithSignature("assertApproxEqAbsDecimal(uint256,uint256,uint256,uint256)", uint256(7), uint256(9), uint256(1), uint256(2)),
            "assertion failed: 0.07 !~= 0.09 (max delta: 0.01, real delta: 0.02)"
        );
        holds(abi.encodeWithSignature("assertApproxEqAbsDecimal(uint256,uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqAbsDecimal(uint256,uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(1), uint256(2), "why"),
            "why: 0.07 !~= 0.09 (max delta: 0.01, real delta: 0.02)"
        );
    }

    function test_ApproxEqRel_Int() public {
        holds(abi.encodeWithSignature("assertApproxEqRel(int256,int256,uint256)", int256(-7), int256(9), uint256(2e18)));
        fails(
            abi.encodeWithSignature("assertApproxEqRel(int256,int256,uint256)", int256(-7), int256(9), uint256(1e18)),
            "assertion failed: -7 !~= 9 (max delta: 100.0000000000000000%, real delta: 177.7777777777777777%)"
        );
        holds(abi.encodeWithSignature("assertApproxEqRel(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2e18), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqRel(int256,int256,uint256,string)", int256(-7), int256(9), uint256(1e18), "why"),
            "why: -7 !~= 9 (max delta: 100.0000000000000000%, real delta: 177.7777777777777777%)"
        );
    }

    function test_ApproxEqRel_Uint() public {
        holds(abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(0.23e18)));
        fails(
            abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(0.2e18)),
            "assertion failed: 7 !~= 9 (max delta: 20.0000000000000000%, real delta: 22.2222222222222222%)"
        );
        holds(abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(0.23e18), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(0.2e18), "why"),
            "why: 7 !~= 9 (max delta: 20.0000000000000000%, real delta: 22.2222222222222222%)"
        );
    }

    function test_ApproxEqRelDecimal_Int() public {
        holds(abi.encodeWithSignature("assertApproxEqRelDecimal(int256,int256,uint256,uint256)", int256(-7), int256(9), uint256(2e18), uint256(2)));
        fails(
            abi.encodeWithSignature("assertApproxEqRelDecimal(int256,int256,uint256,uint256)", int256(-7), int256(9), uint256(1e18), uint256(2)),
            "assertion failed: -0.07 !~= 0.09 (max delta: 100.0000000000000000%, real delta: 177.7777777777777777%)"
        );
        holds(abi.encodeWithSignature("assertApproxEqRelDecimal(int256,int256,uint256,uint256,string)", int256(-7), int256(9), uint256(2e18), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqRelDecimal(int256,int256,uint256,uint256,string)", int256(-7), int256(9), uint256(1e18), uint256(2), "why"),
            "why: -0.07 !~= 0.09 (max delta: 100.0000000000000000%, real delta: 177.7777777777777777%)"
        );
    }

    function test_ApproxEqRelDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertApproxEqRelDecimal(uint256,uint256,uint256,uint256)", uint256(7), uint256(9), uint256(0.23e18), uint256(2)));
        fails(
            abi.encodeWithSignature("assertApproxEqRelDecimal(uint256,uint256,uint256,uint256)", uint256(7), uint256(9), uint256(0.2e18), uint256(2)),
            "assertion failed: 0.07 !~= 0.09 (max delta: 20.0000000000000000%, real delta: 22.2222222222222222%)"
        );
        holds(abi.encodeWithSignature("assertApproxEqRelDecimal(uint256,uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(0.23e18), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertApproxEqRelDecimal(uint256,uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(0.2e18), uint256(2), "why"),
            "why: 0.07 !~= 0.09 (max delta: 20.0000000000000000%, real delta: 22.2222222222222222%)"
        );
    }

    function test_Eq_Address() public {
        holds(abi.encodeWithSignature("assertEq(address,address)", address(0xA11CE), address(0xA11CE)));
        fails(
            abi.encodeWithSignature("assertEq(address,address)", address(0xA11CE), address(0xB0B)),
            "assertion failed: 0x00000000000000000000000000000000000A11cE != 0x0000000000000000000000000000000000000B0b"
        );
        holds(abi.encodeWithSignature("assertEq(address,address,string)", address(0xA11CE), address(0xA11CE), "why"));
        fails(
            abi.encodeWithSignature("assertEq(address,address,string)", address(0xA11CE), address(0xB0B), "why"),
            "why: 0x00000000000000000000000000000000000A11cE != 0x0000000000000000000000000000000000000B0b"
        );
    }

    function test_Eq_Addresss() public {
        holds(abi.encodeWithSignature("assertEq(address[],address[])", listAddress(1), listAddress(1)));
        fails(
            abi.encodeWithSignature("assertEq(address[],address[])", listAddress(1), listAddress(2)),
            "assertion failed: [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE] != [0x00000000000000000000000000000000000A11cE, 0x0000000000000000000000000000000000000B0b]"
        );
        holds(abi.encodeWithSignature("assertEq(address[],address[],string)", listAddress(1), listAddress(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(address[],address[],string)", listAddress(1), listAddress(2), "why"),
            "why: [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE] != [0x00000000000000000000000000000000000A11cE, 0x0000000000000000000000000000000000000B0b]"
        );
    }

    function test_Eq_Bool() public {
        holds(abi.encodeWithSignature("assertEq(bool,bool)", true, true));
        fails(
            abi.encodeWithSignature("assertEq(bool,bool)", true, false),
            "assertion failed: true != false"
        );
        holds(abi.encodeWithSignature("assertEq(bool,bool,string)", true, true, "why"));
        fails(
            abi.encodeWithSignature("assertEq(bool,bool,string)", true, false, "why"),
            "why: true != false"
        );
    }

    function test_Eq_Bools() public {
        holds(abi.encodeWithSignature("assertEq(bool[],bool[])", listBool(1), listBool(1)));
        fails(
            abi.encodeWithSignature("assertEq(bool[],bool[])", listBool(1), listBool(2)),
            "assertion failed: [true, true] != [true, false]"
        );
        holds(abi.encodeWithSignature("assertEq(bool[],bool[],string)", listBool(1), listBool(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(bool[],bool[],string)", listBool(1), listBool(2), "why"),
            "why: [true, true] != [true, false]"
        );
    }

    function test_Eq_Bytes() public {
        holds(abi.encodeWithSignature("assertEq(bytes,bytes)", bytes(hex"01ff"), bytes(hex"01ff")));
        fails(
            abi.encodeWithSignature("assertEq(bytes,bytes)", bytes(hex"01ff"), bytes(hex"02")),
            "assertion failed: 0x01ff != 0x02"
        );
        holds(abi.encodeWithSignature("assertEq(bytes,bytes,string)", bytes(hex"01ff"), bytes(hex"01ff"), "why"));
        fails(
            abi.encodeWithSignature("assertEq(bytes,bytes,string)", bytes(hex"01ff"), bytes(hex"02"), "why"),
            "why: 0x01ff != 0x02"
        );
    }

    function test_Eq_Word() public {
        holds(abi.encodeWithSignature("assertEq(bytes32,bytes32)", bytes32(uint256(1)), bytes32(uint256(1))));
        fails(
            abi.encodeWithSignature("assertEq(bytes32,bytes32)", bytes32(uint256(1)), bytes32(uint256(2))),
            "assertion failed: 0x0000000000000000000000000000000000000000000000000000000000000001 != 0x0000000000000000000000000000000000000000000000000000000000000002"
        );
        holds(abi.encodeWithSignature("assertEq(bytes32,bytes32,string)", bytes32(uint256(1)), bytes32(uint256(1)), "why"));
        fails(
            abi.encodeWithSignature("assertEq(bytes32,bytes32,string)", bytes32(uint256(1)), bytes32(uint256(2)), "why"),
            "why: 0x0000000000000000000000000000000000000000000000000000000000000001 != 0x0000000000000000000000000000000000000000000000000000000000000002"
        );
    }

    function test_Eq_Words() public {
        holds(abi.encodeWithSignature("assertEq(bytes32[],bytes32[])", listBytes32(1), listBytes32(1)));
        fails(
            abi.encodeWithSignature("assertEq(bytes32[],bytes32[])", listBytes32(1), listBytes32(2)),
            "assertion failed: [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001] != [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000002]"
        );
        holds(abi.encodeWithSignature("assertEq(bytes32[],bytes32[],string)", listBytes32(1), listBytes32(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(bytes32[],bytes32[],string)", listBytes32(1), listBytes32(2), "why"),
            "why: [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001] != [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000002]"
        );
    }

    function test_Eq_Bytess() public {
        holds(abi.encodeWithSignature("assertEq(bytes[],bytes[])", listBytes(1), listBytes(1)));
        fails(
            abi.encodeWithSignature("assertEq(bytes[],bytes[])", listBytes(1), listBytes(2)),
            "assertion failed: [0x01ff, 0x01ff] != [0x01ff, 0x02]"
        );
        holds(abi.encodeWithSignature("assertEq(bytes[],bytes[],string)", listBytes(1), listBytes(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(bytes[],bytes[],string)", listBytes(1), listBytes(2), "why"),
            "why: [0x01ff, 0x01ff] != [0x01ff, 0x02]"
        );
    }

    function test_Eq_Int() public {
        holds(abi.encodeWithSignature("assertEq(int256,int256)", int256(-7), int256(-7)));
        fails(
            abi.encodeWithSignature("assertEq(int256,int256)", int256(-7), int256(9)),
            "assertion failed: -7 != 9"
        );
        holds(abi.encodeWithSignature("assertEq(int256,int256,string)", int256(-7), int256(-7), "why"));
        fails(
            abi.encodeWithSignature("assertEq(int256,int256,string)", int256(-7), int256(9), "why"),
            "why: -7 != 9"
        );
    }

    function test_Eq_Ints() public {
        holds(abi.encodeWithSignature("assertEq(int256[],int256[])", listInt256(1), listInt256(1)));
        fails(
            abi.encodeWithSignature("assertEq(int256[],int256[])", listInt256(1), listInt256(2)),
            "assertion failed: [-1, -7] != [-1, 9]"
        );
        holds(abi.encodeWithSignature("assertEq(int256[],int256[],string)", listInt256(1), listInt256(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(int256[],int256[],string)", listInt256(1), listInt256(2), "why"),
            "why: [-1, -7] != [-1, 9]"
        );
    }

    function test_Eq_String() public {
        holds(abi.encodeWithSignature("assertEq(string,string)", "left", "left"));
        fails(
            abi.encodeWithSignature("assertEq(string,string)", "left", "right"),
            "assertion failed: left != right"
        );
        holds(abi.encodeWithSignature("assertEq(string,string,string)", "left", "left", "why"));
        fails(
            abi.encodeWithSignature("assertEq(string,string,string)", "left", "right", "why"),
            "why: left != right"
        );
    }

    function test_Eq_Strings() public {
        holds(abi.encodeWithSignature("assertEq(string[],string[])", listString(1), listString(1)));
        fails(
            abi.encodeWithSignature("assertEq(string[],string[])", listString(1), listString(2)),
            "assertion failed: [left, left] != [left, right]"
        );
        holds(abi.encodeWithSignature("assertEq(string[],string[],string)", listString(1), listString(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(string[],string[],string)", listString(1), listString(2), "why"),
            "why: [left, left] != [left, right]"
        );
    }

    function test_Eq_Uint() public {
        holds(abi.encodeWithSignature("assertEq(uint256,uint256)", uint256(7), uint256(7)));
        fails(
            abi.encodeWithSignature("assertEq(uint256,uint256)", uint256(7), uint256(9)),
            "assertion failed: 7 != 9"
        );
        holds(abi.encodeWithSignature("assertEq(uint256,uint256,string)", uint256(7), uint256(7), "why"));
        fails(
            abi.encodeWithSignature("assertEq(uint256,uint256,string)", uint256(7), uint256(9), "why"),
            "why: 7 != 9"
        );
    }

    function test_Eq_Uints() public {
        holds(abi.encodeWithSignature("assertEq(uint256[],uint256[])", listUint256(1), listUint256(1)));
        fails(
            abi.encodeWithSignature("assertEq(uint256[],uint256[])", listUint256(1), listUint256(2)),
            "assertion failed: [1, 7] != [1, 9]"
        );
        holds(abi.encodeWithSignature("assertEq(uint256[],uint256[],string)", listUint256(1), listUint256(1), "why"));
        fails(
            abi.encodeWithSignature("assertEq(uint256[],uint256[],string)", listUint256(1), listUint256(2), "why"),
            "why: [1, 7] != [1, 9]"
        );
    }

    function test_EqDecimal_Int() public {
        holds(abi.encodeWithSignature("assertEqDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertEqDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)),
            "assertion failed: -0.07 != 0.09"
        );
        holds(abi.encodeWithSignature("assertEqDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertEqDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"),
            "why: -0.07 != 0.09"
        );
    }

    function test_EqDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)),
            "assertion failed: 0.07 != 0.09"
        );
        holds(abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"),
            "why: 0.07 != 0.09"
        );
    }

    function test_Bool() public {
        holds(abi.encodeWithSignature("assertFalse(bool)", false));
        fails(
            abi.encodeWithSignature("assertFalse(bool)", true),
            "assertion failed"
        );
        holds(abi.encodeWithSignature("assertFalse(bool,string)", false, "why"));
        fails(
            abi.encodeWithSignature("assertFalse(bool,string)", true, "why"),
            "why"
        );
        holds(abi.encodeWithSignature("assertTrue(bool)", true));
        fails(
            abi.encodeWithSignature("assertTrue(bool)", false),
            "assertion failed"
        );
        holds(abi.encodeWithSignature("assertTrue(bool,string)", true, "why"));
        fails(
            abi.encodeWithSignature("assertTrue(bool,string)", false, "why"),
            "why"
        );
    }

    function test_Ge_Int() public {
        holds(abi.encodeWithSignature("assertGe(int256,int256)", int256(-7), int256(-7)));
        fails(
            abi.encodeWithSignature("assertGe(int256,int256)", int256(-7), int256(9)),
            "assertion failed: -7 < 9"
        );
        holds(abi.encodeWithSignature("assertGe(int256,int256,string)", int256(-7), int256(-7), "why"));
        fails(
            abi.encodeWithSignature("assertGe(int256,int256,string)", int256(-7), int256(9), "why"),
            "why: -7 < 9"
        );
    }

    function test_Ge_Uint() public {
        holds(abi.encodeWithSignature("assertGe(uint256,uint256)", uint256(7), uint256(7)));
        fails(
            abi.encodeWithSignature("assertGe(uint256,uint256)", uint256(7), uint256(9)),
            "assertion failed: 7 < 9"
        );
        holds(abi.encodeWithSignature("assertGe(uint256,uint256,string)", uint256(7), uint256(7), "why"));
        fails(
            abi.encodeWithSignature("assertGe(uint256,uint256,string)", uint256(7), uint256(9), "why"),
            "why: 7 < 9"
        );
    }

    function test_GeDecimal_Int() public {
        holds(abi.encodeWithSignature("assertGeDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGeDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)),
            "assertion failed: -0.07 < 0.09"
        );
        holds(abi.encodeWithSignature("assertGeDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGeDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"),
            "why: -0.07 < 0.09"
        );
    }

    function test_GeDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertGeDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGeDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)),
            "assertion failed: 0.07 < 0.09"
        );
        holds(abi.encodeWithSignature("assertGeDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGeDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"),
            "why: 0.07 < 0.09"
        );
    }

    function test_Gt_Int() public {
        holds(abi.encodeWithSignature("assertGt(int256,int256)", int256(9), int256(-7)));
        fails(
            abi.encodeWithSignature("assertGt(int256,int256)", int256(-7), int256(9)),
            "assertion failed: -7 <= 9"
        );
        holds(abi.encodeWithSignature("assertGt(int256,int256)", int256(9), int256(-7)));
        fails(
            abi.encodeWithSignature("assertGt(int256,int256)", int256(-7), int256(-7)),
            "assertion failed: -7 <= -7"
        );
        holds(abi.encodeWithSignature("assertGt(int256,int256,string)", int256(9), int256(-7), "why"));
        fails(
            abi.encodeWithSignature("assertGt(int256,int256,string)", int256(-7), int256(9), "why"),
            "why: -7 <= 9"
        );
        holds(abi.encodeWithSignature("assertGt(int256,int256,string)", int256(9), int256(-7), "why"));
        fails(
            abi.encodeWithSignature("assertGt(int256,int256,string)", int256(-7), int256(-7), "why"),
            "why: -7 <= -7"
        );
    }

    function test_Gt_Uint() public {
        holds(abi.encodeWithSignature("assertGt(uint256,uint256)", uint256(9), uint256(7)));
        fails(
            abi.encodeWithSignature("assertGt(uint256,uint256)", uint256(7), uint256(9)),
            "assertion failed: 7 <= 9"
        );
        holds(abi.encodeWithSignature("assertGt(uint256,uint256)", uint256(9), uint256(7)));
        fails(
            abi.encodeWithSignature("assertGt(uint256,uint256)", uint256(7), uint256(7)),
            "assertion failed: 7 <= 7"
        );
        holds(abi.encodeWithSignature("assertGt(uint256,uint256,string)", uint256(9), uint256(7), "why"));
        fails(
            abi.encodeWithSignature("assertGt(uint256,uint256,string)", uint256(7), uint256(9), "why"),
            "why: 7 <= 9"
        );
        holds(abi.encodeWithSignature("assertGt(uint256,uint256,string)", uint256(9), uint256(7), "why"));
        fails(
            abi.encodeWithSignature("assertGt(uint256,uint256,string)", uint256(7), uint256(7), "why"),
            "why: 7 <= 7"
        );
    }

    function test_GtDecimal_Int() public {
        holds(abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256)", int256(9), int256(-7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)),
            "assertion failed: -0.07 <= 0.09"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256)", int256(9), int256(-7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)),
            "assertion failed: -0.07 <= -0.07"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256,string)", int256(9), int256(-7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"),
            "why: -0.07 <= 0.09"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256,string)", int256(9), int256(-7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGtDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"),
            "why: -0.07 <= -0.07"
        );
    }

    function test_GtDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256)", uint256(9), uint256(7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)),
            "assertion failed: 0.07 <= 0.09"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256)", uint256(9), uint256(7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)),
            "assertion failed: 0.07 <= 0.07"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256,string)", uint256(9), uint256(7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"),
            "why: 0.07 <= 0.09"
        );
        holds(abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256,string)", uint256(9), uint256(7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertGtDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"),
            "why: 0.07 <= 0.07"
        );
    }

    function test_Le_Int() public {
        holds(abi.encodeWithSignature("assertLe(int256,int256)", int256(-7), int256(-7)));
        fails(
            abi.encodeWithSignature("assertLe(int256,int256)", int256(9), int256(-7)),
            "assertion failed: 9 > -7"
        );
        holds(abi.encodeWithSignature("assertLe(int256,int256,string)", int256(-7), int256(-7), "why"));
        fails(
            abi.encodeWithSignature("assertLe(int256,int256,string)", int256(9), int256(-7), "why"),
            "why: 9 > -7"
        );
    }

    function test_Le_Uint() public {
        holds(abi.encodeWithSignature("assertLe(uint256,uint256)", uint256(7), uint256(7)));
        fails(
            abi.encodeWithSignature("assertLe(uint256,uint256)", uint256(9), uint256(7)),
            "assertion failed: 9 > 7"
        );
        holds(abi.encodeWithSignature("assertLe(uint256,uint256,string)", uint256(7), uint256(7), "why"));
        fails(
            abi.encodeWithSignature("assertLe(uint256,uint256,string)", uint256(9), uint256(7), "why"),
            "why: 9 > 7"
        );
    }

    function test_LeDecimal_Int() public {
        holds(abi.encodeWithSignature("assertLeDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLeDecimal(int256,int256,uint256)", int256(9), int256(-7), uint256(2)),
            "assertion failed: 0.09 > -0.07"
        );
        holds(abi.encodeWithSignature("assertLeDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLeDecimal(int256,int256,uint256,string)", int256(9), int256(-7), uint256(2), "why"),
            "why: 0.09 > -0.07"
        );
    }

    function test_LeDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertLeDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLeDecimal(uint256,uint256,uint256)", uint256(9), uint256(7), uint256(2)),
            "assertion failed: 0.09 > 0.07"
        );
        holds(abi.encodeWithSignature("assertLeDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLeDecimal(uint256,uint256,uint256,string)", uint256(9), uint256(7), uint256(2), "why"),
            "why: 0.09 > 0.07"
        );
    }

    function test_Lt_Int() public {
        holds(abi.encodeWithSignature("assertLt(int256,int256)", int256(-7), int256(9)));
        fails(
            abi.encodeWithSignature("assertLt(int256,int256)", int256(9), int256(-7)),
            "assertion failed: 9 >= -7"
        );
        holds(abi.encodeWithSignature("assertLt(int256,int256)", int256(-7), int256(9)));
        fails(
            abi.encodeWithSignature("assertLt(int256,int256)", int256(-7), int256(-7)),
            "assertion failed: -7 >= -7"
        );
        holds(abi.encodeWithSignature("assertLt(int256,int256,string)", int256(-7), int256(9), "why"));
        fails(
            abi.encodeWithSignature("assertLt(int256,int256,string)", int256(9), int256(-7), "why"),
            "why: 9 >= -7"
        );
        holds(abi.encodeWithSignature("assertLt(int256,int256,string)", int256(-7), int256(9), "why"));
        fails(
            abi.encodeWithSignature("assertLt(int256,int256,string)", int256(-7), int256(-7), "why"),
            "why: -7 >= -7"
        );
    }

    function test_Lt_Uint() public {
        holds(abi.encodeWithSignature("assertLt(uint256,uint256)", uint256(7), uint256(9)));
        fails(
            abi.encodeWithSignature("assertLt(uint256,uint256)", uint256(9), uint256(7)),
            "assertion failed: 9 >= 7"
        );
        holds(abi.encodeWithSignature("assertLt(uint256,uint256)", uint256(7), uint256(9)));
        fails(
            abi.encodeWithSignature("assertLt(uint256,uint256)", uint256(7), uint256(7)),
            "assertion failed: 7 >= 7"
        );
        holds(abi.encodeWithSignature("assertLt(uint256,uint256,string)", uint256(7), uint256(9), "why"));
        fails(
            abi.encodeWithSignature("assertLt(uint256,uint256,string)", uint256(9), uint256(7), "why"),
            "why: 9 >= 7"
        );
        holds(abi.encodeWithSignature("assertLt(uint256,uint256,string)", uint256(7), uint256(9), "why"));
        fails(
            abi.encodeWithSignature("assertLt(uint256,uint256,string)", uint256(7), uint256(7), "why"),
            "why: 7 >= 7"
        );
    }

    function test_LtDecimal_Int() public {
        holds(abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256)", int256(9), int256(-7), uint256(2)),
            "assertion failed: 0.09 >= -0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)),
            "assertion failed: -0.07 >= -0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256,string)", int256(9), int256(-7), uint256(2), "why"),
            "why: 0.09 >= -0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLtDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"),
            "why: -0.07 >= -0.07"
        );
    }

    function test_LtDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256)", uint256(9), uint256(7), uint256(2)),
            "assertion failed: 0.09 >= 0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)),
            "assertion failed: 0.07 >= 0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256,string)", uint256(9), uint256(7), uint256(2), "why"),
            "why: 0.09 >= 0.07"
        );
        holds(abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertLtDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"),
            "why: 0.07 >= 0.07"
        );
    }

    function test_NotEq_Address() public {
        holds(abi.encodeWithSignature("assertNotEq(address,address)", address(0xA11CE), address(0xB0B)));
        fails(
            abi.encodeWithSignature("assertNotEq(address,address)", address(0xA11CE), address(0xA11CE)),
            "assertion failed: 0x00000000000000000000000000000000000A11cE == 0x00000000000000000000000000000000000A11cE"
        );
        holds(abi.encodeWithSignature("assertNotEq(address,address,string)", address(0xA11CE), address(0xB0B), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(address,address,string)", address(0xA11CE), address(0xA11CE), "why"),
            "why: 0x00000000000000000000000000000000000A11cE == 0x00000000000000000000000000000000000A11cE"
        );
    }

    function test_NotEq_Addresss() public {
        holds(abi.encodeWithSignature("assertNotEq(address[],address[])", listAddress(1), listAddress(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(address[],address[])", listAddress(1), listAddress(1)),
            "assertion failed: [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE] == [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE]"
        );
        holds(abi.encodeWithSignature("assertNotEq(address[],address[],string)", listAddress(1), listAddress(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(address[],address[],string)", listAddress(1), listAddress(1), "why"),
            "why: [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE] == [0x00000000000000000000000000000000000A11cE, 0x00000000000000000000000000000000000A11cE]"
        );
    }

    function test_NotEq_Bool() public {
        holds(abi.encodeWithSignature("assertNotEq(bool,bool)", true, false));
        fails(
            abi.encodeWithSignature("assertNotEq(bool,bool)", true, true),
            "assertion failed: true == true"
        );
        holds(abi.encodeWithSignature("assertNotEq(bool,bool,string)", true, false, "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bool,bool,string)", true, true, "why"),
            "why: true == true"
        );
    }

    function test_NotEq_Bools() public {
        holds(abi.encodeWithSignature("assertNotEq(bool[],bool[])", listBool(1), listBool(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(bool[],bool[])", listBool(1), listBool(1)),
            "assertion failed: [true, true] == [true, true]"
        );
        holds(abi.encodeWithSignature("assertNotEq(bool[],bool[],string)", listBool(1), listBool(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bool[],bool[],string)", listBool(1), listBool(1), "why"),
            "why: [true, true] == [true, true]"
        );
    }

    function test_NotEq_Bytes() public {
        holds(abi.encodeWithSignature("assertNotEq(bytes,bytes)", bytes(hex"01ff"), bytes(hex"02")));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes,bytes)", bytes(hex"01ff"), bytes(hex"01ff")),
            "assertion failed: 0x01ff == 0x01ff"
        );
        holds(abi.encodeWithSignature("assertNotEq(bytes,bytes,string)", bytes(hex"01ff"), bytes(hex"02"), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes,bytes,string)", bytes(hex"01ff"), bytes(hex"01ff"), "why"),
            "why: 0x01ff == 0x01ff"
        );
    }

    function test_NotEq_Word() public {
        holds(abi.encodeWithSignature("assertNotEq(bytes32,bytes32)", bytes32(uint256(1)), bytes32(uint256(2))));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes32,bytes32)", bytes32(uint256(1)), bytes32(uint256(1))),
            "assertion failed: 0x0000000000000000000000000000000000000000000000000000000000000001 == 0x0000000000000000000000000000000000000000000000000000000000000001"
        );
        holds(abi.encodeWithSignature("assertNotEq(bytes32,bytes32,string)", bytes32(uint256(1)), bytes32(uint256(2)), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes32,bytes32,string)", bytes32(uint256(1)), bytes32(uint256(1)), "why"),
            "why: 0x0000000000000000000000000000000000000000000000000000000000000001 == 0x0000000000000000000000000000000000000000000000000000000000000001"
        );
    }

    function test_NotEq_Words() public {
        holds(abi.encodeWithSignature("assertNotEq(bytes32[],bytes32[])", listBytes32(1), listBytes32(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes32[],bytes32[])", listBytes32(1), listBytes32(1)),
            "assertion failed: [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001] == [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001]"
        );
        holds(abi.encodeWithSignature("assertNotEq(bytes32[],bytes32[],string)", listBytes32(1), listBytes32(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes32[],bytes32[],string)", listBytes32(1), listBytes32(1), "why"),
            "why: [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001] == [0x0000000000000000000000000000000000000000000000000000000000000001, 0x0000000000000000000000000000000000000000000000000000000000000001]"
        );
    }

    function test_NotEq_Bytess() public {
        holds(abi.encodeWithSignature("assertNotEq(bytes[],bytes[])", listBytes(1), listBytes(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes[],bytes[])", listBytes(1), listBytes(1)),
            "assertion failed: [0x01ff, 0x01ff] == [0x01ff, 0x01ff]"
        );
        holds(abi.encodeWithSignature("assertNotEq(bytes[],bytes[],string)", listBytes(1), listBytes(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(bytes[],bytes[],string)", listBytes(1), listBytes(1), "why"),
            "why: [0x01ff, 0x01ff] == [0x01ff, 0x01ff]"
        );
    }

    function test_NotEq_Int() public {
        holds(abi.encodeWithSignature("assertNotEq(int256,int256)", int256(-7), int256(9)));
        fails(
            abi.encodeWithSignature("assertNotEq(int256,int256)", int256(-7), int256(-7)),
            "assertion failed: -7 == -7"
        );
        holds(abi.encodeWithSignature("assertNotEq(int256,int256,string)", int256(-7), int256(9), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(int256,int256,string)", int256(-7), int256(-7), "why"),
            "why: -7 == -7"
        );
    }

    function test_NotEq_Ints() public {
        holds(abi.encodeWithSignature("assertNotEq(int256[],int256[])", listInt256(1), listInt256(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(int256[],int256[])", listInt256(1), listInt256(1)),
            "assertion failed: [-1, -7] == [-1, -7]"
        );
        holds(abi.encodeWithSignature("assertNotEq(int256[],int256[],string)", listInt256(1), listInt256(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(int256[],int256[],string)", listInt256(1), listInt256(1), "why"),
            "why: [-1, -7] == [-1, -7]"
        );
    }

    function test_NotEq_String() public {
        holds(abi.encodeWithSignature("assertNotEq(string,string)", "left", "right"));
        fails(
            abi.encodeWithSignature("assertNotEq(string,string)", "left", "left"),
            "assertion failed: left == left"
        );
        holds(abi.encodeWithSignature("assertNotEq(string,string,string)", "left", "right", "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(string,string,string)", "left", "left", "why"),
            "why: left == left"
        );
    }

    function test_NotEq_Strings() public {
        holds(abi.encodeWithSignature("assertNotEq(string[],string[])", listString(1), listString(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(string[],string[])", listString(1), listString(1)),
            "assertion failed: [left, left] == [left, left]"
        );
        holds(abi.encodeWithSignature("assertNotEq(string[],string[],string)", listString(1), listString(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(string[],string[],string)", listString(1), listString(1), "why"),
            "why: [left, left] == [left, left]"
        );
    }

    function test_NotEq_Uint() public {
        holds(abi.encodeWithSignature("assertNotEq(uint256,uint256)", uint256(7), uint256(9)));
        fails(
            abi.encodeWithSignature("assertNotEq(uint256,uint256)", uint256(7), uint256(7)),
            "assertion failed: 7 == 7"
        );
        holds(abi.encodeWithSignature("assertNotEq(uint256,uint256,string)", uint256(7), uint256(9), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(uint256,uint256,string)", uint256(7), uint256(7), "why"),
            "why: 7 == 7"
        );
    }

    function test_NotEq_Uints() public {
        holds(abi.encodeWithSignature("assertNotEq(uint256[],uint256[])", listUint256(1), listUint256(2)));
        fails(
            abi.encodeWithSignature("assertNotEq(uint256[],uint256[])", listUint256(1), listUint256(1)),
            "assertion failed: [1, 7] == [1, 7]"
        );
        holds(abi.encodeWithSignature("assertNotEq(uint256[],uint256[],string)", listUint256(1), listUint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEq(uint256[],uint256[],string)", listUint256(1), listUint256(1), "why"),
            "why: [1, 7] == [1, 7]"
        );
    }

    function test_NotEqDecimal_Int() public {
        holds(abi.encodeWithSignature("assertNotEqDecimal(int256,int256,uint256)", int256(-7), int256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertNotEqDecimal(int256,int256,uint256)", int256(-7), int256(-7), uint256(2)),
            "assertion failed: -0.07 == -0.07"
        );
        holds(abi.encodeWithSignature("assertNotEqDecimal(int256,int256,uint256,string)", int256(-7), int256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEqDecimal(int256,int256,uint256,string)", int256(-7), int256(-7), uint256(2), "why"),
            "why: -0.07 == -0.07"
        );
    }

    function test_NotEqDecimal_Uint() public {
        holds(abi.encodeWithSignature("assertNotEqDecimal(uint256,uint256,uint256)", uint256(7), uint256(9), uint256(2)));
        fails(
            abi.encodeWithSignature("assertNotEqDecimal(uint256,uint256,uint256)", uint256(7), uint256(7), uint256(2)),
            "assertion failed: 0.07 == 0.07"
        );
        holds(abi.encodeWithSignature("assertNotEqDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(9), uint256(2), "why"));
        fails(
            abi.encodeWithSignature("assertNotEqDecimal(uint256,uint256,uint256,string)", uint256(7), uint256(7), uint256(2), "why"),
            "why: 0.07 == 0.07"
        );
    }

    function test_FailureOfAnAssertionMayBeCaught() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("assertTrue(bool)", false));
        check(!done, "it fails");
    }

    function test_FailureLeavesNoMark() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("assertTrue(bool)", false));
        check(!done, "it fails");
        checkUint(uint256(vm.load(address(vm), bytes32("failed"))), 0);
    }

    function test_EmptyListsAreEqual() public {
        holds(abi.encodeWithSignature("assertEq(uint256[],uint256[])", new uint256[](0), new uint256[](0)));
    }

    function test_ListsOfOtherLengths() public {
        fails(
            abi.encodeWithSignature("assertEq(uint256[],uint256[])", new uint256[](1), new uint256[](2)),
            "assertion failed: [0] != [0, 0]"
        );
    }

    function test_EmptyTexts() public {
        fails(abi.encodeWithSignature("assertEq(string,string)", "", "x"), "assertion failed:  != x");
        fails(abi.encodeWithSignature("assertEq(bytes,bytes)", bytes(""), bytes("x")), "assertion failed: 0x != 0x78");
    }

    function test_EmptyMessages() public {
        fails(abi.encodeWithSignature("assertTrue(bool,string)", false, ""), "");
        fails(abi.encodeWithSignature("assertEq(uint256,uint256,string)", 1, 2, ""), ": 1 != 2");
    }

    function test_TheLargestNumbers() public {
        fails(
            abi.encodeWithSignature("assertEq(uint256,uint256)", type(uint256).max, 0),
            "assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 != 0"
        );
        fails(
            abi.encodeWithSignature("assertEq(int256,int256)", type(int256).min, 0),
            "assertion failed: -57896044618658097711785492504343953926634992332820282019728792003956564819968 != 0"
        );
    }

    function test_AbsOverTheWholeRange() public {
        holds(
            abi.encodeWithSignature(
                "assertApproxEqAbs(int256,int256,uint256)", type(int256).min, type(int256).max, type(uint256).max
            )
        );
        fails(
            abi.encodeWithSignature("assertApproxEqAbs(uint256,uint256,uint256)", type(uint256).max, 0, 1),
            "assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 !~= 0 "
            "(max delta: 1, real delta: 115792089237316195423570985008687907853269984665640564039457584007913129639935)"
        );
    }

    function test_RelToZero() public {
        fails(
            abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", 1, 0, 5),
            "assertion failed: 1 !~= 0 (max delta: 0.0000000000000005%, real delta: undefined)"
        );
        holds(abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", 0, 0, 0));
    }

    function test_RelOverflow() public {
        fails(
            abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", type(uint256).max, 1, 5),
            "assertion failed: overflow in delta calculation"
        );
    }

    function test_DecimalsOfZeroAndEighteen() public {
        fails(
            abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", 5, 6, 0),
            "assertion failed: 5.0 != 6.0"
        );
        fails(
            abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", 1 ether, 1.5 ether, 18),
            "assertion failed: 1.000000000000000000 != 1.500000000000000000"
        );
    }

    function test_TooManyDecimals() public {
        fails(abi.encodeWithSignature("assertEqDecimal(uint256,uint256,uint256)", 5, 6, 200), "assertion failed: 5 != 6");
    }

    function test_Fails_True() public {
        holds(abi.encodeWithSignature("assertTrue(bool)", false));
    }

    function test_Fails_Message() public {
        holds(abi.encodeWithSignature("assertEq(uint256,uint256,string)", 1, 2, "why"));
    }

    function test_Fails_Arrays() public {
        holds(abi.encodeWithSignature("assertEq(uint256[],uint256[])", new uint256[](1), new uint256[](2)));
    }

    function test_Fails_Rel() public {
        holds(abi.encodeWithSignature("assertApproxEqRel(uint256,uint256,uint256)", 100, 90, 0.1e18));
    }

    function test_Fails_TheFlagOfOldTests() public {
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// An assertion for each kind of argument.
contract Arguments {
    bool internal constant BUGGY = true;

    enum Colour { Red, Green, Blue }

    struct Point {
        int64 x;
        int64 y;
    }

    struct Order {
        address to;
        Point[] path;
        string note;
        bytes4 tag;
    }

    mapping(bytes32 => uint256) internal seen;

    modifier fails(bool condition) {
        assert(!(BUGGY && condition));
        _;
    }

    function anUint(uint256 x) external fails(x > 10) {}
    function aSmallUint(uint8 x) external fails(x == 200) {}
    function aLargeUint(uint256 x) external fails(x > type(uint256).max - 5) {}
    function anInt(int256 x) external fails(x < -3) {}
    function aSmallInt(int8 x) external fails(x == -128) {}
    function theLeastInt(int256 x) external fails(x == type(int256).min) {}
    function anAddress(address x) external fails(x == address(0x20000)) {}
    function someAddress(address x) external fails(uint160(x) > 2 ** 80) {}
    function aBool(bool x) external fails(x) {}
    function aByte(bytes1 x) external fails(x == 0x41) {}
    function fourBytes(bytes4 x) external fails(x == 0xdeadbeef) {}
    function twentyBytes(bytes20 x) external fails(x != 0 && x[0] == 0x01) {}
    function aWord(bytes32 x) external fails(uint256(x) % 7 == 3) {}
    function someBytes(bytes calldata x) external fails(x.length > 33 && x[3] != 0) {}
    function noBytes(bytes calldata x) external fails(x.length == 0) {}
    function aText(string calldata x) external fails(bytes(x).length > 4 && bytes(x)[4] == 0xff) {}
    function aPlainText(string calldata x) external fails(keccak256(bytes(x)) == keccak256("open sesame")) {}
    function aQuote(string calldata x) external fails(bytes(x).length > 0 && bytes(x)[0] == '"') {}
    function anEnum(Colour x) external fails(x == Colour.Blue) {}
    function aContract(Arguments x) external fails(address(x) == address(this)) {}
    function numbers(uint256[] calldata x) external fails(x.length == 3 && x[1] > x[0]) {}
    function threeNumbers(uint16[3] calldata x) external fails(x[2] > x[1]) {}
    function texts(string[] calldata x) external fails(x.length == 2 && bytes(x[1]).length > 2) {}
    function nested(int32[][2] calldata x) external fails(x[1].length > 1 && x[1][1] < 0) {}
    function aStruct(Point calldata x) external fails(x.x < 0 && x.y > 0) {}
    function structs(Point[] calldata x) external fails(x.length > 1 && x[1].x == 5) {}
    function anOrder(Order calldata x) external fails(x.path.length > 0 && bytes(x.note).length > 1) {}
    function manyOfThem(bool a, bytes calldata b, uint8 c, address d, string calldata e)
        external fails(a && b.length > 2 && c > 3 && uint160(d) > 5 && bytes(e).length > 1) {}

    function overloaded(uint256 x) external fails(x == 77) {}
    function overloaded(uint256 x, bool y) external fails(x == 78 && y) {}

    function remember(bytes32 key, uint256 value) external {
        seen[key] = value;
    }

    function recall(bytes32 key) external fails(seen[key] != 0) {}
}

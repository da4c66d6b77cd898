// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {Base58} from "solady/src/utils/Base58.sol";
import {Base64} from "solady/src/utils/Base64.sol";
import {DateTimeLib} from "solady/src/utils/DateTimeLib.sol";
import {JSONParserLib} from "solady/src/utils/JSONParserLib.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {LibZip} from "solady/src/utils/LibZip.sol";
import {RedBlackTreeLib} from "solady/src/utils/RedBlackTreeLib.sol";
import {SemVerLib} from "solady/src/utils/SemVerLib.sol";
import {Suite} from "./Suite.sol";

/// @notice Parsers, texts, packers, dates and a tree: most of it is assembly.
contract Toolbox {
    using JSONParserLib for JSONParserLib.Item;
    using RedBlackTreeLib for RedBlackTreeLib.Tree;
    using RedBlackTreeLib for bytes32;

    RedBlackTreeLib.Tree private tree;
    bytes32 public seen;
    uint256 public size;

    function parse(string calldata text, string calldata key, uint8 at) external {
        JSONParserLib.Item memory item = JSONParserLib.parse(text);
        if (item.isArray()) seen = keccak256(bytes(item.at(at).value()));
        if (item.isObject()) seen = keccak256(bytes(item.at(key).value()));
        if (item.isNumber()) seen = bytes32(uint256(1));
        if (item.isString()) seen = keccak256(bytes(JSONParserLib.decodeString(item.value())));
        if (item.isBoolean()) seen = bytes32(uint256(2));
        if (item.isNull()) seen = bytes32(uint256(3));
    }

    function number(uint8 kind, string calldata text) external {
        kind %= 3;
        if (kind == 0) seen = bytes32(JSONParserLib.parseUint(text));
        if (kind == 1) seen = bytes32(uint256(JSONParserLib.parseInt(text)));
        if (kind == 2) seen = bytes32(JSONParserLib.parseUintFromHex(text));
    }

    function decode(string calldata text) external {
        seen = keccak256(bytes(JSONParserLib.decodeString(text)));
    }

    function escape(uint8 kind, string calldata text, bool upper) external {
        kind %= 4;
        string memory made;
        if (kind == 0) made = LibString.escapeHTML(text);
        if (kind == 1) made = LibString.escapeJSON(text, true);
        if (kind == 2) made = LibString.encodeURIComponent(text);
        if (kind == 3) made = LibString.toCase(text, upper);
        seen = keccak256(bytes(made));
    }

    function find(string calldata a, string calldata b, uint8 from) external {
        uint256 first = LibString.indexOf(a, b, from);
        uint256 last = LibString.lastIndexOf(a, b, from);
        seen = keccak256(abi.encode(first, last, LibString.indicesOf(a, b)));
    }

    function change(string calldata a, string calldata b, string calldata c) external {
        string memory made = LibString.replace(a, b, c);
        seen = keccak256(abi.encode(made, LibString.split(made, b), LibString.cmp(a, c)));
    }

    function measure(string calldata text, uint8 from, uint8 to) external {
        seen = keccak256(
            abi.encode(
                LibString.runeCount(text),
                LibString.is7BitASCII(text),
                LibString.packOne(text),
                LibString.slice(text, from, to)
            )
        );
    }

    function print(int256 value, uint8 bytes_, address who) external {
        seen = keccak256(
            abi.encode(
                LibString.toString(value),
                LibString.toHexStringChecksummed(who),
                LibString.toMinimalHexString(uint256(value)),
                LibString.toHexString(uint256(value), bytes_)
            )
        );
    }

    function zip(bytes calldata data, bool sparse) external {
        bytes memory packed =
            sparse ? LibZip.cdCompress(data) : LibZip.flzCompress(data);
        seen = keccak256(sparse ? LibZip.cdDecompress(packed) : LibZip.flzDecompress(packed));
        require(seen == keccak256(data));
    }

    function unzip(bytes calldata data, bool sparse) external {
        seen = keccak256(sparse ? LibZip.cdDecompress(data) : LibZip.flzDecompress(data));
    }

    function base64(bytes calldata data, bool safe, bool bare, string calldata text)
        external
    {
        seen = keccak256(abi.encode(Base64.encode(data, safe, bare), Base64.decode(text)));
    }

    function base58(bytes calldata data, string calldata text) external {
        string memory made = Base58.encode(data);
        seen = keccak256(abi.encode(Base58.decode(made), Base58.decode(text)));
    }

    function word58(bytes32 word, string calldata text) external {
        string memory made = Base58.encodeWord(word);
        seen = keccak256(abi.encode(Base58.decodeWord(made), Base58.decodeWord(text)));
    }

    function version(bytes32 a, bytes32 b) external {
        seen = bytes32(uint256(SemVerLib.cmp(a, b)));
    }

    function date(uint40 time, uint16 more, uint8 kind) external {
        kind %= 8;
        uint256 made;
        if (kind == 0) made = DateTimeLib.addMonths(time, more);
        if (kind == 1) made = DateTimeLib.subMonths(time, more);
        if (kind == 2) made = DateTimeLib.addYears(time, more);
        if (kind == 3) made = DateTimeLib.subYears(time, more);
        if (kind == 4) made = DateTimeLib.diffMonths(more, time);
        if (kind == 5) made = DateTimeLib.mondayTimestamp(time);
        if (kind == 6) made = DateTimeLib.isWeekEnd(time) ? 1 : 0;
        if (kind == 7) made = DateTimeLib.weekday(time);
        seen = bytes32(made);
    }

    function calendar(uint256 year, uint256 month, uint256 day, uint256 n) external {
        bool known = DateTimeLib.isSupportedDateTime(year, month, day, n, n, n);
        uint256 nth = DateTimeLib.nthWeekdayInMonthOfYearTimestamp(year, month, n, day);
        seen = keccak256(abi.encode(known, nth, DateTimeLib.isLeapYear(year)));
    }

    function grow(uint16 value) external {
        tree.insert(value);
        size++;
    }

    function cut(uint16 value) external {
        tree.remove(value);
        size--;
    }

    function look(uint16 value) external {
        bytes32 a = tree.nearestBefore(value);
        bytes32 b = tree.nearestAfter(value);
        bytes32 c = tree.nearest(value);
        if (!c.isEmpty()) seen = keccak256(abi.encode(a, b, c.next(), c.prev()));
    }

    function cutFirst(bool last) external {
        bytes32 place = last ? tree.last() : tree.first();
        place.remove();
        size--;
    }

    function treeSize() external view returns (uint256) {
        return tree.size();
    }
}

contract SoladyTest is Suite {
    Toolbox private toolbox;

    function setUp() external {
        toolbox = new Toolbox();
        targets.push(address(toolbox));
    }

    function invariant_size() external view {
        require(toolbox.treeSize() == toolbox.size());
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Nested dynamic types in arguments, results, storage, logs and errors.
contract NestedTypes {
    struct Line {
        string text;
        uint16[] numbers;
    }

    struct Page {
        address author;
        Line[] lines;
        bytes32[2] hashes;
        bool[3][] flags;
    }

    struct Book {
        string title;
        Page cover;
        bytes[] attachments;
    }

    error BadBook(string title, Line line);

    event Stored(string indexed title, Page cover, uint256 count);

    Book private stored;
    mapping(string => uint256[]) private index;
    uint256 private words;

    function store(Book calldata book) external {
        if (book.attachments.length > 6) {
            revert BadBook(book.title, Line("too many", new uint16[](2)));
        }
        stored = book;
        index[book.title].push(book.cover.lines.length);
        emit Stored(book.title, book.cover, index[book.title].length);
    }

    function count(string[] memory texts, uint8[][2][] calldata cubes) external {
        for (uint256 i = 0; i < texts.length; i++) words += bytes(texts[i]).length;
        for (uint256 i = 0; i < cubes.length; i++) {
            for (uint256 j = 0; j < 2; j++) words += cubes[i][j].length;
        }
    }

    function append(Line calldata line, bytes calldata attachment) external {
        require(stored.attachments.length < 9, "full");
        stored.cover.lines.push(line);
        stored.attachments.push(attachment);
    }

    function trim() external {
        stored.cover.lines.pop();
        stored.title = string.concat(stored.title, "!", stored.cover.lines[0].text);
    }

    function roundTrip(Page memory page, int8[4] calldata small) external view {
        bytes memory data = abi.encode(page, small);
        (Page memory again,) = abi.decode(data, (Page, int8[4]));
        assert(keccak256(abi.encode(again)) == keccak256(abi.encode(page)));
        assert(this.mirror(again).lines.length == page.lines.length);
    }

    function mirror(Page memory page) external pure returns (Page memory) {
        return page;
    }

    function decode(bytes calldata data) external {
        Line[] memory lines = abi.decode(data, (Line[]));
        words += lines.length;
    }

    function select(uint256[] calldata list, uint8 from, uint8 to)
        external
        pure
        returns (uint256[] memory)
    {
        return list[from:to];
    }

    function callback(function(uint256) external returns (uint256) f, bytes4 id)
        external
        returns (bool done)
    {
        assert(f.address != address(this) || f.selector != id || id != 0);
        (done,) = f.address.call{gas: 20_000}(abi.encodeWithSelector(f.selector, words));
    }

    function echidna_book_is_thin() external view returns (bool) {
        return stored.cover.lines.length < 4 && stored.attachments.length < 6;
    }

    function echidna_few_words() external view returns (bool) {
        return words < 3000;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC721, ERC721TokenReceiver} from "solmate/tokens/ERC721.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

contract Pictures is ERC721("Pictures", "P") {
    function tokenURI(uint256 id) public pure override returns (string memory) {
        return id == 0 ? "none" : "a picture";
    }

    function make(address to, uint256 id) external {
        _safeMint(to, id, "with love");
    }
}

contract Sets is ERC1155("uri") {
    function make(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
        _mintBatch(to, ids, amounts, "");
    }
}

contract Deaf {}

/// Tokens that call who gets them back, with arrays in arguments and logs.
contract Collectibles is ERC721TokenReceiver, ERC1155Holder {
    Pictures internal pictures = new Pictures();
    Sets internal sets = new Sets();
    Deaf internal deaf = new Deaf();
    uint256 internal received;
    bool internal collecting;

    function onERC721Received(address, address, uint256, bytes calldata)
        external
        override
        returns (bytes4)
    {
        if (collecting) received++;
        return ERC721TokenReceiver.onERC721Received.selector;
    }

    function collect(uint8 id) external {
        collecting = true;
        pictures.make(address(this), id);
        pictures.tokenURI(id);
        try pictures.make(address(deaf), id + 1) {} catch {}
        uint256[] memory ids = new uint256[](2);
        uint256[] memory amounts = new uint256[](2);
        (ids[0], ids[1], amounts[0], amounts[1]) = (id, uint256(id) + 1, 10, 20);
        sets.make(address(this), ids, amounts);
        sets.safeBatchTransferFrom(address(this), msg.sender, ids, amounts, "0x1234");
        try sets.make(address(deaf), ids, amounts) {} catch {}
        amounts = new uint256[](3);
        try sets.make(address(this), ids, amounts) {} catch {}
    }

    function check() external view {
        assert(received == 0);
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {
    ERC721Enumerable
} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";

/// @notice Takes every token, but those with an odd number with the wrong answer.
contract Collector is IERC721Receiver {
    uint256 public received;

    function onERC721Received(address, address, uint256 id, bytes calldata)
        external
        returns (bytes4)
    {
        received++;
        return id % 2 == 0 ? this.onERC721Received.selector : bytes4(0xdeadbeef);
    }
}

/// @notice An ERC-721 whose tokens are minted to callers and to a contract.
contract Collectible is ERC721Enumerable {
    Collector public immutable collector = new Collector();
    uint256 private next;

    constructor() ERC721("Collectible", "CLT") {}

    function mint() external {
        _safeMint(msg.sender, next++);
    }

    function mintToCollector() external {
        _safeMint(address(collector), next++);
    }

    function give(uint256 id, uint8 to) external {
        address[3] memory users = [address(0x10000), address(0x20000), address(0x30000)];
        transferFrom(msg.sender, users[to % 3], id % (next + 1));
    }

    function burn(uint256 id) external {
        _update(address(0), id % (next + 1), msg.sender);
    }

    function echidna_collector_has_what_it_received() external view returns (bool) {
        return balanceOf(address(collector)) == collector.received();
    }

    function echidna_supply_is_below_five() external view returns (bool) {
        return totalSupply() < 5;
    }
}

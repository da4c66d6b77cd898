// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {
    ERC1155Supply
} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Supply.sol";
import {
    ERC1155Holder
} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

contract Chest is ERC1155Holder {}

/// @notice An ERC-1155: batches, receivers, a supply for each kind.
contract MultiToken is ERC1155Supply {
    Chest private immutable chest = new Chest();

    constructor() ERC1155("ipfs://tokens/{id}") {
        for (uint256 id = 0; id < 4; id++) _mint(msg.sender, id, 1000 * id, "");
    }

    function mint(uint256 id, uint256 amount, bytes calldata data) external {
        _mint(msg.sender, id % 8, amount % 1e6, data);
    }

    function mintBatch(uint8 count, uint256 amount) external {
        uint256[] memory ids = new uint256[](count % 8);
        uint256[] memory amounts = new uint256[](count % 8);
        for (uint256 i = 0; i < ids.length; i++) {
            ids[i] = i;
            amounts[i] = amount % (1000 + i);
        }
        _mintBatch(address(chest), ids, amounts, "");
    }

    function store(uint256 id, uint256 amount) external {
        safeTransferFrom(msg.sender, address(chest), id % 8, amount, "");
    }

    function burn(uint256 id, uint256 amount) external {
        _burn(msg.sender, id % 8, amount);
    }

    function echidna_kinds_add_up() external view returns (bool) {
        uint256 sum;
        for (uint256 id = 0; id < 8; id++) sum += totalSupply(id);
        return sum == totalSupply();
    }

    function echidna_chest_stays_empty() external view returns (bool) {
        return balanceOf(address(chest), 3) == 0;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Ids that one call gives out are what the next one must be given: returned,
/// logged in a topic, logged in the data, and returned again.
contract Consignment {
    mapping(bytes32 => uint256) private lots;
    mapping(bytes32 => bytes32) private listings;
    mapping(uint256 => bytes32) private sales;
    uint256 private serial;
    bool private shipped;

    event Listed(bytes32 indexed listing);
    event Sold(address buyer, uint256 sale);

    function open(uint128 amount) external returns (bytes32 lot) {
        lot = keccak256(abi.encode(msg.sender, ++serial, amount));
        lots[lot] = 1 + amount;
    }

    function list(bytes32 lot) external {
        require(lots[lot] != 0, "no lot");
        bytes32 listing = keccak256(abi.encode("listing", lot, block.timestamp));
        listings[listing] = lot;
        emit Listed(listing);
    }

    function buy(bytes32 listing) external {
        require(listings[listing] != 0, "no listing");
        uint256 sale = uint256(keccak256(abi.encode("sale", listing, msg.sender)));
        sales[sale] = listing;
        emit Sold(msg.sender, sale);
    }

    function ship(bytes32 listing, uint256 sale) external {
        require(sales[sale] != 0 && sales[sale] == listing, "no sale");
        shipped = true;
    }

    function echidna_nothing_is_shipped() external view returns (bool) {
        return !shipped;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Names that are registered, listed and withdrawn, each by the same text.
contract Names {
    mapping(string => address) private ownerOf;
    mapping(string => uint256) private priceOf;
    bool public broken;

    function register(string calldata name) external {
        require(bytes(name).length >= 3 && ownerOf[name] == address(0));
        ownerOf[name] = msg.sender;
    }

    function list(string calldata name, uint256 price) external {
        require(ownerOf[name] == msg.sender && price != 0);
        priceOf[name] = price;
    }

    function withdraw(string calldata name) external {
        require(priceOf[name] != 0 && ownerOf[name] == msg.sender);
        if (bytes(name)[0] == "@") broken = true;
        delete priceOf[name];
    }

    function echidna_sound() external view returns (bool) {
        return !broken;
    }
}

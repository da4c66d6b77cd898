// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Wants arguments and value.
contract Safe {
    address public immutable owner;
    uint256 public limit;
    string public name;

    constructor(address account, uint256 amount, string memory text) payable {
        require(amount > 0, "a safe needs a limit");
        owner = account;
        limit = amount;
        name = text;
    }
}

contract Simple {
    uint256 public number = 7;
    address public maker = msg.sender;
}

contract Twin {
    uint256 public number = 1;
}

abstract contract Unfinished {
    function number() external virtual returns (uint256);
}

/// Linked into others.
library Deep {
    function double(uint256 number) external pure returns (uint256) {
        return 2 * number;
    }
}

/// Linked, and itself in need of a library.
library Shallow {
    function quadruple(uint256 number) external pure returns (uint256) {
        return Deep.double(Deep.double(number));
    }
}

/// Inlined.
library Inner {
    function half(uint256 number) internal pure returns (uint256) {
        return number / 2;
    }
}

contract Linked {
    function sextuple(uint256 number) external pure returns (uint256) {
        return Shallow.quadruple(number) + Deep.double(number);
    }

    function half(uint256 number) external pure returns (uint256) {
        return Inner.half(number);
    }
}

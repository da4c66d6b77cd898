// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Fussy {
    error TooSmall(uint256 given, uint256 wanted);

    constructor(uint256 size) payable {
        if (size < 5) revert TooSmall(size, 5);
        if (size == 5) revert("five");
        assert(size != 6);
    }
}

contract Huge {
    constructor() {
        assembly {
            return(0, 24577)
        }
    }
}

contract Wrong {
    constructor() {
        assembly {
            mstore8(0, 0xef)
            return(0, 1)
        }
    }
}

contract Leaf {
    string public name;

    constructor(string memory name_) {
        name = name_;
    }
}

contract Tree {
    Leaf[] public leaves;

    constructor(uint256 count, string memory name) {
        for (uint256 i; i < count; i++) {
            leaves.push(new Leaf{salt: bytes32(i)}(string.concat(name, "!")));
        }
    }
}

/// Creations that fail, and such as create others.
contract Creations {
    Tree internal tree;

    function create(uint8 size) external payable {
        for (uint256 i = 4; i < 8; i++) {
            try new Fussy{value: msg.value / 8}(i) returns (Fussy) {} catch {}
        }
        try this.huge{gas: 90_000}(bytes32(uint256(size))) {} catch {}
        try this.wrong{gas: 90_000}() {} catch {}
        tree = new Tree(3, "root");
        try this.twice{gas: 1_000_000}() {} catch {}
    }

    function huge(bytes32 salt) external {
        new Huge{salt: salt}();
    }

    function wrong() external {
        new Wrong();
    }

    /// A collision, which takes all gas.
    function twice() external {
        new Tree{salt: 0}(0, "");
        new Tree{salt: 0}(0, "");
    }

    function check() external view {
        assert(address(tree) == address(0));
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Burner {
    uint256[] internal all;

    function fill(uint256 times) external returns (uint256) {
        for (uint256 i; i < times; i++) all.push(i + 1);
        return all.length;
    }

    function spin() external pure {
        while (true) {}
    }

    function invalid() external pure {
        assembly {
            invalid()
        }
    }

    function large() external pure {
        assembly {
            mstore(0xffffffffffff, 1)
        }
    }

    function wild() external pure {
        assembly {
            calldatacopy(0, 0, 0xffffffff)
        }
    }

    function deep(uint256 left) external returns (uint256 reached) {
        if (left == 0) return 1;
        reached = 1 + this.deep(left - 1);
    }

    receive() external payable {
        all.push(1);
    }
}

contract Costly {
    uint256[20] internal words;

    constructor() {
        for (uint256 i; i < 20; i++) words[i] = i + 1;
    }
}

/// Calls that run out of gas, in all the ways in which they can.
contract Gas {
    Burner internal burner = new Burner();
    bool internal burned;

    constructor() payable {}

    function burn(uint8 times) external payable {
        burner.fill(uint256(times) % 3 + 1);
        try burner.fill{gas: 60_000}(200) {} catch {}
        try burner.spin{gas: 30_000}() {} catch {}
        try burner.invalid{gas: 3_000}() {} catch {}
        try burner.large{gas: 100_000}() {} catch {}
        try burner.wild{gas: 100_000}() {} catch {}
        try this.create{gas: 150_000}() {} catch {}
        burner.deep{gas: 300_000}(6);
        try burner.deep{gas: 12_000}(6) {} catch {}
        bool paid = payable(address(burner)).send(1);
        require(!paid);
        burned = true;
    }

    function create() external {
        new Costly();
    }

    function check() external view {
        assert(!burned);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Twelve functions that climbing treats very differently: some compare nothing, some a
/// chain of inputs, some always revert, some cost a thousand times what others do.
contract Dozen {
    mapping(address => uint256) private balances;
    uint256[] private items;
    uint256 private phase;
    uint256 private total;
    bool private broken;

    function plain() external {
        total += 1;
    }

    function deposit() external payable {
        require(msg.value > 3 && msg.value != 17, "amount");
        balances[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        require(balances[msg.sender] >= amount, "balance");
        balances[msg.sender] -= amount;
    }

    function nested(uint256 key, bytes4 word, int128 offset) external {
        require(key == 0xa3c59d1f60b7e482d95c1e3f71, "key");
        require(word == 0x5ee7c0de, "word");
        require(offset == -7_777_777_777, "offset");
        phase = 1;
    }

    function ranges(uint256 low, uint256 high) external {
        require(low > 1_000_000 && low < 1_000_100, "low");
        require(high > low * 3 && high < low * 3 + 5, "high");
        phase = 2;
    }

    function push(uint256 item) external {
        if (items.length < 64) items.push(item);
        else items[item % 64] = item;
    }

    function sum(uint256 times) external {
        for (uint256 i = 0; i < times % 50; i++) {
            for (uint256 j = 0; j < items.length; j++) total ^= items[j] + i;
        }
    }

    function many(uint256[] calldata values, string calldata name) external {
        require(values.length > 1, "few");
        require(values[0] == values[1], "order");
        require(keccak256(bytes(name)) != keccak256("dozen"), "name");
        total += values.length;
    }

    function never(uint8 value) external pure {
        require(value > 255 - value && value < 3, "never");
    }

    function costly(bool really) external view {
        for (uint256 i = 0; really && i < 1000; i++) if (block.number == 0) break;
    }

    function advance(uint256 to) external {
        require(to == phase + 1, "order");
        phase = to;
    }

    function stamp(uint32 time) external {
        if (time == uint32(block.timestamp)) total = time;
    }

    function echidna_whole() external view returns (bool) {
        return !broken;
    }
}

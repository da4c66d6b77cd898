// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Transient storage (EIP-1153): kept within a transaction, undone by reverts.
contract Transient {
    uint256 private transient depth;
    address private transient locker;
    bool private transient flag;
    uint256 private deepest;
    uint256 private leaks;

    function nest(uint8 levels) external {
        if (depth == 0) leaks += locker == address(0) && !flag ? 0 : 1;
        depth++;
        if (depth > deepest) deepest = depth;
        if (levels % 8 > 0) this.nest(levels % 8 - 1);
        depth--;
    }

    function lock() external {
        require(locker == address(0), "locked");
        locker = msg.sender;
        flag = true;
        try this.relock() {
            leaks++;
        } catch {}
        if (depth != 0) leaks++;
    }

    function relock() external {
        depth = 99;
        require(locker == address(0), "locked");
    }

    function keyed(uint256 key, uint256 value) external returns (uint256 found) {
        assembly {
            found := tload(key)
            tstore(key, value)
            tstore(add(key, 1), sub(0, value))
            found := add(found, add(tload(key), tload(add(key, 1))))
        }
        if (found != 0 && key > 2) leaks++;
    }

    function look() external {
        (bool done,) = address(this).staticcall(abi.encodeCall(this.keyed, (9, 9)));
        if (done) leaks++;
    }

    function echidna_nothing_leaks() external view returns (bool) {
        return leaks == 0 && depth == 0;
    }

    function echidna_is_not_nested_deeply() external view returns (bool) {
        return deepest < 7;
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Who enters gets a stub, a number of 64 bits, among others that look alike and are of
/// other types. Each stub is given back for the next one, four times: then one is stuck.
contract Stubs {
    mapping(uint64 => uint256) private used;
    uint256 private serial;
    bool private stuck;

    function enter()
        external
        returns (uint128, uint96, uint112, uint64 stub, uint120, uint88, uint104, uint80)
    {
        stub = number(0);
        used[stub] = 1 << 64;
        return (number(1), number(2), number(3), stub, number(4), number(5), number(6), number(7));
    }

    function pass(uint64 old)
        external
        returns (uint128, uint96, uint112, uint64 stub, uint120, uint88, uint104, uint80)
    {
        uint256 uses = used[old];
        require(uses != 0, "no stub");
        delete used[old];
        stub = number(0);
        // The bit is shifted out in the end: what stands there is never a small number.
        used[stub] = uses << 48;
        if (uses << 48 == 0) stuck = true;
        return (number(1), number(2), number(3), stub, number(4), number(5), number(6), number(7));
    }

    function number(uint256 which) private returns (uint64) {
        // The sender counts: what others were given is no number of one's own.
        return uint64(uint256(keccak256(abi.encode(++serial, which, msg.sender)))) >> 8;
    }

    function echidna_nobody_is_stuck() external view returns (bool) {
        return !stuck;
    }
}

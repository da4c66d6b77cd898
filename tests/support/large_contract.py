"""A contract whose code is as long as a chain allows (EIP-170: 24,576 bytes)."""

from __future__ import annotations

FUNCTIONS = 42

_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Large {
    uint256 private last;
    mapping(uint256 => uint256) private cells;
"""

_FUNCTION = """
    function step{i}(uint256 x, bytes32[] calldata keys, int64 y) external payable {{
        require(x % {prime} != {rest}, "refused by {i}");
        for (uint256 i = 0; i < keys.length && i < {loops}; i++) {{
            cells[uint256(keys[i]) % {prime}] += x / {prime} + i;
        }}
        last = last / {shrink} + x % {modulus} + (y < 0 ? {rest} : uint64(y) % {prime});
        if (last == {magic}) cells[{i}] = type(uint256).max;
    }}
"""

_TAIL = """
    function echidna_no_cell_is_full() external view returns (bool) {
        for (uint256 i = 0; i < 50; i++) {
            if (cells[i] == type(uint256).max) return false;
        }
        return true;
    }

    function echidna_last_is_small() external view returns (bool) {
        return last < 2 ** 80;
    }
}
"""


def large_source() -> str:
    """Return a source with the contract `Large`."""
    bodies = (
        _FUNCTION.format(
            i=number,
            prime=number * number + number + 41,  # Euler's polynomial
            rest=number % 5,
            loops=3 + number % 4,
            shrink=number + 2,
            modulus=2 ** (number + 40) - 1,
            magic=number * 1_000_003,
        )
        for number in range(1, FUNCTIONS + 1)
    )
    return _HEAD + "".join(bodies) + _TAIL

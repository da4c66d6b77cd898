"""A contract that is opened by a word which only a call of it returns."""

from __future__ import annotations

from typing import Final

from eth_hash.auto import keccak

MADE: Final = """
contract Made {
    uint256 seed = uint256(keccak256("seed")); bytes32 lock; bool marked; bool opened;
    constructor() { lock = keccak256(abi.encode(key())); }
    function key() internal view returns (uint256) {
        unchecked { return seed * 0x9e3779b97f4a7c15; }
    }
    function mark() external returns (uint256) { marked = true; return key(); }
    function open(uint256 a, uint256 b) external {
        unchecked {
            if (a ^ (b << 7) == 0xfedcba0987654321) {
                if (keccak256(abi.encode(a + b * 3)) == lock) opened = true;
            }
        }
    }
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""
SEED: Final = int.from_bytes(keccak(b"seed"), "big")
MADE_KEY: Final = SEED * 0x9E3779B97F4A7C15 % (1 << 256)

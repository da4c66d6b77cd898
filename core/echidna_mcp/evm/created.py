"""Addresses of contracts that accounts create."""

from __future__ import annotations

from typing import Final

from eth_hash.auto import keccak

CREATE2_FACTORY: Final = 0x4E59B44847B379578588920CA78FBF26C0B4956C
"""Where every chain of Foundry has the contract that creates by CREATE2."""
_MOST_NONCE = 1 << 64  # EIP-2681


def created_address(creator: int, nonce: int) -> int:
    """Return where CREATE puts the contract that an account creates with a nonce.

    That is the end of keccak256(rlp([creator, nonce])) (yellow paper, section 7).

    Raises:
        ValueError: no account has such a nonce.
    """
    if not 0 <= nonce < _MOST_NONCE:
        raise ValueError(f"no account has the nonce {nonce}")
    digits = nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
    # RLP: a byte below 0x80 stands for itself, anything else has its length before it.
    if nonce == 0 or nonce >= 0x80:
        digits = bytes([0x80 + len(digits)]) + digits
    members = b"\x94" + creator.to_bytes(20, "big") + digits
    return int.from_bytes(keccak(bytes([0xC0 + len(members)]) + members)[12:], "big")

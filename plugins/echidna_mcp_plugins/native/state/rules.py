"""Rules of hard forks, as a table, apart from opcodes (`Opcode.since`).

A rule is a bit of `Machine.rules`. Kernel functions ask for the rule that they follow,
never for the fork; so another fork is another column here and in the opcodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class Fork(IntEnum):
    """Rules by hard fork, oldest first."""

    SHANGHAI = 0
    CANCUN = 1
    PRAGUE = 2
    OSAKA = 3


DELETES_ONLY_NEW = 1
"""SELFDESTRUCT deletes only what the message has created (EIP-6780)."""
DELEGATIONS = 2
"""Accounts can run the code of others (EIP-7702)."""
DATA_FLOOR = 4
"""Calldata have a least price (EIP-7623)."""
SERVES_HASHES = 8
"""A contract serves the hashes of blocks (EIP-2935)."""
P256_VERIFIES = 16
"""There is a precompile at `P256_ADDRESS` (EIP-7951)."""

SINCE: Mapping[int, Fork] = {
    DELETES_ONLY_NEW: Fork.CANCUN,
    DELEGATIONS: Fork.PRAGUE,
    DATA_FLOOR: Fork.PRAGUE,
    SERVES_HASHES: Fork.PRAGUE,
    P256_VERIFIES: Fork.OSAKA,
}
"""The first fork that has a rule."""

LAST_PRECOMPILES: Mapping[Fork, int] = {
    Fork.SHANGHAI: 0x09,
    Fork.CANCUN: 0x0A,  # EIP-4844
    Fork.PRAGUE: 0x11,  # EIP-2537
    Fork.OSAKA: 0x11,
}
"""Precompiles have the addresses from 1 up to this one."""
P256_ADDRESS = 0x100
"""The precompile that stands apart."""


def rules_of(fork: Fork) -> int:
    """Return `Machine.rules` of a fork."""
    return sum(rule for rule, since in SINCE.items() if since <= fork)

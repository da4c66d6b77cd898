"""Hashes of blocks: what stands for them, and the contract that serves them.

No block of this chain was ever made, so a hash is keccak of the number in decimal.
BLOCKHASH serves those of the last 256 blocks. From Prague on a contract serves those of
the last 8191 from a ring of storage words (EIP-2935). Time goes on by tens of thousands
of blocks between two messages; so a word of the ring is written when somebody asks the
contract for it, and never else. Nothing but the contract can tell.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold
from echidna_mcp.kernel.language.memory import (
    load64,
    load256,
    local_bytes,
    peek256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.state.keccak import keccak256
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_STORAGE,
    Machine,
)
from echidna_mcp_plugins.native.state.storage import find_slot, write_slot

HISTORY_ADDRESS = 0x0000F90827F1C53A10CB7A02335B175320002935
HISTORY_WINDOW = 8191
"""Blocks in the ring."""
QUESTION_SIZE = 32
"""Bytes of calldata with which the contract is asked: the number of a block."""
DECIMAL_DIGITS = 20
"""Of 2^64 - 1."""
DIGIT_ZERO = 48
"""Character code."""


@cold
def ancestor_hash(number: u64) -> u256:
    """Return what stands for a block's hash: keccak of its number in decimal."""
    text = local_bytes(DECIMAL_DIGITS)
    at = DECIMAL_DIGITS - 1
    left = number
    while left > 9:
        text[at] = DIGIT_ZERO + left % 10
        left = left // 10
        at = at - 1
    text[at] = DIGIT_ZERO + left
    return keccak256(text, at, DECIMAL_DIGITS - at)


@cold
def write_asked(m: Machine) -> None:
    """Write the word of the ring that the running frame, which begins, will read."""
    # The row may have been another account's before the world went back.
    if peek256(m.accounts, m.account + ACCOUNT_ADDRESS) != HISTORY_ADDRESS:
        return
    if m.input_size != QUESTION_SIZE:
        return
    asked = load256(m.memory, m.input_start)
    if asked >= wrap256(m.block_number):
        return
    number = wrap64(asked)
    if m.block_number - number > HISTORY_WINDOW:
        return
    storage = load64(m.accounts, m.account + ACCOUNT_STORAGE)
    slot = find_slot(m, storage, wrap256(number % HISTORY_WINDOW))
    write_slot(m, slot, ancestor_hash(number))

"""How a message ended, and whether anything about it is new."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    load64,
    load256,
    signed_less,
    store64,
    u64,
    u256,
    wrap64,
)
from echidna_mcp_plugins.native.code.edges import learn_edge
from echidna_mcp_plugins.native.opcodes.cheats import ASSUMED, ASSUMED_SIZE
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_ENDINGS,
    BLOCK_KNOWN,
    BLOCK_ROW,
    FAULT_GAS,
    FAULT_INVALID,
    FAULT_NONE,
    FAULT_REVERT,
    Machine,
)

WORD = 32

STOP = 0
RETURN_TRUE = 1
RETURN_FALSE = 2
REVERT = 3
OUT_OF_GAS = 4
INVALID_OPCODE = 5
HALT = 6
"""The numbers of `Status` (`echidna_mcp.evm.backend`)."""

SELECTOR_SHIFT = 224
PANIC_SELECTOR = 0x4E487B71
"""Of `Panic(uint256)`."""
PANIC_SIZE = 36
PANIC_OVERFLOW = 0x11
NO_PANIC = 256
"""More than the code of any panic."""
ASSERTION_TEXT = 0x617373657274696F6E206661696C6564
"""`assertion failed`, with which forge-std reverts."""
ASSERTION_TEXT_SIZE = 16
TEXT_START = 68
"""Where the text of `Error(string)` begins: after selector, offset and length."""

SKIPPED = 0x464F554E4452593A3A534B4950
"""`FOUNDRY::SKIP`, with which a call reverts that is to be passed over."""
SKIPPED_SIZE = 13

INVERTED = 1 << 32
"""Set in `Search.properties` for a property that must fail."""
INVARIANT = 1 << 33
"""Set there for one that must succeed, whatever it returns, and fail no assertion."""
VALUE = 1 << 34
"""Set there for one whose value must not exceed the greatest one."""


def message_status(m: Machine) -> u64:
    """Return the `Status` of the message that has ended, not for FAULT_CAPACITY."""
    if m.fault == FAULT_NONE:
        if m.returned_size == 32:
            word = load256(m.returned, 0)
            if word == 1:
                return RETURN_TRUE
            if word == 0:
                return RETURN_FALSE
        return STOP
    if m.fault == FAULT_REVERT:
        return REVERT
    if m.fault == FAULT_GAS:
        return OUT_OF_GAS
    if m.fault == FAULT_INVALID:
        return INVALID_OPCODE
    return HALT


def panic_code(m: Machine) -> u64:
    """Return the code of the panic that the return data are; `NO_PANIC` if none."""
    if m.returned_size != PANIC_SIZE:
        return NO_PANIC
    selector = wrap64(load256(m.returned, 0) >> SELECTOR_SHIFT)
    code = load256(m.returned, 4)
    if selector != PANIC_SELECTOR or code >= NO_PANIC:
        return NO_PANIC
    return wrap64(code)


def reverts_with_assertion(m: Machine, panics: Bytes) -> u64:
    """Return 1 if the return data are those of a failed assertion.

    Args:
        m: the machine.
        panics: a byte a code of a panic, 1 for those that are.
    """
    code = panic_code(m)
    if code != NO_PANIC:
        return wrap64(panics[code])
    if m.returned_size >= TEXT_START + ASSERTION_TEXT_SIZE:
        if load256(m.returned, TEXT_START) >> 128 == ASSERTION_TEXT:
            return 1
    return 0


def is_discarded(m: Machine, status: u64) -> u64:
    """Return 1 if the message that has ended asked to be passed over.

    `vm.assume` and `vm.skip` revert with data of their own (`cheatcodes.errors`).
    """
    if status != REVERT or m.returned_size < SKIPPED_SIZE:
        return 0
    word = load256(m.returned, 0)
    if m.returned_size == ASSUMED_SIZE and word >> (256 - 8 * ASSUMED_SIZE) == ASSUMED:
        return 1
    if word >> (256 - 8 * SKIPPED_SIZE) == SKIPPED:
        return 1
    return 0


@inline
def exceeds(m: Machine, status: u64, greatest: u256) -> u64:
    """Return 1 if the message that has ended returned a greater signed number."""
    if status > RETURN_FALSE or m.returned_size < WORD:
        return 0
    return signed_less(greatest, load256(m.returned, 0))


@inline
def is_as_demanded(entry: u64, status: u64, failed: u64) -> u64:
    """Return 1 if a property ended as it must; see `INVERTED` and `INVARIANT`.

    `failed` is 1 if it may have told that an assertion failed.
    """
    if entry & INVARIANT != 0:
        if status > RETURN_FALSE or failed != 0:
            return 0
        return 1
    if entry & INVERTED != 0:
        if status > RETURN_FALSE:
            return 1
        return 0
    if status == RETURN_TRUE:
        return 1
    return 0


def is_new_ending(m: Machine, status: u64) -> u64:
    """Return 1 if no message is known to have ended in that block with that status."""
    if m.last_block == 0:
        return 0
    known = load64(m.blocks, m.last_block + BLOCK_ENDINGS)
    return ((known >> status) & 1) ^ 1


def learn(m: Machine) -> None:
    """Make known what the message that has ended has visited, and how it ended."""
    for index in range(m.touched_count):
        depth = m.touched[index] % BLOCK_ROW
        row = m.touched[index] - depth
        known = load64(m.blocks, row + BLOCK_KNOWN)
        store64(m.blocks, row + BLOCK_KNOWN, known | (1 << depth))
    for index in range(m.taken_count):
        learn_edge(m, m.taken[index])
    if m.last_block != 0:
        known = load64(m.blocks, m.last_block + BLOCK_ENDINGS)
        known = known | (1 << message_status(m))
        store64(m.blocks, m.last_block + BLOCK_ENDINGS, known)

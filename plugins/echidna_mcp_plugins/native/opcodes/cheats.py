"""Cheatcodes that compiled code does by itself: those that handlers call all the time.

Each does what its handler does (`cheatcodes.handlers`), where that is simple: an
assertion that holds, a prank that is allowed. All else is left to the handler.
"""

from __future__ import annotations

from echidna_mcp.cheatcodes.pranks import SINGLE, TAKEN, begin_prank, end_prank
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    MASK64,
    load256,
    signed_less,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.state.accounts import find_account, set_balance
from echidna_mcp_plugins.native.state.machine import (
    FAULT_NONE,
    HOOK_PRANKS,
    Machine,
)

MASK160 = (1 << 160) - 1
WORD = 32
SELECTOR = 4
SELECTOR_SHIFT = 224

PRANK = 0xCA669FA7
START_PRANK = 0x06447D56
STOP_PRANK = 0x90C5013B
WARP = 0xE5D6BF02
ROLL = 0x1F7B4F30
GET_BLOCK_TIMESTAMP = 0x796B89B9
GET_BLOCK_NUMBER = 0x42CBB15C
DEAL = 0xC88A5E6D
ASSUME = 0x4C63E562

ASSERT_TRUE = 0x0C9FD581
ASSERT_TRUE_TEXT = 0xA34EDC03
ASSERT_FALSE = 0xA5982885
ASSERT_FALSE_TEXT = 0x7BA04809
"""With a message, as others whose name ends so."""

ASSUMED = 0x464F554E4452593A3A415353554D45
"""`FOUNDRY::ASSUME`, with which a call reverts that is to be discarded."""
ASSUMED_SIZE = 15


@cold
def obey_at_once(m: Machine, start: u64, size: u64) -> u64:
    """Do what the calldata of a call of the cheatcodes say, if that is simple.

    Returns:
        1 if it is done, and `told_ok` and `returned` say how; 0 if the host is to.
    """
    if size < SELECTOR:
        return 0
    selector = wrap64(load256(m.memory, start) >> SELECTOR_SHIFT)
    m.told_ok = 1
    m.returned_size = 0
    if size < SELECTOR + WORD:
        return obey_plain(m, selector)
    first = load256(m.memory, start + SELECTOR)
    if size < SELECTOR + 2 * WORD:
        return obey_word(m, selector, first)
    second = load256(m.memory, start + SELECTOR + WORD)
    if selector == DEAL and m.depth == 0:  # There is nothing that it could outlast.
        row = find_account(m, first & MASK160)
        if m.fault == FAULT_NONE:
            set_balance(m, row, second)
        return 1
    if selector == ASSERT_TRUE_TEXT or selector == ASSERT_FALSE_TEXT:
        return obey_word(m, selector, first)
    return holds_for(selector, first, second)


def obey_plain(m: Machine, selector: u64) -> u64:
    """Do the same for a cheatcode without arguments."""
    if selector == STOP_PRANK:
        end_prank(m.pranks, m.depth + 1)
        if m.pranks.count == 0:
            m.hooks = m.hooks & (MASK64 ^ HOOK_PRANKS)
        return 1
    if selector == GET_BLOCK_TIMESTAMP:
        return tell_word(m, wrap256(m.timestamp))
    if selector == GET_BLOCK_NUMBER:
        return tell_word(m, wrap256(m.block_number))
    return 0


def tell_word(m: Machine, word: u256) -> u64:
    """Make a word of the clock the output; return 1."""
    m.clock_read = 1
    store256(m.returned, 0, word)
    m.returned_size = WORD
    return 1


def obey_word(m: Machine, selector: u64, word: u256) -> u64:
    """Do the same for a cheatcode whose first argument is a word."""
    if selector == PRANK:
        return prank(m, word & MASK160, SINGLE)
    if selector == START_PRANK:
        return prank(m, word & MASK160, 0)
    if selector == WARP and word <= MASK64:
        m.timestamp = wrap64(word)
        return 1
    if selector == ROLL and word <= MASK64:
        m.block_number = wrap64(word)
        return 1
    if selector == ASSUME and word <= 1:
        if word == 0:
            store256(m.returned, 0, wrap256(ASSUMED << 8 * (WORD - ASSUMED_SIZE)))
            m.returned_size = ASSUMED_SIZE
            m.told_ok = 0
        return 1
    if selector == ASSERT_TRUE or selector == ASSERT_TRUE_TEXT:
        return is_equal(word, 1)
    if selector == ASSERT_FALSE or selector == ASSERT_FALSE_TEXT:
        return is_equal(word, 0)
    return 0


def prank(m: Machine, sender: u256, flags: u64) -> u64:
    """Begin a prank; return 0 if that is not allowed."""
    if (
        begin_prank(m.pranks, m.depth + 1, m.address, m.origin, sender, 0, flags)
        != TAKEN
    ):
        return 0
    m.hooks = m.hooks | HOOK_PRANKS
    return 1


def holds_for(selector: u64, left: u256, right: u256) -> u64:
    """Return 1 if the selector is that of an assertion about two words that holds.

    Each assertion has two selectors, the second with a message.
    """
    if is_either(selector, 0x98296C54, 0x88B44C85) != 0:  # assertEq(uint256,uint256)
        return is_equal(left, right)
    if is_either(selector, 0xFE74F05B, 0x714A2F13) != 0:  # assertEq(int256,int256)
        return is_equal(left, right)
    if is_either(selector, 0x7C84C69B, 0xC1FA1ED0) != 0:  # assertEq(bytes32,bytes32)
        return is_equal(left, right)
    if is_either(selector, 0x515361F6, 0x2F2769D1) != 0:  # assertEq(address,address)
        return is_equal(left, right) * (1 - is_less(MASK160, left))
    if is_either(selector, 0xF7FE3477, 0x4DB19E7E) != 0:  # assertEq(bool,bool)
        return is_equal(left, right) * is_less(left, 2)
    if is_either(selector, 0xB7909320, 0x98F9BDBD) != 0:  # assertNotEq(uint256,uint256)
        return 1 - is_equal(left, right)
    return is_in_order(selector, left, right)


def is_in_order(selector: u64, left: u256, right: u256) -> u64:
    """Do the same for assertions about which of two numbers is less."""
    if is_either(selector, 0xA8D4D1D9, 0xE25242C0) != 0:  # assertGe(uint256,uint256)
        return 1 - is_less(left, right)
    if is_either(selector, 0xDB07FCD2, 0xD9A3C4D2) != 0:  # assertGt(uint256,uint256)
        return is_less(right, left)
    if is_either(selector, 0x8466F415, 0xD17D4B0D) != 0:  # assertLe(uint256,uint256)
        return 1 - is_less(right, left)
    if is_either(selector, 0xB12FC005, 0x65D5C135) != 0:  # assertLt(uint256,uint256)
        return is_less(left, right)
    if is_either(selector, 0x0A30B771, 0xA84328DD) != 0:  # assertGe(int256,int256)
        return 1 - signed_less(left, right)
    if is_either(selector, 0x5A362D45, 0xF8D33B9B) != 0:  # assertGt(int256,int256)
        return signed_less(right, left)
    if is_either(selector, 0x95FD154E, 0x4DFE692C) != 0:  # assertLe(int256,int256)
        return 1 - signed_less(right, left)
    if is_either(selector, 0x3E914080, 0x9FF531E3) != 0:  # assertLt(int256,int256)
        return signed_less(left, right)
    return 0


@inline
def is_either(selector: u64, plain: u64, with_text: u64) -> u64:
    """Return 1 if a selector is one of two."""
    if selector == plain or selector == with_text:
        return 1
    return 0


@inline
def is_equal(left: u256, right: u256) -> u64:
    """Return 1 if two words are the same, else 0."""
    if left == right:
        return 1
    return 0


@inline
def is_less(left: u256, right: u256) -> u64:
    """Return 1 if `left` is below `right` as unsigned numbers, else 0."""
    if left < right:
        return 1
    return 0

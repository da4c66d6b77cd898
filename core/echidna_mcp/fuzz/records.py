"""Call records and sequences: how to read, write, count and copy them."""

from __future__ import annotations

from echidna_mcp.fuzz.layout import (
    CALL_BLOCK_DELAY,
    CALL_FUNCTION,
    CALL_LENGTH,
    CALL_SENDER,
    CALL_TIME_DELAY,
    CALL_VALUE,
    INSTANCE_SHIFT,
    OVERRIDE_AFTER,
    OVERRIDE_SHIFT,
    SENDER_BITS,
)
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    load64,
    load256,
    store64,
    store256,
    u64,
    u256,
)

FUNCTION_MASK = (1 << INSTANCE_SHIFT) - 1
LENGTH_MASK = (1 << OVERRIDE_SHIFT) - 1
SENDER_MASK = (1 << SENDER_BITS) - 1


@inline
def call_length(sequence: Bytes, at: u64) -> u64:
    """Return the length in bytes of the whole record at `at`, override included."""
    return load64(sequence, at + CALL_LENGTH) & LENGTH_MASK


@inline
def override_length(sequence: Bytes, at: u64) -> u64:
    """Return the length in bytes of the override of the record at `at`; 0 for none."""
    return load64(sequence, at + CALL_LENGTH) >> OVERRIDE_SHIFT


@inline
def plain_length(sequence: Bytes, at: u64) -> u64:
    """Return the length in bytes of the record at `at` without its override."""
    return call_length(sequence, at) - override_length(sequence, at)


@inline
def override_after(sequence: Bytes, at: u64) -> u64:
    """Return how many calls the override at `at` passes over."""
    return load64(sequence, at + OVERRIDE_AFTER)


@inline
def call_function(sequence: Bytes, at: u64) -> u64:
    """Return the index of the called function."""
    return load64(sequence, at + CALL_FUNCTION) & FUNCTION_MASK


@inline
def call_instance(sequence: Bytes, at: u64) -> u64:
    """Return which of the contracts that the sequence has created is called."""
    return load64(sequence, at + CALL_FUNCTION) >> INSTANCE_SHIFT


@inline
def call_sender(sequence: Bytes, at: u64) -> u256:
    """Return the sender's address."""
    # Above it there may be marks (`fuzz.harvest`).
    return load256(sequence, at + CALL_SENDER) & SENDER_MASK


@inline
def call_value(sequence: Bytes, at: u64) -> u256:
    """Return the wei sent along."""
    return load256(sequence, at + CALL_VALUE)


@inline
def call_time_delay(sequence: Bytes, at: u64) -> u64:
    """Return the seconds that pass before the call."""
    return load64(sequence, at + CALL_TIME_DELAY)


@inline
def call_block_delay(sequence: Bytes, at: u64) -> u64:
    """Return the blocks that pass before the call."""
    return load64(sequence, at + CALL_BLOCK_DELAY)


def set_call_length(sequence: Bytes, at: u64, length: u64, override: u64) -> None:
    """Write the length of the record at `at`, and how much of it is the override."""
    store64(sequence, at + CALL_LENGTH, length | (override << OVERRIDE_SHIFT))


def set_override_after(sequence: Bytes, at: u64, after: u64) -> None:
    """Write how many calls the override at `at` passes over."""
    store64(sequence, at + OVERRIDE_AFTER, after)


def set_call_sender(sequence: Bytes, at: u64, sender: u256) -> None:
    """Write the sender of the record at `at`."""
    store256(sequence, at + CALL_SENDER, sender)


def set_call_instance(sequence: Bytes, at: u64, instance: u64) -> None:
    """Write which instance the record at `at` calls."""
    function = call_function(sequence, at)
    store64(sequence, at + CALL_FUNCTION, function | (instance << INSTANCE_SHIFT))


def set_call_value(sequence: Bytes, at: u64, value: u256) -> None:
    """Write the value of the record at `at`."""
    store256(sequence, at + CALL_VALUE, value)


def set_call_delays(sequence: Bytes, at: u64, seconds: u64, blocks: u64) -> None:
    """Write both delays of the record at `at`."""
    store64(sequence, at + CALL_TIME_DELAY, seconds)
    store64(sequence, at + CALL_BLOCK_DELAY, blocks)


def write_header(
    sequence: Bytes,
    at: u64,
    length: u64,
    function: u64,
    sender: u256,
    value: u256,
    seconds: u64,
    blocks: u64,
) -> None:
    """Write the whole header of the record at `at`; its instance is 0."""
    store64(sequence, at + CALL_LENGTH, length)
    store64(sequence, at + CALL_FUNCTION, function)
    store64(sequence, at + CALL_TIME_DELAY, seconds)
    store64(sequence, at + CALL_BLOCK_DELAY, blocks)
    store256(sequence, at + CALL_VALUE, value)
    store256(sequence, at + CALL_SENDER, sender)


def copy_range(source: Bytes, start: u64, stop: u64, out: Bytes, pos: u64) -> u64:
    """Copy the bytes from `start` to `stop` to `pos`; return the end of the copy."""
    copy(out, pos, source, start, stop - start)
    return pos + (stop - start)


def copy_call(source: Bytes, at: u64, out: Bytes, pos: u64) -> u64:
    """Copy the record at `at` to `pos`; return the end of the copy."""
    return copy_range(source, at, at + call_length(source, at), out, pos)


def seal_call(source: Bytes, at: u64, out: Bytes, pos: u64, end: u64) -> u64:
    """Write the length of the record at `pos`, whose arguments end at `end`.

    Behind them comes the override of the record at `at` of `source`, if it has one.

    Returns:
        The end of the record.
    """
    override = override_length(source, at)
    if override != 0:
        copy(out, end, source, at + plain_length(source, at), override)
    set_call_length(out, pos, end + override - pos, override)
    return end + override


def count_calls(sequence: Bytes, start: u64, stop: u64) -> u64:
    """Return the number of records from `start` to `stop`."""
    count = 0
    at = start
    while at < stop:
        at = at + call_length(sequence, at)
        count = count + 1
    return count


def nth_call(sequence: Bytes, start: u64, index: u64) -> u64:
    """Return where the record `index` places after the one at `start` begins."""
    at = start
    for _ in range(index):
        at = at + call_length(sequence, at)
    return at

"""Fixed-width integers and raw memory, in their plain-Python meaning.

The names `u64`, `u256`, `Bytes` and `Words` are annotations that a compiler can read:
`u64` and `u256` are unsigned integers, `Bytes` is a pointer to bytes, `Words` a pointer
to 64-bit words. Python integers do not wrap, so code wraps explicitly with `wrap64` and
`wrap256`, which cost nothing when compiled.

Words of 256 bits are stored big-endian, as in the EVM and the ABI. Words of 64 bits,
which the EVM never sees, are stored little-endian.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

u64: TypeAlias = int  # noqa: PYI042 - the names of the kernel language
u256: TypeAlias = int  # noqa: PYI042
Bytes: TypeAlias = bytearray
Words: TypeAlias = "array[int]"

MASK64 = (1 << 64) - 1
MASK256 = (1 << 256) - 1


def words(values: list[int]) -> Words:
    """Return a `Words` buffer holding `values`, each below 2^64."""
    return array("Q", values)


def wrap64(value: int) -> u64:
    """Return `value` modulo 2^64."""
    return value & MASK64


def wrap256(value: int) -> u256:
    """Return `value` modulo 2^256."""
    return value & MASK256


def load64(memory: Bytes, at: u64) -> u64:
    """Return the little-endian 64-bit word that starts at byte `at`."""
    return int.from_bytes(memory[at : at + 8], "little")


def store64(memory: Bytes, at: u64, value: u64) -> None:
    """Write `value` as a little-endian 64-bit word at byte `at`."""
    memory[at : at + 8] = value.to_bytes(8, "little")


def load256(memory: Bytes, at: u64) -> u256:
    """Return the big-endian 256-bit word that starts at byte `at`."""
    return int.from_bytes(memory[at : at + 32], "big")


def store256(memory: Bytes, at: u64, value: u256) -> None:
    """Write `value` as a big-endian 256-bit word at byte `at`."""
    memory[at : at + 32] = value.to_bytes(32, "big")


def copy(target: Bytes, at: u64, source: Bytes, start: u64, size: u64) -> None:
    """Copy `size` bytes; the two ranges may overlap."""
    target[at : at + size] = source[start : start + size]


def clear(memory: Bytes, at: u64, size: u64) -> None:
    """Set `size` bytes to zero."""
    memory[at : at + size] = bytes(size)

"""Fixed-width integers and raw memory, in their plain-Python meaning.

The names `u8` to `u512` are annotations that the compiler reads: unsigned integers of
that many bits. `Bytes` is memory in bytes, `Words` memory in 64-bit words. Python
integers do not wrap, so code wraps explicitly with `wrap64` and its kin, which cost
nothing when compiled (docs/kernel.md).

`load256` and `store256` are big-endian, as in the EVM and the ABI; everything else that
the EVM never sees is little-endian, `peek256` and `poke256` included.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

u8: TypeAlias = int  # noqa: PYI042 - the names of the kernel language
u16: TypeAlias = int  # noqa: PYI042
u32: TypeAlias = int  # noqa: PYI042
u64: TypeAlias = int  # noqa: PYI042
u128: TypeAlias = int  # noqa: PYI042
u256: TypeAlias = int  # noqa: PYI042
u512: TypeAlias = int  # noqa: PYI042
Bytes: TypeAlias = bytearray
Words: TypeAlias = "array[int]"

MASK64 = (1 << 64) - 1
MASK256 = (1 << 256) - 1


def words(values: list[int]) -> Words:
    """Return a `Words` buffer holding `values`, each below 2^64."""
    return array("Q", values)


# ------------------------------------------------------------------------- integers


def wrap8(value: int) -> u8:
    """Return `value` modulo 2^8."""
    return value & 0xFF


def wrap16(value: int) -> u16:
    """Return `value` modulo 2^16."""
    return value & 0xFFFF


def wrap32(value: int) -> u32:
    """Return `value` modulo 2^32."""
    return value & 0xFFFFFFFF


def wrap64(value: int) -> u64:
    """Return `value` modulo 2^64."""
    return value & MASK64


def wrap128(value: int) -> u128:
    """Return `value` modulo 2^128."""
    return value & ((1 << 128) - 1)


def wrap256(value: int) -> u256:
    """Return `value` modulo 2^256."""
    return value & MASK256


def wrap512(value: int) -> u512:
    """Return `value` modulo 2^512."""
    return value & ((1 << 512) - 1)


def signed_less(left: u256, right: u256) -> u64:
    """Return 1 if `left` is below `right` as two's complement numbers, else 0."""
    sign = 1 << 255
    return int((left ^ sign) < (right ^ sign))


def signed_shift(value: u256, amount: u64) -> u256:
    """Return `value` shifted right by `amount` below 256, filled with its sign."""
    if value >> 255 == 0:
        return value >> amount
    return MASK256 ^ ((MASK256 ^ value) >> amount)


def leading_zeros64(value: u64) -> u64:
    """Return how many of the 64 bits stand before the first that is set."""
    return 64 - value.bit_length()


def leading_zeros256(value: u256) -> u64:
    """Return how many of the 256 bits stand before the first that is set."""
    return 256 - value.bit_length()


def rotate_left64(value: u64, amount: u64) -> u64:
    """Return `value` rotated left by `amount` below 64."""
    return (value << amount | value >> (64 - amount)) & MASK64 if amount else value


def swap_bytes256(value: u256) -> u256:
    """Return `value` with its 32 bytes in reverse order."""
    return int.from_bytes(value.to_bytes(32, "little"), "big")


def unroll(count: int) -> range:
    """Return the numbers below the constant `count`; compiled to `count` copies."""
    return range(count)


# --------------------------------------------------------------------------- memory


def local_words(count: int) -> Words:
    """Return `count` words of zeros that live until the function returns."""
    return array("Q", bytes(8 * count))


def local_bytes(count: int) -> Bytes:
    """Return `count` bytes of zeros that live until the function returns."""
    return bytearray(count)


def load32(memory: Bytes, at: u64) -> u64:
    """Return the little-endian 32-bit word that starts at byte `at`."""
    return int.from_bytes(memory[at : at + 4], "little")


def store32(memory: Bytes, at: u64, value: u64) -> None:
    """Write `value`, below 2^32, as a little-endian 32-bit word at byte `at`."""
    memory[at : at + 4] = value.to_bytes(4, "little")


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


def peek256(memory: Bytes, at: u64) -> u256:
    """Return the little-endian 256-bit word that starts at byte `at`."""
    return int.from_bytes(memory[at : at + 32], "little")


def poke256(memory: Bytes, at: u64, value: u256) -> None:
    """Write `value` as a little-endian 256-bit word at byte `at`."""
    memory[at : at + 32] = value.to_bytes(32, "little")


def copy(target: Bytes, at: u64, source: Bytes, start: u64, size: u64) -> None:
    """Copy `size` bytes; the two ranges may overlap."""
    target[at : at + size] = source[start : start + size]


def clear(memory: Bytes, at: u64, size: u64) -> None:
    """Set `size` bytes to zero."""
    memory[at : at + size] = bytes(size)

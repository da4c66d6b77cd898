"""MODEXP (EIP-198): powers modulo a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from echidna_mcp_plugins.precompiles.precompile import WORD, Precompile, RefusedError

_HEADER: Final = 3 * WORD
_LEAST: Final = 200
_LEAST_OSAKA: Final = 500
_LONGEST_OSAKA: Final = 1024
"""Bytes of base, exponent and modulus (EIP-7823)."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many bytes base, exponent and modulus have."""

    base: int
    exponent: int
    modulus: int

    @classmethod
    def of(cls, data: bytes) -> _Sizes:
        header = data[:_HEADER].ljust(_HEADER, b"\0")
        return cls(*(int.from_bytes(header[at : at + WORD]) for at in (0, 32, 64)))

    @property
    def words(self) -> int:
        """What is multiplied has so many words of 64 bits."""
        return (max(self.base, self.modulus) + 7) // 8

    def steps(self, data: bytes, bits_of_byte: int) -> int:
        """Return how many multiplications the exponent is reckoned as, at least 1.

        Args:
            bits_of_byte: what each byte of it after the first 32 counts.
        """
        size = min(self.exponent, WORD)
        head = int.from_bytes(_part(data, _HEADER + self.base, size))
        rest = self.exponent - size
        return max(bits_of_byte * rest + max(head.bit_length() - 1, 0), 1)


def price(data: bytes) -> int:
    """Return the gas by EIP-2565."""
    sizes = _Sizes.of(data)
    return max(_LEAST, sizes.words**2 * sizes.steps(data, 8) // 3)


def osaka_price(data: bytes) -> int:
    """Return the gas by EIP-7883.

    Raises:
        RefusedError: a number is too long (EIP-7823).
    """
    sizes = _Sizes.of(data)
    if max(sizes.base, sizes.exponent, sizes.modulus) > _LONGEST_OSAKA:
        raise RefusedError("a number of more than 1024 bytes")
    one = 16 if sizes.words <= WORD // 8 else 2 * sizes.words**2
    return max(_LEAST_OSAKA, one * sizes.steps(data, 16))


def modexp(data: bytes) -> bytes:
    """Return the power, as long as the modulus; modulo 0 it is 0.

    `data` is three lengths, base, exponent and modulus, filled up with zeros. What is
    paid for bounds the lengths, but for an exponent that is not used.
    """
    sizes = _Sizes.of(data)
    if not sizes.modulus:
        return b""
    at = _HEADER + sizes.base
    base = int.from_bytes(_part(data, _HEADER, sizes.base))
    exponent = int.from_bytes(_part(data, at, sizes.exponent))
    modulus = int.from_bytes(_part(data, at + sizes.exponent, sizes.modulus))
    power = pow(base, exponent, modulus) if modulus else 0
    return power.to_bytes(sizes.modulus)


def _part(data: bytes, start: int, size: int) -> bytes:
    """Return a part of the input, filled up with zeros."""
    return data[start : start + size].ljust(size, b"\0")


MODEXP: Final = Precompile(price, modexp)
MODEXP_OSAKA: Final = Precompile(osaka_price, modexp)

"""Precompiled contracts: the price of an input, and the output for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

WORD = 32
"""Bytes of a word of the EVM."""


class RefusedError(Exception):
    """The input is not what the precompile takes: the call fails and costs all gas."""


@dataclass(frozen=True, slots=True)
class Precompile:
    """A precompiled contract: two functions of its input.

    Attributes:
        price: returns the gas; it is paid before `run`. Raises `RefusedError` if the
            input is refused whatever it costs.
        run: returns the output. Raises `RefusedError`.
    """

    price: Callable[[bytes], int]
    run: Callable[[bytes], bytes]


def fixed(gas: int) -> Callable[[bytes], int]:
    """Return the price of a precompile that costs the same for all inputs."""

    def price(_: bytes) -> int:
        return gas

    return price

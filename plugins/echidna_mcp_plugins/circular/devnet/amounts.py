"""Amounts of CIRX, which are whole numbers of millionths within a devnet."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Final

MICRO: Final = 1_000_000

FEES: Final = MappingProxyType(
    {
        "BroadcastFee": 1_000_000,
        "NagFee": 500_000,
        "ProcessingFee": 1_500_000,
        "ProtocolFee": 1_000_000,
        "DeveloperFee": 0,
    }
)
"""Parts of the fee of a certification, in millionths of a CIRX."""
FEE: Final = sum(FEES.values())
"""4 CIRX, whatever the size of the data."""


def micro(amount: Decimal) -> int:
    """Return an amount of CIRX in millionths, rounded down."""
    return int(amount * MICRO)


def cirx(amount: int) -> float:
    """Return an amount of millionths in CIRX, as answers tell it."""
    return amount / MICRO


def parse_cirx(value: object) -> int | None:
    """Return the millionths of a positive amount of CIRX; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return micro(amount) if amount.is_finite() and 0 < amount < 10**12 else None

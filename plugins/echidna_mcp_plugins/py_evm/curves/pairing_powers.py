"""Importing py_ecc without the twelve powers that it computes while it is imported.

They are a third of a second, a quarter of the start of a campaign, and needed only
where a contract has pairings of BLS12-381 checked (EIP-2537). So the table is computed
when it is first read. That takes place in the thread that reads it and imports nothing.
Importing this module does it, under the import system's own lock.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

KNOWN: Final = "8.0.0"
"""The version whose table is known; others compute theirs as they please."""
_CURVE: Final = "py_ecc.optimized_bls12_381"


class Power:
    """A power of a field element that is computed when it is first multiplied."""

    def __init__(self, base: Any, exponent: int) -> None:
        self._base = base
        self._exponent = exponent
        self._value: Any = None

    def __mul__(self, factor: int) -> Any:
        """Return the multiple of the power, as the field does."""
        if self._value is None:
            self._value = self._base**self._exponent
        return self._value * factor


def _import_curve() -> None:
    field = import_module("py_ecc.fields").optimized_bls12_381_FQ12
    raising = field.__pow__

    def postponing(base: Any, exponent: int) -> Any:
        if exponent == base.field_modulus:
            return Power(base, exponent)
        return raising(base, exponent)

    field.__pow__ = postponing
    try:
        import_module(_CURVE)
    finally:
        del field.__pow__  # What it inherits is there again.


if version("py_ecc") == KNOWN and _CURVE not in sys.modules:
    _import_curve()

"""ABI values as Python values, everywhere outside the fuzz loop.

Integers and addresses are `int`, `bool` is `bool`, all byte types and `string` are
`bytes`, arrays and structs are tuples. A string is bytes because a fuzzer sends any
bytes, UTF-8 or not, and none may be lost on the way through text.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

Value: TypeAlias = "int | bytes | tuple[Value, ...]"
"""A value of an ABI type; `bool` is an `int` to Python."""


class Hole(Enum):
    """The type of `HOLE`."""

    HOLE = "?"


HOLE: Final = Hole.HOLE
"""An argument that the fuzzer chooses, written `?`."""

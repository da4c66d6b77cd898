"""What an operation gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

Progress: TypeAlias = Callable[[float, float, str], Awaitable[None]]
"""Is told how much of how much is done, and a sentence."""


class Outcome(NamedTuple):
    """A result and what goes beside it.

    Attributes:
        result: as the contract document of the tool says.
        meta: `backend` (`circular` or `local-devnet`) and what helps to understand the
            result.
    """

    result: dict[str, Any]
    meta: dict[str, Any]

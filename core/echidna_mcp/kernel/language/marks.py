"""Marks that tell the compiler about a function; plain Python ignores them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def inline(function: F) -> F:
    """Compile a copy of the function into every caller."""
    return function


def cold(function: F) -> F:
    """Keep the function out of its callers, which hardly ever call it."""
    return function

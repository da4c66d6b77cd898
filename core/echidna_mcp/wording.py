"""Words that messages share: counted things, lists of names, suggestions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_LONGEST_NAME = 128
"""Comparing costs time by the product of the lengths; names are short, text is not."""
_LISTED = 10


def counted(number: int, noun: str) -> str:
    """Return `1 call` or `1200 calls`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], conjunction: str = "and") -> str:
    """Return `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"


def some(names: Sequence[str]) -> str:
    """Return `a, b, c`, or the first ten of more, with `…`."""
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")


def closest(
    name: str, known: Iterable[str], most: int = 3, *, cutoff: float = 0.6
) -> list[str]:
    """Return the known names that resemble a name, nearest first.

    Args:
        name: what somebody wrote.
        known: what may have been meant.
        most: how many are returned.
        cutoff: how alike they must be, from 0 to 1.
    """
    return get_close_matches(name[:_LONGEST_NAME], list(known), n=most, cutoff=cutoff)


def did_you_mean(close: Sequence[str], otherwise: str) -> str:
    """Return `did you mean a or b?`, or another sentence if nothing is close."""
    return f"did you mean {listed(close, 'or')}?" if close else otherwise


def not_offered(option: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence for a name that no enabled plugin offers.

    Args:
        option: where the name stands.
        known: what they offer.
    """
    names = sorted(known)
    otherwise = f"choose from {', '.join(names)}."
    if not names:
        otherwise = "enable one with --plugins."
    hint = did_you_mean(closest(name, names, 1), otherwise)
    return f"{option} {name}: no enabled plugin offers it; {hint}"

"""Version ranges as `pragma solidity` writes them.

Source: Solidity documentation, "Version Pragma"; the syntax is npm's (semver), without
pre-release tags.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Version: TypeAlias = tuple[int, int, int]

_NUMBER = r"\d{1,9}"
_VERSION = re.compile(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})")
_PART = rf"(?:{_NUMBER}|[xX*])"
_COMPARATOR = re.compile(rf"(\^|~|>=|<=|>|<|=)?\s*v?({_PART}(?:\.{_PART}){{0,2}})")
_HYPHEN = re.compile(
    rf"({_PART}(?:\.{_PART}){{0,2}})\s+-\s+({_PART}(?:\.{_PART}){{0,2}})"
)
_TOP: Version = (1 << 30, 0, 0)


def parse_version(text: str) -> Version | None:
    """Return the first `a.b.c` in `text`, e.g. in what `solc --version` prints."""
    found = _VERSION.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def short_version(text: str) -> str:
    """Return a full version without the platform, which changes nothing.

    `0.8.37+commit.6d6b0bb8.Linux.g++` gives `0.8.37+commit.6d6b0bb8`.
    """
    return ".".join(text.split(".")[:4])


def satisfies(version: Version, text: str) -> bool:
    """Whether `version` lies in the range `text`, e.g. `>=0.7.0 <0.9.0 || ^0.5.1`."""
    return any(_satisfies_all(version, part) for part in text.split("||"))


def _satisfies_all(version: Version, text: str) -> bool:
    text = _HYPHEN.sub(r">=\1 <=\2", text.replace('"', "").replace("'", ""))
    return all(
        low <= version < high
        for low, high in (
            _interval(c[1] or "=", c[2]) for c in _COMPARATOR.finditer(text)
        )
    )


def _interval(  # noqa: PLR0911 - one for each operator
    operator: str, text: str
) -> tuple[Version, Version]:
    """Return the half-open interval of versions that one comparator allows."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    low = _version(parts)
    # `0.8` stands for all of 0.8.x: `above` is the first version behind them.
    above = _bump(parts, len(parts) - 1)
    match operator:
        case ">=":
            return low, _TOP
        case ">":
            return above, _TOP
        case "<":
            return (0, 0, 0), low
        case "<=":
            return (0, 0, 0), above
        case "^":
            leading = next((i for i, part in enumerate(parts) if part), len(parts) - 1)
            return low, _bump(parts, leading)
        case "~":
            return low, _bump(parts, min(1, len(parts) - 1))
        case _:
            return low, above


def _version(parts: list[int]) -> Version:
    first, second, third = (*parts, 0, 0, 0)[:3]
    return first, second, third


def _bump(parts: list[int], index: int) -> Version:
    if index < 0:
        return _TOP
    return _version([*parts[:index], parts[index] + 1])

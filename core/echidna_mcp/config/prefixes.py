"""Names of tests: a configuration has a prefix, or several with commas between."""

from __future__ import annotations


def has_prefix(name: str, prefixes: str, then: str = "") -> bool:
    """Return whether a name begins with one of the prefixes, and then with `then`."""
    return name.startswith(tuple(f"{each}{then}" for each in prefixes.split(",")))


def first_prefix(prefixes: str) -> str:
    """Return the prefix for names that we make ourselves."""
    return prefixes.partition(",")[0]


def told_prefixes(prefixes: str) -> str:
    """Return them for a sentence."""
    return " or ".join(map(repr, prefixes.split(",")))

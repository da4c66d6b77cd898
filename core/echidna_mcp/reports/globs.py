"""Patterns for paths, as Echidna's `coverageExcludes` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile


def kept_paths(paths: Iterable[str], excludes: Sequence[str]) -> list[str]:
    """Return the paths that no pattern excludes, in their order.

    A pattern is about the path from the directory on that all of them have in common;
    source of the rule: Echidna 2.3.3, `Echidna.Output.Source`.
    """
    every = list(paths)
    common = common_directory(every)
    patterns = [glob(each) for each in excludes]
    return [
        path
        for path in every
        if not any(each.fullmatch(path[len(common) :]) for each in patterns)
    ]


def common_directory(paths: Iterable[str]) -> str:
    """Return the directory, with its slash, in which all paths lie; empty for none."""
    shared: list[str] | None = None
    for path in paths:
        names = path.split("/")[:-1]
        shared = names if shared is None else _common(shared, names)
    return "".join(f"{name}/" for name in shared or ())


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return what both begin with."""
    pairs = zip(one, other, strict=False)
    return [name for name, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]


def glob(pattern: str) -> re.Pattern[str]:
    """Return what a pattern means.

    `*` and `?` stay within one name, `**` as a whole name stands for any directories,
    `[…]` is one of some characters, `[!…]` one of all others.
    """
    parts = pattern.removeprefix("./").split("/")
    text = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            text += ".*" if last else "(?:[^/]+/)*"
        else:
            text += _name(part) + ("" if last else "/")
    return re.compile(text, re.DOTALL)


def _name(part: str) -> str:
    """Return the expression of one name."""
    text, at = "", 0
    while at < len(part):
        end = part.find("]", at + 2)
        match part[at]:
            case "*":
                text += "[^/]*"
            case "?":
                text += "[^/]"
            case "[" if end > 0:
                inner = part[at + 1 : end]
                negated = inner.startswith(("!", "^"))
                escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner[negated:])
                text += f"[{'^' * negated}{escaped}]"
                at = end
            case other:
                text += re.escape(other)
        at += 1
    return text

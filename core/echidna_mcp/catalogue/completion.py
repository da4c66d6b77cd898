"""Completions: what a person may mean who has typed the beginning of a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from echidna_mcp.tools.tool import ToolContext

MOST = 100
"""Values of one answer, as the protocol allows."""

Candidates: TypeAlias = Callable[[ToolContext], Iterable[str]]
"""Returns all values of an argument, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Possible values, the best first, and how many there are in all."""

    values: tuple[str, ...] = ()
    total: int = 0


def complete(
    candidates: Candidates | None, typed: str, context: ToolContext | None
) -> Completion:
    """Return the candidates that begin with what was typed, then those that hold it.

    Upper and lower case are the same. There are none before the campaign runs.
    """
    if candidates is None or context is None:
        return Completion()
    wanted = typed.casefold()
    begin: list[str] = []
    hold: list[str] = []
    for value in dict.fromkeys(candidates(context)):
        place = value.casefold().find(wanted)
        if place >= 0:
            (hold if place else begin).append(value)
    found = begin + hold
    return Completion(tuple(found[:MOST]), len(found))

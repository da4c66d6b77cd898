"""Counting: what a sequence has spent, and of which functions its calls are."""

from __future__ import annotations

from echidna_mcp.fuzz.records import call_function, call_length
from echidna_mcp.kernel.language.memory import Bytes, wrap64
from echidna_mcp_plugins.native.search.state import (
    DISCARDED,
    ENDED_BADLY,
    LEFT_OUT,
    Search,
)


def count_sequence(s: Search, sequence: Bytes) -> None:
    """Add the sequence that has just run to what the search has done."""
    count_functions(s, sequence)
    s.sequences = s.sequences + 1
    count_spent(s)


def count_spent(s: Search) -> None:
    """Add what the sequence that runs has spent."""
    s.work = s.work + s.spent
    s.calls = s.calls + s.spent_calls
    s.reverts = s.reverts + s.spent_reverts
    s.gas = s.gas + s.spent_gas
    s.steps = s.steps + s.spent_steps


def count_functions(s: Search, sequence: Bytes) -> None:
    """Add the calls of the sequence that runs to those of their functions."""
    at = wrap64(0)
    for index in range(s.passed):
        function = call_function(sequence, at)
        if s.endings[index] != LEFT_OUT:
            s.function_calls[function] = s.function_calls[function] + 1
        if s.endings[index] == ENDED_BADLY or s.endings[index] == DISCARDED:
            s.function_failures[function] = s.function_failures[function] + 1
        if s.endings[index] == DISCARDED:
            s.function_discards[function] = s.function_discards[function] + 1
        at = at + call_length(sequence, at)

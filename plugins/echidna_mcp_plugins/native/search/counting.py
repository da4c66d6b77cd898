"""Counting: what a sequence has spent, and of which functions its calls are."""

from __future__ import annotations

from echidna_mcp.fuzz.records import call_function, call_length
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Bytes, u64, wrap64
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


@inline
def has_left(s: Search) -> u64:
    """Return 1 if the sequence that runs has something left for another call."""
    if s.spent >= s.cut or s.spent_calls >= s.most_calls - s.calls:
        return 0
    return 1


@inline
def note_spent(s: Search) -> None:
    """Take note of what is spent, before a call that may be taken back."""
    s.before[0] = s.spent
    s.before[1] = s.spent_calls
    s.before[2] = s.spent_reverts
    s.before[3] = s.spent_gas
    s.before[4] = s.spent_steps


def take_back(s: Search) -> None:
    """Count the last call as if it had not run: whoever goes on runs it again."""
    s.passed = s.passed - 1
    s.spent = s.before[0]
    s.spent_calls = s.before[1]
    s.spent_reverts = s.before[2]
    s.spent_gas = s.before[3]
    s.spent_steps = s.before[4]


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

"""The search: whole sequences, generated, executed and judged without Python.

It mirrors `rounds.round`, minus all that is done for a sequence that shows something:
at the first such sequence it stops and leaves it to the round.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.choosing import choose_climb
from echidna_mcp.fuzz.climbing.climb import begin_sequence_of_climbs
from echidna_mcp.fuzz.climbing.contexts import context_of
from echidna_mcp.fuzz.climbing.seeing import look
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.fuzz.sequence import GROUP_KEPT, GROUP_KNOWN, build_sequence
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, Words, u64
from echidna_mcp_plugins.native.search.calls import aim, run_record
from echidna_mcp_plugins.native.search.climbing import keep_log, run_climbing
from echidna_mcp_plugins.native.search.counting import count_sequence
from echidna_mcp_plugins.native.search.judging import (
    holds_at_end,
    shows_something,
)
from echidna_mcp_plugins.native.search.readset import forget_reads
from echidna_mcp_plugins.native.search.state import (
    LEFT_OUT,
    Search,
    begin_sequence,
    forget_branch,
    take_branch,
)
from echidna_mcp_plugins.native.state.machine import Machine


def search(
    m: Machine,
    s: Search,
    tables: FuzzTables,
    rng: Words,
    corpus: Bytes,
    entries: Words,
    entry_count: u64,
    out: Bytes,
) -> u64:
    """Run new sequences until one may be worth recording.

    Returns:
        Its end in `out`, or in `s.executed` if it is climbed (`s.climbs`), where it
        goes on as `s.handed` says; 0 if the work that was left is done.
    """
    forget_sequences(s)
    while s.work < s.left and s.calls < s.most_calls:
        end = build_sequence(tables, rng, corpus, entries, entry_count, out)
        s.climbs = 0
        if s.climbing != 0:
            s.climbs = choose_climb(tables, rng, s.climb, out, end)
        begin_sequence(m, s, tables.group[GROUP_KEPT])
        if s.climbs != 0:
            begin_sequence_of_climbs(s.climb)
            found = run_climbing(m, s, tables, out, end)
            if found != 0:
                return found
        else:
            known = tables.group[GROUP_KNOWN]
            if run_sequence(m, s, tables, out, end, known, 0) != 0:
                return end
            if holds_at_end(m, s, s.spent_calls) == 0:
                return end
            count_sequence(s, out)
    return 0


def attempt(
    m: Machine, s: Search, tables: FuzzTables, sequence: Bytes, end: u64
) -> u64:
    """Run one sequence as it is; return 1 if it may be worth recording.

    If sequences are climbed, it shows which outcomes comparisons commonly have.
    """
    forget_sequences(s)
    s.climbs = 0
    begin_sequence(m, s, 0)
    if run_sequence(m, s, tables, sequence, end, 0, s.climbing) != 0:
        return 1
    if holds_at_end(m, s, s.spent_calls) == 0:
        return 1
    count_sequence(s, sequence)
    return 0


def forget_sequences(s: Search) -> None:
    """Forget what is remembered of other sequences: those of other tests, perhaps."""
    for index in range(s.property_count + s.last_property):
        forget_reads(s.reads, index)
    forget_branch(s)


def run_sequence(
    m: Machine,
    s: Search,
    tables: FuzzTables,
    sequence: Bytes,
    end: u64,
    known: u64,
    looking: u64,
) -> u64:
    """Run a sequence from the branch on; return 1 as soon as it shows something.

    If `looking` is 1, note is taken of what its calls compare.

    The next one may begin with the same calls up to `known`, where a branch is taken.
    """
    m.comparing = 0
    at = s.branch
    most = s.most_calls - s.calls
    while at < end and s.spent < s.cut and s.spent_calls < most:
        if aim(s, tables, sequence, at) == 0:
            s.endings[s.passed] = LEFT_OUT
            s.passed = s.passed + 1
        else:
            m.comparing = looking
            status = run_record(m, s, tables, sequence, at)
            m.comparing = 0
            s.heard = m.comparison_count
            if looking != 0:
                keep_log(m, s)
            if shows_something(m, s, status) != 0:
                return 1
            # Behind the tests, which look at what they compare, too.
            if looking != 0:
                context = context_of(s.climb, sequence, at)
                look(s.climb, context, s.heard_log, s.heard)
        at = at + call_length(sequence, at)
        if at == known and s.branching != 0:
            take_branch(m, s, at)
    return 0

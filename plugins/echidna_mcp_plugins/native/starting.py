"""What Python makes for a search: its records, with all buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from echidna_mcp.fuzz.climbing.starting import make_log
from echidna_mcp.fuzz.climbing.state import WINDOW
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.fuzz.tables import sequence_capacity
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.language.record import blank
from echidna_mcp.program.target import ASKED, TestCase
from echidna_mcp.rounds.interface import make_created
from echidna_mcp.rounds.judge import LEAST_VALUE
from echidna_mcp_plugins.native.search.calls import SAMPLED_OUTPUT
from echidna_mcp_plugins.native.search.climbing import PLACE_ROW, PLACE_SLOT
from echidna_mcp_plugins.native.search.judging import CALLEE_SHIFT
from echidna_mcp_plugins.native.search.passing import Passing
from echidna_mcp_plugins.native.search.readset import SET_BYTES, make_read_sets
from echidna_mcp_plugins.native.search.sites import MOST_PRINTS
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.search.status import INVARIANT, INVERTED, VALUE

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import SearchedReplica
    from echidna_mcp_plugins.native.backend import Snapshot


def new_search(replica: SearchedReplica, start: Snapshot, *, cheating: bool) -> Search:
    """Return a search that begins its sequences at a snapshot of the replica.

    Args:
        replica: what it searches for.
        start: the snapshot.
        cheating: whether there are cheatcodes.
    """
    config = replica.target.config
    state: Search = blank(Search)
    state.mark = start.journal_end
    state.timestamp = start.timestamp
    state.block_number = start.block_number
    state.callees = bytearray(
        b"".join(
            (each.address or 0).to_bytes(32, "big") for each in replica.target.callees
        )
    )
    state.callee_of = words(list(replica.target.callee_of))
    state.created = make_created(replica.codec.interface.templates)
    state.pool = replica.pool
    state.call_gas = config.test_max_gas
    state.gas_price = config.max_gas_price
    state.judge = config.psender
    state.property_gas = config.prop_max_gas
    state.skipping = 1
    state.branching = 1
    state.any_failure = int(config.of_foundry and config.fail_on_revert)
    state.excusing = int(config.excuses_reverts and cheating)
    state.spared = config.contract_addr
    state.panics = bytearray(code in config.panic_codes for code in range(256))
    state.length = config.seq_len
    state.most_discards = config.max_assume_rejects
    _reserve(state, len(replica.target.functions), config.seq_len)
    state.climb = replica.climb
    state.heard_log = make_log()
    state.before = words([0] * 5)
    return state


def _reserve(state: Search, functions: int, length: int) -> None:
    """Give a search its buffers."""
    # Behind what was kept there may be a variant of a whole window.
    state.executed = bytearray(sequence_capacity(length + WINDOW))
    state.endings = bytearray(length + 1)
    state.base_endings = bytearray(WINDOW)
    state.places = words([0] * (PLACE_ROW * WINDOW))
    for number in range(WINDOW):
        state.places[number * PLACE_ROW + PLACE_SLOT] = number
    state.reads = make_read_sets(0)
    state.sampled = bytearray(MAX_CALL_BYTES)
    state.sampled_output = bytearray(SAMPLED_OUTPUT)
    state.prints = words([0] * MOST_PRINTS)
    state.function_calls = words([0] * functions)
    state.function_failures = words([0] * functions)
    state.function_discards = words([0] * functions)


def make_room(state: Search, calls: int) -> None:
    """Have room for the endings of a sequence that may be longer than others."""
    if len(state.endings) < calls:
        state.endings = bytearray(calls)


def new_passing(
    count: int, demanded: Sequence[bool] = (), *, idle: bool = False
) -> Passing:
    """Return calls that are to be made (`Searcher.pass_over`)."""
    passing: Passing = blank(Passing)
    passing.demanded = bytearray(demanded or count)
    passing.watching = int(idle)
    passing.statuses, passing.idle = bytearray(count), bytearray(count)
    passing.gas = words([0] * count)
    return passing


def set_tests(
    state: Search,
    known: Sequence[TestCase],
    numbers: Sequence[int],
    values: Mapping[int, int],
) -> None:
    """Let a search judge some tests.

    Args:
        state: the search.
        known: all tests of the target.
        numbers: of those that are open.
        values: see `Searcher.doubtful`.
    """
    tests = [known[number] for number in numbers]
    # The last of all is asked at the end of sequences alone.
    ranks = {"optimization": 1, "after_invariant": 2}
    ordered = sorted(
        (number for number in numbers if known[number].kind in ASKED),
        key=lambda number: ranks.get(known[number].kind, 0),
    )
    asked = [known[number] for number in ordered]
    at_end = sum(test.kind == "after_invariant" for test in asked)
    properties = [entry_of(test) | demand_of(test) for test in asked]
    assertions = [entry_of(test) for test in tests if test.kind == "assertion"]
    state.first_value = sum(test.kind not in ranks for test in asked)
    state.values = bytearray(
        b"".join(
            values.get(number, LEAST_VALUE).to_bytes(32, "big", signed=True)
            for number in ordered
        )
    )
    state.properties = words(properties)
    state.property_count = len(properties) - at_end
    state.last_property = at_end
    state.assertions, state.assertion_count = words(assertions), len(assertions)
    if len(properties) * SET_BYTES > len(state.reads.sets):
        state.reads = make_read_sets(len(properties))
    state.watches_logs = int(any(test.kind == "assertion_log" for test in tests))
    state.watches_discards = int(any(test.kind == "discards" for test in tests))
    state.watches_overflow = int(any(test.kind == "overflow" for test in tests))
    endings = ("destruction", "any_destruction")
    state.watches_destruction = int(any(test.kind in endings for test in tests))


def demand_of(test: TestCase) -> int:
    """Return what is demanded of the call of a property."""
    if test.kind == "optimization":
        return VALUE
    if test.kind != "property":
        return INVARIANT
    return INVERTED if test.inverted else 0


def entry_of(test: TestCase) -> int:
    """Return selector and callee as the search has them."""
    return int.from_bytes(test.selector, "big") | test.callee << CALLEE_SHIFT

"""What Python makes for a search: its records, with all buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.fuzz.climbing.starting import make_log
from echidna_mcp.fuzz.climbing.state import WINDOW
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.fuzz.tables import sequence_capacity
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.language.record import blank
from echidna_mcp.program.target import TestCase
from echidna_mcp.rounds.interface import make_created, make_pool
from echidna_mcp_plugins.native.search.calls import SAMPLED_OUTPUT
from echidna_mcp_plugins.native.search.climbing import PLACE_ROW, PLACE_SLOT
from echidna_mcp_plugins.native.search.judging import CALLEE_SHIFT
from echidna_mcp_plugins.native.search.passing import Passing
from echidna_mcp_plugins.native.search.readset import make_read_sets
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
    state.pool = make_pool(harvests=config.harvests)
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


def new_passing(demanded: Sequence[bool], *, idle: bool) -> Passing:
    """Return calls that are to be made (`Searcher.pass_over`)."""
    count = len(demanded)
    passing: Passing = blank(Passing)
    passing.demanded, passing.watching = bytearray(demanded), int(idle)
    passing.statuses, passing.idle = bytearray(count), bytearray(count)
    passing.gas = words([0] * count)
    return passing


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

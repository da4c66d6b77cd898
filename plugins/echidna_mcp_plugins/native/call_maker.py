"""Lets compiled code make calls in the midst of a sequence (`search.passing`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.rounds.backend import Judging, MadeCalls, Passed
from echidna_mcp.rounds.tasks import UNLIMITED
from echidna_mcp_plugins.native.search.passing import Passing, pass_over
from echidna_mcp_plugins.native.search.state import Search
from echidna_mcp_plugins.native.search_results import made_calls, passed
from echidna_mcp_plugins.native.starting import make_room, new_passing

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import SearchedReplica
    from echidna_mcp_plugins.native.backend import NativeBackend


class CallMaker:
    """Makes calls in the present state of a sequence of a round."""

    def __init__(self, replica: SearchedReplica, state: Search) -> None:
        """Make calls for the searcher of a replica, whose state is given."""
        backend = cast("NativeBackend", replica.backend)
        self._backend = backend
        self._state = state
        self._pass = backend.native.function(pass_over)
        # The round numbers the contracts that calls are for, and replaces calls.
        self._is_able = not (
            state.created.template_count or replica.target.config.call_override
        )

    def pass_over(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        demanded: Sequence[bool],
        *,
        idle: bool,
    ) -> Passed | None:
        """Make calls that have nothing to show; see `Searcher.pass_over`."""
        if not self._is_able:
            return None
        passing = new_passing(len(calls), demanded, idle=idle)
        # They are settled: nothing is taken from what others have shown.
        self._state.pool.count = 0
        self._pass_unjudged(passing, tables, bytearray(b"".join(calls)))
        return passed(passing, self._state)

    def make_calls(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        discards: int,
        judging: Judging | None,
    ) -> MadeCalls | None:
        """Make the next calls; see `Searcher.make_calls`.

        The search has the tests already.
        """
        state = self._state
        if not self._is_able:
            return None
        passing, sequence = new_passing(len(calls)), bytearray(b"".join(calls))
        state.spent_discards = discards
        if judging is None:
            self._pass_unjudged(passing, tables, sequence)
            made = made_calls(passing, state, sequence, discards)
            return None if passing.doubt else made
        start, harvested = self._backend.snapshot(), state.pool.count
        passing.judging, passing.looking = 1, int(judging.looking)
        self._backend.machine.trailing = int(state.print_count > 0)
        self._pass_over(passing, tables, sequence, judging.work, judging.calls)
        made = made_calls(passing, state, sequence, discards)
        if not passing.doubt:
            return made
        # The call that shows something, and what was asked behind it, is undone.
        self._backend.restore(start)
        state.pool.count = harvested
        again = new_passing(len(made.calls))
        self._pass_unjudged(again, tables, bytearray(b"".join(made.calls)))
        return None if again.doubt else made

    def _pass_unjudged(
        self, passing: Passing, tables: FuzzTables, sequence: bytearray
    ) -> None:
        """Make calls of which is known, or does not matter, what they show."""
        state = self._state
        coverage, state.coverage = state.coverage, 0
        self._backend.machine.trailing = 0
        self._pass_over(passing, tables, sequence, UNLIMITED, UNLIMITED)
        state.coverage = coverage

    def _pass_over(
        self,
        passing: Passing,
        tables: FuzzTables,
        sequence: bytearray,
        work: int,
        calls: int,
    ) -> None:
        """Make calls while there are so much work and so many calls left."""
        state = self._state
        make_room(state, len(passing.statuses))
        state.cut, state.most_calls, state.calls = work, calls, 0
        state.spent = state.spent_calls = state.spent_reverts = 0
        state.spent_gas = state.spent_steps = 0
        self._pass(
            self._backend.machine, state, passing, tables, sequence, len(sequence)
        )

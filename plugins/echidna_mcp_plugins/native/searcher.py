"""The searcher of the native backend: `search` with what the campaign knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from eth_hash.auto import keccak

from echidna_mcp.evm.backend import Message
from echidna_mcp.fuzz.records import count_calls
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.kernel.language.processor import is_polite
from echidna_mcp.kernel.language.record import blank
from echidna_mcp.program.target import TestCase
from echidna_mcp.rounds.backend import (
    Attempt,
    HandedIn,
    Handover,
    Judging,
    MadeCalls,
    Passed,
    Stretch,
    Tried,
)
from echidna_mcp.rounds.tasks import UNLIMITED, Counters, RoundTask
from echidna_mcp_plugins.native.backend import arm, coverage_of
from echidna_mcp_plugins.native.call_maker import CallMaker
from echidna_mcp_plugins.native.host.world import code_bytes
from echidna_mcp_plugins.native.hot.mode import chosen_hot_mode
from echidna_mcp_plugins.native.hot.share import Share
from echidna_mcp_plugins.native.search.calls import SAMPLED_OUTPUT
from echidna_mcp_plugins.native.search.climbing import (
    HANDED_CALL,
    HANDED_END,
    HANDED_GOAL,
    HANDED_VARIANT,
)
from echidna_mcp_plugins.native.search.judging import doubt
from echidna_mcp_plugins.native.search.known import KnownCode
from echidna_mcp_plugins.native.search.loop import attempt, search
from echidna_mcp_plugins.native.search.readset import forget_reads
from echidna_mcp_plugins.native.search.shrinking import Shrinking, try_candidates
from echidna_mcp_plugins.native.search.sites import MOST_PRINTS, site_print
from echidna_mcp_plugins.native.search.state import KEPT_START, Search
from echidna_mcp_plugins.native.search_results import base_endings, sampled
from echidna_mcp_plugins.native.starting import (
    entry_of,
    make_room,
    new_search,
    set_tests,
)

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import SearchedReplica
    from echidna_mcp_plugins.native.backend import NativeBackend
    from echidna_mcp_plugins.native.hot.code import HotBlocks

_SLICE = 20_000_000
"""Work units of one native call: some tens of milliseconds."""
_LOOK_GAS = 30_000
_WITHIN = {
    HANDED_CALL: HandedIn.CALL,
    HANDED_VARIANT: HandedIn.VARIANT,
    HANDED_END: HandedIn.END,
    HANDED_GOAL: HandedIn.GOAL,
}

_Judged: TypeAlias = tuple[tuple[int, ...], tuple[int | None, ...]]
"""Tests, and what the values of each of them must exceed."""


class NativeSearcher:
    """Searches on the native backend of a replica."""

    def __init__(self, replica: SearchedReplica) -> None:
        backend = cast("NativeBackend", replica.backend)
        config = replica.target.config
        self._replica = replica
        self._machine = backend.machine
        self._cheats = backend.cheats
        self._search = backend.native.function(search)
        self._attempt = backend.native.function(attempt)
        self._doubt = backend.native.function(doubt)
        self._print = backend.native.function(site_print)
        self._try = backend.native.function(try_candidates)
        self._doubtful = bytearray()
        self._watched: _Judged | None = None
        self._judged: _Judged | None = None
        self._hot, self._share = self._hot_blocks(backend), Share(config.workers)
        self._work = self._calls = self._lasting_prints = 0
        self._known = KnownCode(backend.machine, self._key)
        backend.family = self._known.states.family
        backend.only_new = True
        backend.restore(replica.start)
        _look(replica)
        start = backend.keep_programs(replica.start)
        if backend.cheats is not None:
            backend.cheats.keep(KEPT_START)
        cheating = backend.cheats is not None
        state = new_search(replica, start, cheating=cheating)
        self._state, self._maker = state, CallMaker(replica, state)
        arm(self._machine, replica.target.overridable, config.contract_addr)
        topics = replica.judge.assertion_topics
        self._machine.assertion_topics = bytearray(
            b"".join(topic[::-1] for topic in sorted(topics))
        )
        self._machine.assertion_topic_count = len(topics)

    def _hot_blocks(self, backend: NativeBackend) -> HotBlocks | None:
        mode = chosen_hot_mode()
        if mode == "off" or backend.native.library is None:
            return None
        # Here, because plain Python must run where llvmlite does not.
        from echidna_mcp_plugins.native.hot.code import (  # noqa: PLC0415
            HotBlocks,
            hot_code,
        )

        code = hot_code(backend.native.mode)
        return HotBlocks(backend.machine, code, mode)

    def _key(self, program: int) -> str:
        """Return the coverage key of a row of `programs`."""
        code = code_bytes(self._machine, program)
        return self._replica.codes.key(keccak(code), code)

    def begin(self, task: RoundTask) -> None:
        """Start a task: known is what the replica has folded, nothing else."""
        coverage = self._replica.target.config.coverage
        self._state.coverage = coverage_of(blocks=coverage, edges=task.edges)
        self._state.climbing = int(task.climbing)
        self._state.goals = int(task.goals)
        self._state.polite = int(is_polite())
        # Else properties that another task has asked are not asked: a result less.
        self._watched = None
        self._forget_prints()
        self._state.print_count = self._lasting_prints
        if self._cheats is not None:
            self._cheats.known = self._known_refusals()
        known = self._replica.views.coverage.map
        self._known.reset(known, **task.news)
        if self._hot is not None:
            self._share.count(task.round)
            # At most so many calls are left, each about as much work as until now.
            left = task.calls * self._replica.target.config.workers
            left = left * self._work // max(1, self._calls)
            self._hot.begin(self._work, left, self._share.machines)

    def _known_refusals(self) -> frozenset[tuple[str, bytes]]:
        """Return the cheatcodes that were refused, with the selectors of messages."""
        target = self._replica.target
        selectors = {each.signature: each.selector for each in target.functions}
        selectors |= {each.name: each.selector for each in target.tests}
        refused = self._replica.views.exercise.refused
        return frozenset(
            (cheatcode, selectors[place])
            for cheatcode, place in refused
            if place in selectors
        )

    def search(
        self,
        tables: FuzzTables,
        rng: Words,
        tests: Sequence[int],
        values: Mapping[int, int],
        left: int,
        cut: int,
        calls: int,
        counters: Counters,
    ) -> Stretch:
        """Run new sequences until one may be worth recording."""
        replica, state = self._replica, self._state
        self._begin_search(tests, values, cut, calls)
        found = 0
        while not found and state.work < left and state.calls < calls:
            # A ctrl-C is heard between two slices.
            state.left = min(left, state.work + _SLICE)
            self._machine.trailing = int(state.print_count > 0)
            found = self._search(
                self._machine,
                state,
                tables,
                rng,
                replica.corpus,
                replica.entries,
                len(replica.entries) // 2,
                replica.out,
            )
        # What was missing the round meets again, in the sequence that it is given.
        self._forget_missing()
        self._count(counters)
        work, calls = state.work, state.calls
        if not found:
            return Stretch(work=work, calls=calls)
        if state.climbs:
            handed = self._handover(found)
            return Stretch(work=work, calls=calls, handed=handed, climbs=state.climbs)
        sequence, passed = bytes(replica.out[:found]), state.passed - 1
        return Stretch(work=work, calls=calls, found=sequence, passed=passed)

    def _handover(self, end: int) -> Handover:
        state = self._state
        return Handover(
            sequence=bytes(state.executed[:end]),
            within=_WITHIN[state.handed],
            at=state.handed_at,
            passed=state.handed_passed,
            places=state.place_count,
            call=state.handed_call,
            work=state.spent,
            endings=base_endings(state) if state.handed == HANDED_VARIANT else (),
        )

    def attempt(
        self,
        tables: FuzzTables,
        sequence: bytearray,
        sample_at: int,
        tests: Sequence[int],
        values: Mapping[int, int],
        cut: int,
        calls: int,
        counters: Counters,
    ) -> Attempt | None:
        """Run one sequence; None if it may be worth recording."""
        state = self._state
        if state.created.template_count:
            return None  # The round numbers the contracts that its calls are for.
        self._begin_search(tests, values, cut, calls)
        state.sample = sample_at + 1
        self._machine.trailing = int(state.print_count > 0)
        climb = state.climb
        seen = climb.sites[:], climb.looked[:]
        found = self._attempt(self._machine, state, tables, sequence, len(sequence))
        state.sample = 0
        self._forget_missing()
        if found or state.sampled_output_size > SAMPLED_OUTPUT:
            # Whoever runs it again sees it, and twice is more than once (`seeing`).
            climb.sites[:], climb.looked[:] = seen
            return None
        self._count(counters)
        return Attempt(work=state.work, calls=state.calls, sample=sampled(state))

    def try_candidates(
        self,
        tables: FuzzTables,
        sequence: bytearray,
        cursor: int,
        test: int,
        value: int | None,
        left: int,
        attempts: int,
        *,
        sited: bool,
    ) -> Tried:
        """Try candidates for a reproducer until there is a doubt about one."""
        replica, state = self._replica, self._state
        shrinking: Shrinking = blank(Shrinking)
        shrinking.cursor, shrinking.most_attempts = cursor, attempts
        best = bytearray(sequence)
        shrinking.best_end = len(best)
        calls = count_calls(best, 0, len(best))
        make_room(self._state, calls)
        # What is to be as great must exceed what is less.
        values = {} if value is None else {test: value - 1}
        self._begin_search([test], values, left, UNLIMITED)
        # The round numbers the contracts that calls are for, and finds sites.
        shrinking.accepting = int(not sited and not state.created.template_count)
        coverage, state.coverage = state.coverage, 0
        goals, state.goals = state.goals, 0
        prints, state.print_count = state.print_count, 0
        self._machine.trailing = 0
        # Whether a test without arguments fails is decided by rules of its own.
        found = self._is_of_unit(replica.target.tests[test])
        while not found and state.work < left and shrinking.attempts < attempts:
            # A ctrl-C is heard here, too.
            state.left = min(left, state.work + _SLICE)
            found = bool(
                self._try(
                    self._machine,
                    state,
                    shrinking,
                    tables,
                    best,
                    replica.out,
                )
            )
        state.coverage, state.print_count = coverage, prints
        state.goals = goals
        self._forget_missing()
        return Tried(
            work=state.work,
            attempts=shrinking.attempts,
            cursor=shrinking.cursor,
            accepted=best[: shrinking.best_end] if shrinking.accepted else None,
        )

    def pass_over(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        demanded: Sequence[bool],
        *,
        idle: bool,
    ) -> Passed | None:
        """Make calls in the present state, up to one that fails and must not."""
        return self._maker.pass_over(tables, calls, demanded, idle=idle)

    def make_calls(
        self,
        tables: FuzzTables,
        calls: Sequence[bytes],
        discards: int,
        judging: Judging | None,
    ) -> MadeCalls | None:
        """Make the next calls, up to one that may be worth recording."""
        if judging is not None:
            self._watch(judging.tests, judging.values)
        return self._maker.make_calls(tables, calls, discards, judging)

    def _is_of_unit(self, test: TestCase) -> bool:
        """Whether a test is about a function that is run once and never fuzzed."""
        target = self._replica.target
        units = (target.functions[each].selector for each in target.run_once)
        return test.kind == "assertion" and test.selector in units

    def _begin_search(
        self, tests: Sequence[int], values: Mapping[int, int], cut: int, calls: int
    ) -> None:
        replica, state = self._replica, self._state
        self._forget_missing()
        # A snapshot within the sequence before may have kept its programs.
        replica.backend.restore(replica.start)
        m = self._machine
        state.mark_cheated = m.cheated
        state.mark_pranks, state.mark_prank_count = m.pranks.changes, m.pranks.count
        self._watched = None
        self._set_tests(tests, values)
        state.cut = cut
        state.most_calls = calls
        state.work = state.calls = state.sequences = state.reverts = 0
        state.gas = state.steps = state.skipped = 0
        state.sampled_size = state.sampled_output_size = 0
        for counts in _by_function(state):
            counts[:] = words([0] * len(counts))

    def _count(self, counters: Counters) -> None:
        """Add what the search has done to what the round has executed."""
        state = self._state
        self._work += state.work - state.skipped
        self._calls += state.calls
        counters.calls += state.calls
        counters.sequences += state.sequences
        counters.reverts += state.reverts
        counters.gas += state.gas
        counters.steps += state.steps
        totals = counters.functions, counters.failed, counters.discarded
        for total, counts in zip(totals, _by_function(state), strict=True):
            # Of hundreds of contracts one stretch calls a few.
            for index, count in enumerate(counts):
                if count:
                    total[index] += count

    def _forget_missing(self) -> None:
        if self._cheats is not None:
            self._cheats.cheats.outside.begin()

    def print_site(self, test: int) -> int:
        """Return the print of the last call, by which `test` fails."""
        return self._print(self._machine, entry_of(self._replica.target.tests[test]))

    def know_site(self, print_: int, *, lasting: bool) -> None:
        """Take note that the site of a print is known."""
        self._forget_prints()
        state = self._state
        known = state.prints[: state.print_count]
        if print_ not in known and len(known) < MOST_PRINTS:
            at = state.print_count
            if lasting:  # They come first.
                state.prints[at] = state.prints[self._lasting_prints]
                at = self._lasting_prints
                self._lasting_prints += 1
            state.prints[at] = print_
            state.print_count += 1

    def _forget_prints(self) -> None:
        """Forget them if rows, of which they are made, are of other programs now."""
        state, forgotten = self._state, self._machine.forgotten
        if state.prints_forgotten != forgotten:
            state.prints_forgotten = forgotten
            state.print_count = self._lasting_prints = 0

    def doubtful(
        self, tests: Sequence[int], values: Mapping[int, int]
    ) -> tuple[list[int], int]:
        """Return which properties may fail now, and the steps of the others."""
        state = self._state
        self._watch(tests, values)
        state.spent = 0
        self._doubt(self._machine, state, self._doubtful)
        asked = zip(tests, self._doubtful, strict=True)
        return [test for test, may_fail in asked if may_fail], state.spent

    def _watch(self, tests: Sequence[int], values: Mapping[int, int]) -> None:
        """Judge these tests behind the calls of a sequence."""
        state, watched = self._state, _judged(tests, values)
        if self._watched == watched:
            return
        self._watched = watched
        self._set_tests(tests, values)
        self._doubtful = bytearray(len(tests))
        for index in range(len(state.properties)):
            forget_reads(state.reads, index)

    def _set_tests(self, tests: Sequence[int], values: Mapping[int, int]) -> None:
        judged = _judged(tests, values)
        if self._judged == judged:
            return
        self._judged, known = judged, self._replica.target.tests
        set_tests(self._state, known, tests, values)


def _judged(tests: Sequence[int], values: Mapping[int, int]) -> _Judged:
    return tuple(tests), tuple(map(values.get, tests))


def _by_function(state: Search) -> tuple[Words, Words, Words]:
    """Return what a search counts by function: calls, failures, discards."""
    return state.function_calls, state.function_failures, state.function_discards


def _look(replica: SearchedReplica) -> None:
    """Have decoded what every sequence runs: what is there at the start stays."""
    for callee in replica.target.callees:
        if callee.address is not None:
            sender = replica.target.config.psender
            replica.backend.call(
                Message(sender=sender, to=callee.address, data=b"", gas=_LOOK_GAS)
            )

"""The tests of a task: which are open, how they are judged, what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from echidna_mcp.evm.backend import CallResult, Comparison, Watch
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE, context_of
from echidna_mcp.fuzz.climbing.profiles import SEEN
from echidna_mcp.fuzz.climbing.sites import come_nearer
from echidna_mcp.fuzz.climbing.starting import (
    goal_at,
    make_log,
    measured_marks,
    profile_marks,
    write_log,
)
from echidna_mcp.kernel.language.memory import Bytes
from echidna_mcp.program.target import ASKED, FuzzTarget, TestCase
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.judge import LEAST_VALUE, Verdict
from echidna_mcp.rounds.recorder import Recorder
from echidna_mcp.rounds.replica import Replica
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.tasks import Falsification
from echidna_mcp.views.coverage import Nearest

HOLDING = ("property", "invariant")
"""Kinds of tests that hold in a state or not."""


@dataclass(slots=True)
class Spending:
    """What a task has spent and has left.

    Attributes:
        work: work units spent.
        calls_left: calls that it may still fuzz with.
    """

    work: int
    calls_left: int


class OpenTests:
    """Indices of tests, each group ascending.

    Attributes:
        every: all of them.
        asked: those that are asked about the state, after each call that succeeded.
        values: those whose value is maximized: they are asked after every call.
        at_end: those that are asked at the end of a whole sequence.
    """

    def __init__(self, tests: Sequence[TestCase], found: Iterable[int]) -> None:
        self._tests = tests
        self.every = list(found)
        self.asked: list[int] = []
        self.values: list[int] = []
        self.at_end: list[int] = []
        self._of_any: list[int] = []
        self._of_calls: dict[tuple[int, bytes], int] = {}
        for index in self.every:
            test = tests[index]
            match test.kind:
                case "property" | "invariant":
                    self.asked.append(index)
                case "optimization":
                    self.values.append(index)
                case "after_invariant":
                    self.at_end.append(index)
                case "assertion":
                    self._of_calls[test.callee, test.selector] = index
                case _:
                    self._of_any.append(index)

    def of_call(self, call: Called) -> list[int]:
        """Return those that are about what a call does."""
        own = self.assertion(call)
        return self._of_any if own is None else [own, *self._of_any]

    def assertion(self, call: Called) -> int | None:
        """Return the assertion test of the function that is called, if it is open."""
        return self._of_calls.get((call.callee, call.data[:4]))

    def remove(self, index: int) -> None:
        """Take out a test that has been falsified."""
        for group in (self.every, self.asked, self.at_end, self._of_any):
            if index in group:
                group.remove(index)
        test = self._tests[index]
        self._of_calls.pop((test.callee, test.selector), None)


class TaskTests:
    """Judges the open tests of one task after each call of its sequences.

    Attributes:
        open: the tests that are open.
        values: the greatest value of each optimization test, as far as it has one.
        falsified: what was falsified.
        raised: by test, what has raised its value last.
        nearest: how near to outcomes the call judged last has come, or has brought
            tests, if nothing was as near.
        finds_sites: whether a test may be falsified at several sites.
    """

    def __init__(
        self,
        replica: Replica,
        runner: Runner,
        spending: Spending,
        recorder: Recorder,
        *,
        goals: bool,
    ) -> None:
        """Begin a task.

        Args:
            replica: what it runs on.
            runner: of the task.
            spending: of the task.
            recorder: of the task.
            goals: whether it is news how near tests come to their failure.
        """
        self._replica = replica
        self._recorder = recorder
        self._goals = goals
        self._log = make_log()
        replica.judge.watch = Watch(comparisons=goals)
        self._runner = runner
        self._spending = spending
        properties = replica.views.properties
        self.open = OpenTests(
            replica.target.tests,
            (
                replica.target.test_index[record.name]
                for record in properties.searched
                if not self._is_undecidable(replica.target, record.name)
            ),
        )
        self.falsified: list[Falsification] = []
        self.raised: dict[int, Falsification] = {}
        self._known_sites = properties.sites
        self._sites: set[tuple[str, str]] = set()
        """Those that this task has found."""
        self.finds_sites = any(record.goes_on for record in properties.searched)
        self.values = {
            test: value
            for test in self.open.values
            if (value := properties.records[replica.target.tests[test].name].value)
            is not None
        }
        self._found = 0
        self.nearest: list[Nearest] = []
        self._wanted: dict[int, int] = {}
        """Of comparisons that came nearer, the outcome that nobody had seen."""
        self._waypoints: set[int] = set()
        """Those of them that calls have made, not tests."""
        self._print: int | None = None

    def _is_undecidable(self, target: FuzzTarget, name: str) -> bool:
        """Whether a test is a property that calls a cheatcode that does not work."""
        if target.config.ignore_refused:
            return False
        refused = self._replica.views.exercise.refused
        test = target.tests[target.test_index[name]]
        if test.kind not in ASKED:
            return False
        return any(place == name for _, place in refused)

    @property
    def found(self) -> int:
        """How much was found: it grows with all that is worth telling."""
        return self._found

    def look_at_site(self, called: Called) -> None:
        """Take note of where a call has failed that was made with its trail."""
        self._print = self._site_print(called)

    def _site_print(self, called: Called) -> int | None:
        """Return what the searcher knows the site by at which a call fails, if so."""
        searcher = self._replica.searcher
        test = self.open.assertion(called)
        if searcher is None or test is None or not self.finds_sites:
            return None
        tested = self._replica.target.tests[test]
        if self._replica.judge.falsified(tested, called) is None:
            return None
        return searcher.print_site(test)

    def judge(self, sequence: bytearray, last: Called | None) -> None:
        """Judge the open tests after the calls of `sequence`."""
        self.nearest.clear()
        tests = self._asked(last)
        if last is not None:
            tests += self.open.of_call(last)
        self._judge_each(sorted(tests), sequence, last)

    def _asked(self, last: Called | None) -> list[int]:
        """Return what has to be asked: no properties after a failed call."""
        tests = self.open.values.copy()
        if last is None or last.result.status.succeeded:
            tests = self.open.asked + tests
        searcher = self._replica.searcher
        if searcher is None or not tests:
            return tests
        # Most properties hold, and few values are new, which compiled code knows.
        doubtful, steps = searcher.doubtful(tests, self.values)
        self._spending.work += steps
        return list(doubtful)

    def compared(self, number: int) -> CallResult:
        """Ask an open test what it compares in the present state.

        Args:
            number: of the test among those that are `asked`.
        """
        test = self._replica.target.tests[self.open.asked[number]]
        before = self._replica.judge.steps
        try:
            return self._runner.compared(test)
        finally:
            self._spending.work += self._replica.judge.steps - before

    def are_as_near(
        self, nearest: Sequence[Nearest], call: Bytes, result: CallResult
    ) -> bool:
        """Whether a call, or tests in the state behind it, are as near to outcomes."""
        context = context_of(self._replica.climb, call, 0)
        of_call = {each: near for each, near in nearest if each in self._waypoints}
        if not self._are_reached(of_call, [result.comparisons], context):
            return False
        of_tests = {each: near for each, near in nearest if each not in self._waypoints}
        asked = (self.compared(each) for each in range(len(self.open.asked)))
        return self._are_reached(of_tests, (each.comparisons for each in asked))

    def _are_reached(
        self,
        missing: dict[int, int],
        heard: Iterable[Sequence[Comparison]],
        context: int = EVERYWHERE,
    ) -> bool:
        """Whether comparisons come as near as `missing` has it, which is used up."""
        if not missing:
            return True
        is_small_missing = SEEN in missing.values()
        for each in chain.from_iterable(heard):
            for mark in profile_marks(each) if is_small_missing else ():
                missing.pop(mark, None)
            for mark, measure in measured_marks(each.site, int(each.kind), context):
                if mark not in missing:
                    continue
                wanted = self._wanted[mark]
                near = measure(each.kind, wanted, each.left, each.right)
                if 0 < near <= missing[mark]:
                    del missing[mark]
        return not missing

    def selector(self, number: int) -> int:
        """Return the selector of such a test."""
        test = self._replica.target.tests[self.open.asked[number]]
        return _selector(test)

    def judge_end(self, sequence: bytearray, last: Called | None) -> None:
        """Judge what is about the end of a whole sequence."""
        self._judge_each(self.open.at_end.copy(), sequence, last)

    def _judge_each(
        self, tests: Sequence[int], sequence: bytearray, last: Called | None
    ) -> None:
        target, judge = self._replica.target, self._replica.judge
        before = judge.steps
        try:
            for test in tests:
                verdict = self._runner.verdict(target.tests[test], last)
                if verdict is None:
                    self._look_at_goals(test)
                    continue
                found = _falsification(test, bytes(sequence), verdict)
                if verdict.value is None:
                    self._falsify(found, last)
                elif verdict.value > self.values.get(test, LEAST_VALUE):
                    self.values[test] = verdict.value
                    self.raised[test] = found
                    self._found += 1
        finally:
            self._spending.work += judge.steps - before

    def _look_at_goals(self, test: int) -> None:
        """Take note of what a test that holds has brought nearer to its failure."""
        heard, asked = self._replica.judge.heard, self._replica.target.tests[test]
        if not self._goals or heard is None or asked.kind not in HOLDING:
            return
        climb, find = self._replica.climb, self._replica.kernels.find_goal
        write_log(self._log, heard.comparisons, heard.compared)
        while found := find(climb, self._log, heard.compared, _selector(asked)):
            mark = self._come_nearer(*goal_at(climb, self._log, found))
            self._waypoints.discard(mark)

    def look_at_waypoints(self, call: Bytes, result: CallResult) -> None:
        """Take note of what a call compares that is nearer than ever."""
        context = context_of(self._replica.climb, call, 0)
        climb, find = self._replica.climb, self._replica.kernels.find_waypoint
        write_log(self._log, result.comparisons, result.compared)
        while found := find(climb, context, self._log, result.compared):
            goal = goal_at(climb, self._log, found, context)
            self._waypoints.add(self._come_nearer(*goal))
        look = self._replica.kernels.find_profile
        while found := look(climb, self._log, result.compared, call, 0):
            goal = goal_at(climb, self._log, found)
            self._waypoints.add(self._come_nearer(*goal))

    def _come_nearer(self, mark: int, wanted: int, near: int) -> int:
        """Take note of a comparison that is nearer than ever; return its mark."""
        come_nearer(self._replica.climb.sites, mark, near)
        self._wanted[mark] = wanted
        if self._recorder.come_nearer(mark, near):
            self.nearest.append((mark, near))
        return mark

    def _falsify(self, found: Falsification, last: Called | None) -> None:
        """Take note of a failure, and look on for others that the test may have."""
        test = self._replica.target.tests[found.test]
        if not self._replica.views.properties.records[test.name].goes_on:
            self.falsified.append(found)
            self._found += 1
            self.open.remove(found.test)
            return
        assert last is not None, "it is about what a call does"
        site = self._replica.sites.site(last.result, found.reason)
        key = (test.name, site.key)
        is_known = key in self._known_sites
        if not is_known and key not in self._sites:
            self._sites.add(key)
            self.falsified.append(replace(found, site=site))
            self._found += 1
        if self._replica.searcher is not None and self._print is not None:
            self._replica.searcher.know_site(self._print, lasting=is_known)


def _selector(test: TestCase) -> int:
    return int.from_bytes(test.selector, "big")


def _falsification(test: int, sequence: bytes, verdict: Verdict) -> Falsification:
    return Falsification(
        test=test,
        sequence=sequence,
        gas_used=verdict.gas_used,
        reason=verdict.reason,
        value=verdict.value,
    )

"""A job: run a sequence, turn its branches, run what the answers make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from echidna_mcp.solving.code import Side
from echidna_mcp.solving.hardness import hardness
from echidna_mcp.solving.inputs import Calls, answered
from echidna_mcp.solving.jobs import Answer, Goal, Job, Verdict
from echidna_mcp.solving.preimages import Preimages
from echidna_mcp.solving.query import attempts
from echidna_mcp.solving.running import Asked, Run, Shadow
from echidna_mcp.solving.smtlib import Condition, query_of
from echidna_mcp.solving.solver import Solve
from echidna_mcp.solving.trace import PathItem, Place

RUN_STEPS: Final = 60_000
"""Instructions of one run."""
JOB_STEPS: Final = 240_000
"""Instructions of all runs of a job."""
QUERY_WORK: Final = 40_000
REVERT_WORK: Final = 1_000
JOB_WORK: Final = 120_000
"""Of the solver's budget, for one query and for all of a job: steps of a query without
multipliers, of which others have fewer (`hardness`)."""
_STEPS_OF_COST: Final = 800
_WORK_OF_COST: Final = 160
"""What makes one of a job's cost. A thousandth of a second, but for queries with
multipliers: as they are weighed, a second is some 30,000 of them, not 160,000."""
_CHEAPEST: Final = 20
"""What a query costs at least."""
_BYTES_OF_WORK: Final = 32
"""Of its text, which has to be written and read."""
_ASKING_STEPS: Final = JOB_STEPS // 3
"""Instructions that a job's questions to tests may take, of all its own."""
_MOST_OCCURRENCES: Final = 3
_MOST_TIMES: Final = 3
"""How often a job tries a goal, each time from another run."""
_MOST_DETOURS: Final = 40
"""Goals of a job that others have reached."""
_MOST_REVERTS: Final = 6
"""Goals of a job that are nothing but a revert."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A branch that could go the other way, at one place of a path."""

    goal: Goal
    side: Side
    path: Sequence[PathItem]
    condition: Condition
    call: int
    is_known: bool = False
    """Whether others have been there: it is only on the way to something."""

    @property
    def rank(self) -> tuple[bool, Side, int]:
        """By which turns are ordered; the least is the best."""
        return self.is_known, self.side, -len(self.path)


@dataclass(slots=True)
class _Found:
    """A sequence that was run, with the blocks that nothing had entered before."""

    calls: Calls
    fresh: frozenset[Place]
    fails: frozenset[int]
    visited: frozenset[Place]


@dataclass(slots=True)
class Exploration:
    """The state of one job."""

    shadow: Shadow
    solve: Solve
    job: Job
    _steps: int = JOB_STEPS
    _work: int = JOB_WORK
    _asking: int = _ASKING_STEPS
    _reverts: int = 0
    _detours: int = 0
    _tried: dict[Goal, Verdict] = field(default_factory=dict)
    _times: dict[Goal, int] = field(default_factory=dict)
    _visited: set[Place] = field(default_factory=set)
    _failed: set[int] = field(default_factory=set)
    _found: list[_Found] = field(default_factory=list)
    _strays: list[Run] = field(default_factory=list)
    """Runs that missed their goal, and came where none of this job had been."""
    _asked: tuple[Asked, ...] = ()
    """What tests say of the run that was kept last."""
    _known: Preimages = field(init=False)

    def __post_init__(self) -> None:
        """Look hashes up among what this job knows of."""
        self._known = Preimages(self.shadow.seen, self.job.words)

    def answer(self) -> Answer:
        """Return what comes of it."""
        run = self._run(self.job.calls)
        self._visited.update(run.trace.visited)
        waiting = [(run, self._turns(run, self._ask_tests(run)))]
        while waiting and self._work > 0 and self._steps > 0:
            run, turns = waiting[-1]
            if not turns:
                waiting.pop()
                continue
            deeper = self._turn(run, turns.pop())
            waiting += ((stray, self._turns(stray, ())) for stray in self._strays)
            self._strays.clear()
            if deeper is not None:
                waiting.append((deeper, self._turns(deeper, self._asked)))
        return Answer(
            number=self.job.number,
            tried=tuple(
                (goal, verdict)
                for goal, verdict in self._tried.items()
                if not goal[0] or not self._is_covered(goal)
            ),
            sequences=self._chosen(),
            unfinished=any(turns for _, turns in waiting),
            cost=self._cost(),
        )

    def _cost(self) -> int:
        steps, work = JOB_STEPS - self._steps, JOB_WORK - self._work
        return steps // _STEPS_OF_COST + work // _WORK_OF_COST

    def _run(self, calls: Calls, before: Run | None = None) -> Run:
        steps = max(0, min(self._steps, RUN_STEPS))
        run = self.shadow.run(calls, steps, before, self._known)
        self._steps -= run.steps + self._known.bill()
        return run

    def _ask_tests(self, run: Run) -> tuple[Asked, ...]:
        """Ask tests that have not failed yet about the end of a run.

        All of them, unless they are so many that little else could be done.
        """
        tests = [test for test in self.job.tests if test not in self._failed]
        if tests:  # Each job begins with another one.
            first = self.job.number % len(tests)
            tests = tests[first:] + tests[:first]
        asked, steps = self.shadow.ask(run, tests, self._asking)
        self._asking -= steps
        self._steps -= steps + self._known.bill()
        return asked

    # ------------------------------------------------------------------ goals

    def _is_open(self, goal: Goal) -> bool:
        """Whether a goal is worth trying: nothing of this job was there.

        A goal that others have reached is on the way to something, perhaps. There are
        many, so only short sequences look there.
        """
        if self._times.get(goal, 0) >= _MOST_TIMES or goal in self.job.spared:
            return False
        key, counter = goal
        if not key:
            return counter not in self._failed
        if goal in self._visited:
            return False
        return not self._is_covered(goal) or (
            bool(self.job.origin.functions) and self._detours < _MOST_DETOURS
        )

    def _is_covered(self, goal: Goal) -> bool:
        key, counter = goal
        return bool(self.job.covered.get(key, 0) >> (8 * counter) & 1)

    def _turns(self, run: Run, tests: Sequence[Asked]) -> list[list[_Turn]]:
        """Return for each open goal the places where it can be tried; best at the end.

        The deepest are the best: what they need of the path has been reached.
        """
        found: dict[Goal, list[_Turn]] = {}
        for items, item in enumerate(run.trace.path):
            branch = item.branch
            if branch is None or not branch.code.key or not self._is_open(branch.place):
                continue
            condition = Condition(item.condition.word, not item.condition.holds)
            side = branch.code.side(branch.other)
            path = run.trace.path[:items]
            known = self._is_covered(branch.place)
            if known and side is not Side.OPEN:
                continue
            turn = _Turn(branch.place, side, path, condition, branch.call, known)
            found.setdefault(branch.place, []).append(turn)
        for asked in tests:
            goal = ("", asked.test)
            if asked.fails is not None and not asked.failed and self._is_open(goal):
                found[goal] = [_asked_turn(goal, asked, len(run.calls) - 1)]
        ordered = sorted(found.values(), key=lambda turns: turns[-1].rank, reverse=True)
        return [_some(turns) for turns in ordered]

    def _turn(self, run: Run, turns: Sequence[_Turn]) -> Run | None:
        """Try to reach a goal; return the run that does, if one does."""
        goal = turns[0].goal
        if not self._is_open(goal):
            return None
        if turns[0].side is Side.REVERT:
            self._reverts += 1
            if self._reverts > _MOST_REVERTS or goal in self.job.worn:
                return None
            turns = turns[:1]
        self._detours += turns[0].is_known
        self._times[goal] = self._times.get(goal, 0) + 1
        verdict: Verdict = "unsat"
        for turn in turns:
            for conditions in attempts(run.trace.graph, turn.path, turn.condition):
                told, calls = self._ask(run, conditions, turn)
                if told == "unknown":
                    verdict = "unknown"
                if calls is None:
                    continue
                deeper = self._attempt(run, calls, goal)
                if deeper is not None:
                    self._tried[goal] = "sat"
                    return deeper
                if self._steps <= 0:
                    self._tried[goal] = "unknown"
                    return None
        self._tried[goal] = verdict
        return None

    def _ask(
        self, run: Run, conditions: Sequence[Condition], turn: _Turn
    ) -> tuple[Verdict, Calls | None]:
        """Return what the solver says, and the sequence that it makes up to there."""
        if self._work <= 0:
            return "unknown", None
        graph = run.trace.graph
        text, names = query_of(graph, conditions)
        most = REVERT_WORK if turn.side is Side.REVERT else QUERY_WORK
        weight = 1 + hardness(conditions)
        budget = max(_CHEAPEST, min(most, self._work) // weight)
        solution = self.solve(text, names, budget)
        self._work -= len(text) // _BYTES_OF_WORK
        self._work -= max(_CHEAPEST, min(solution.work, budget) * weight)
        if solution.verdict != "sat":
            return solution.verdict, None
        symbols = {symbol.name: symbol for symbol in graph.symbols}
        model = {name: solution.model[name] for name in names if name in solution.model}
        return "sat", answered(run.calls[: turn.call + 1], symbols, model)

    def _attempt(self, before: Run, calls: Calls, goal: Goal) -> Run | None:
        """Run what an answer makes; keep it if it shows anything new."""
        run = self._run(calls, before)
        visited = frozenset(place for place in run.trace.visited if place[0])
        fresh = frozenset(place for place in visited if self._is_new(place))
        key, number = goal
        failing: frozenset[int] = frozenset()
        if fresh or not key:
            self._asked = self._ask_tests(run)
            failing = frozenset(each.test for each in self._asked if each.failed)
        if fresh or failing:
            self._found.append(_Found(calls, fresh, failing, visited))
            self._failed |= failing
        reached = number in failing if not key else goal in visited
        if not reached and not visited <= self._visited:
            self._strays.append(run)
        self._visited |= visited
        return run if reached else None

    def _is_new(self, place: Place) -> bool:
        return place not in self._visited and not self._is_covered(place)

    def _chosen(self) -> tuple[Calls, ...]:
        """Return the sequences of which each shows what no later one does."""
        shown: set[Place] = set()
        chosen = []
        for each in reversed(self._found):
            if each.fails or not each.fresh <= shown:
                chosen.append(each.calls)
                shown |= each.visited
        return tuple(reversed(chosen))


def _asked_turn(goal: Goal, asked: Asked, call: int) -> _Turn:
    assert asked.fails is not None
    return _Turn(goal, Side.OPEN, asked.path, asked.fails, call)


def _some(turns: list[_Turn]) -> list[_Turn]:
    """Return the last, the first and the middle one of many."""
    if len(turns) <= _MOST_OCCURRENCES:
        return turns[::-1]
    return [turns[-1], turns[0], turns[len(turns) // 2]]

"""The jobs of the solver: which were chosen, what they have tried, which are due.

The choice at the end of a round is a function of the events until then. So whoever has
folded them knows the same jobs: a campaign that goes on after a crash, and a replay.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Final, cast

from echidna_mcp.events import payloads
from echidna_mcp.events.payloads import (
    CorpusExtended,
    RoundCommitted,
    SolverAnswered,
)
from echidna_mcp.solving.jobs import (
    Goal,
    Job,
    Origin,
    goal_of,
    origin_of,
    plain_call,
)
from echidna_mcp.views.pairs import Pairs

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event, NewEvent
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.solving.inputs import Calls
    from echidna_mcp.views.corpus import CorpusView
    from echidna_mcp.views.coverage import CoverageView
    from echidna_mcp.views.dictionary import DictionaryView
    from echidna_mcp.views.properties import PropertyView

FIRST_ROUND: Final = 4
"""At the end of which the first jobs are chosen: many campaigns are over by then."""
_A_ROUND: Final = 100
"""What the jobs of a whole round may cost together. It takes about 350 thousandths of a
second of every thread, and the first rounds are shorter: fuzzing finds more then."""
_MOST_SAVED: Final = 400
"""What rounds without jobs leave for later ones, at most; it allows for any job."""
_USUAL: Final = 100
"""What a job is taken to cost at first."""
_MOST_AT_ONCE: Final = 8
_MORE_PATIENCE: Final = 4
"""How many times as long to be patient where a job has found something before."""
_LONGEST_PAUSE: Final = 96
_MOST_ATTEMPTS: Final = 12
"""Jobs that try one goal, from different sequences."""
_SOME_ATTEMPTS: Final = 2
"""The same, if the goal is nothing but a revert."""
_MOST_COMPOSED: Final = 600
"""Sequences of three calls, if there are no more of them."""
_SUCCEEDED: Final = ("STOP", "RETURN_TRUE", "RETURN_FALSE")
_MOST_RETURNS: Final = 4
"""Jobs that go on with a sequence whose budget was spent."""


class SolvingView:
    """The jobs as a fold; there are none unless the campaign has a solver.

    Attributes:
        jobs: how many were chosen.
        answered: how many have taken effect.
        sequences: how many sequences they have found.
        attempts: how often each goal was tried.
        reached: goals that a job has reached, as far as its own run shows.
    """

    def __init__(
        self,
        target: FuzzTarget,
        corpus: CorpusView,
        coverage: CoverageView,
        properties: PropertyView,
        dictionary: DictionaryView,
    ) -> None:
        self._target = target
        self._corpus = corpus
        self._coverage = coverage
        self._properties = properties
        self._dictionary = dictionary
        self.jobs = 0
        self.answered = 0
        self.sequences = 0
        self.attempts: dict[Goal, int] = {}
        self.reached: dict[Goal, None] = {}
        self._pending: list[Job] = []
        self._unused: list[int] = []
        """Sequences of the corpus that had no job, ascending."""
        self._pairs = Pairs(target.config.seq_len)
        self._donors: dict[str, payloads.Call] = {}
        """A call of each function, in order of the first ones that were kept."""
        self._tried: dict[Origin, frozenset[Goal]] = {}
        """The goals of earlier jobs, by what they began with."""
        self._again: list[Origin] = []
        """What a job has not finished."""
        self._returns: dict[Origin, int] = {}
        self._fruitless = 0
        """What the jobs have cost since one has found something."""
        self._average = _USUAL
        self._allowed = 0
        """What jobs may cost now, by what the rounds so far have run."""
        self._last = 0
        self._composed = [0, 0, 0]
        """How many were chosen of those of one function, of two, and of three."""

    def due(self, number: int) -> tuple[Job, ...]:
        """Return the jobs that take effect in a round."""
        return tuple(job for job in self._pending if job.due == number)

    @property
    def pending(self) -> tuple[Job, ...]:
        """The jobs that have yet to take effect."""
        return tuple(self._pending)

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if not self._target.config.solver:
            return
        if event.type == "CorpusExtended":
            self._note(cast("CorpusExtended", event.payload))
        elif event.type == "SolverAnswered":
            self._take(cast("SolverAnswered", event.payload))
        elif event.type == "RoundCommitted":
            self._pending = [job for job in self._pending if job.due > event.round]
            self._allow(cast("RoundCommitted", event.payload))
            self._choose(event.round)

    def _note(self, payload: CorpusExtended) -> None:
        """Take note of a sequence that jobs can begin with."""
        self._pairs.add(len(payload["calls"]))
        if payload["calls"]:
            self._unused.append(payload["entry"])
        for call in payload["calls"]:
            if call["function"] not in self._donors and call["result"] in _SUCCEEDED:
                self._donors[call["function"]] = plain_call(call)

    def _take(self, payload: SolverAnswered) -> None:
        self.answered += 1
        self.sequences += len(payload["sequences"])
        origin = origin_of(payload)
        tried = set(self._tried.get(origin, ()))
        for each in payload["tried"]:
            goal = goal_of(each, self._target)
            tried.add(goal)
            self.attempts[goal] = self.attempts.get(goal, 0) + 1
            if each["verdict"] == "sat":
                self.reached[goal] = None
        self._tried[origin] = frozenset(tried)
        cost = payload["cost"]
        self._average = (7 * self._average + cost) // 8
        self._fruitless = 0 if payload["sequences"] else self._fruitless + cost
        returns = self._returns.get(origin, 0)
        if payload["unfinished"] and payload["tried"] and returns < _MOST_RETURNS:
            self._returns[origin] = returns + 1
            self._again.append(origin)

    # ------------------------------------------------------------------ choice

    def _allow(self, payload: RoundCommitted) -> None:
        config = self._target.config
        ran = _A_ROUND * payload["steps"] // (config.round_budget * config.workers)
        self._allowed = min(self._allowed + min(ran, _A_ROUND), _MOST_SAVED)

    def _choose(self, number: int) -> None:
        """Choose the jobs of the end of a round."""
        if number < FIRST_ROUND or not self._corpus.entries:
            return
        if self._pending and not self.answered:
            return
        patience = self._target.config.solver_patience
        if self.sequences:
            patience *= _MORE_PATIENCE
        pause = min(_LONGEST_PAUSE, self._fruitless // patience)
        if pause and number - self._last <= pause:
            return
        # One process is enough for the first job.
        most = 1 if pause or not self.answered else _MOST_AT_ONCE
        while most and self._allowed >= min(self._average, _MOST_SAVED):
            origin = self._next()
            if origin is None:
                return
            self._add(number, origin)
            self._allowed -= max(1, self._average)
            most -= 1

    def _next(self) -> Origin | None:
        """Return what the next job begins with.

        What an earlier one has not finished; then in turn the newest sequence that had
        none, and calls of some functions; when there is no more of either, two
        sequences of which the second goes on from where the first ends.
        """
        if self._again:
            return self._again.pop(0)
        sources = [self._next_entry, self._next_composed]
        if self.jobs % 2:
            sources.reverse()
        for source in (*sources, self._next_pair):
            found = source()
            if found is not None:
                return found
        return None

    def _next_entry(self) -> Origin | None:
        return Origin((self._unused.pop(),)) if self._unused else None

    def _next_composed(self) -> Origin | None:
        """Return the next functions of which it calls each once, in this order.

        Short sequences first. In long ones a state depends on so many inputs that no
        solver gets anywhere; and what one function needs of another is seen only where
        the one comes after the other.
        """
        known = list(self._donors)
        for size, chosen in enumerate(self._composed, 1):
            count = len(known) ** size
            if chosen < count and (size < 3 or count <= _MOST_COMPOSED):
                self._composed[size - 1] += 1
                places = tuple_at(chosen, size)
                return Origin(functions=tuple(known[place] for place in places))
        return None

    def _next_pair(self) -> Origin | None:
        """Return two sequences, the second to go on from where the first ends."""
        pair = self._pairs.next()
        return None if pair is None else Origin(pair)

    def _calls(self, origin: Origin) -> Calls:
        donated = tuple(self._donors[each] for each in origin.functions)
        stored = (
            plain_call(call)
            for entry in origin.entries
            for call in self._corpus.entries[entry].calls
        )
        return (*donated, *stored)

    def _add(self, number: int, origin: Origin) -> None:
        tests = tuple(
            self._target.test_index[record.name]
            for record in self._properties.searched
            if record.name in self._target.test_index
        )
        tests = tuple(t for t in tests if self._target.tests[t].kind == "property")
        many = {g for g, times in self.attempts.items() if times >= _MOST_ATTEMPTS}
        some = (g for g, times in self.attempts.items() if times >= _SOME_ATTEMPTS)
        job = Job(
            number=self.jobs,
            round=number,
            origin=origin,
            calls=self._calls(origin),
            covered=self._coverage.bits(),
            tests=tests,
            spared=self._tried.get(origin, frozenset()) | many,
            worn=frozenset(some),
            words=tuple(self._dictionary.found),
        )
        self.jobs += 1
        self._last = number
        self._pending.append(job)


def tuple_at(number: int, size: int) -> tuple[int, ...]:
    """Return the tuple of so many natural numbers that has this number.

    They are ordered by their greatest member, so a function that is called for the
    first time late comes together with all others, and none comes twice.
    """
    greatest = 0
    while (greatest + 1) ** size <= number:
        greatest += 1
    some = product(range(greatest + 1), repeat=size)
    new = (each for each in some if greatest in each)
    return next(islice(new, number - greatest**size, None))

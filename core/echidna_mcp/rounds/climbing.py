"""Climbing in a round: variants of calls run, are judged, and are undone.

What variants there are, and which are kept, `fuzz.climbing` says. The first call that
shows something ends it: what follows in the sequence just runs. A searcher does the
same in compiled code, up to a call that may show something; here it goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.evm.backend import Comparison
from echidna_mcp.fuzz.climbing.climb import begin_sequence_of_climbs
from echidna_mcp.fuzz.climbing.contexts import context_of
from echidna_mcp.fuzz.climbing.goals import next_goal
from echidna_mcp.fuzz.climbing.starting import make_log, write_log
from echidna_mcp.fuzz.climbing.state import WINDOW, Climb
from echidna_mcp.fuzz.kernels.loading import Kernels
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.rounds.backend import HandedIn, Handover
from echidna_mcp.rounds.execution import Execution, Made, calls_of
from echidna_mcp.rounds.running import Mark

Place = tuple[Mark, int, int]


class _OutOfBudgetError(Exception):
    """Nothing is left for another call."""


class ClimbingRun:
    """Runs a sequence that is climbed."""

    def __init__(
        self,
        execution: Execution,
        tables: FuzzTables,
        kernels: Kernels,
        climb: Climb,
        *,
        goals: bool,
    ) -> None:
        """Begin a sequence.

        Args:
            execution: of it.
            tables: what is drawn from.
            kernels: what says which variants there are.
            climb: how far that is.
            goals: whether tests are climbed at its end, too.
        """
        self._execution = execution
        self._tables = tables
        self._kernels = kernels
        self._climb = climb
        self._log = make_log()
        self._places: list[Place] = []
        self._kept: list[Made] = []
        """The calls of the sequence with the base of the climb."""
        self._window: list[bytes] = []
        """The calls behind the places."""
        self._goals = goals

    def run(self, sequence: bytes | bytearray, start: int) -> None:
        """Run a sequence that was just built, climbed from record `start` on."""
        begin_sequence_of_climbs(self._climb)
        self._to_the_end(calls_of(sequence), 0, start)

    def look(self, sequence: bytes | bytearray) -> None:
        """Run a sequence as it is: it shows which outcomes comparisons often have."""
        calls = calls_of(sequence)
        for number in self._execution.left_to_make(calls, looking=True):
            step = self._execution.step(calls[number], comparing=True)
            write_log(self._log, step.comparisons, step.compared)
            context = context_of(self._climb, bytearray(calls[number]), 0)
            self._kernels.look(self._climb, context, self._log, step.compared)
        self._execution.end()

    def go_on(self, handed: Handover, start: int) -> None:
        """Go on with what a searcher hands over."""
        before = calls_of(handed.sequence[: handed.at])
        rest = calls_of(handed.sequence[handed.at :])
        is_end = handed.within is HandedIn.END
        # Behind the last call none is in question.
        is_behind = is_end or handed.within is HandedIn.GOAL
        # A place of a variant is that of a call of its window, in order.
        places = handed.places
        if handed.within is HandedIn.VARIANT:
            places = handed.call + 1
        first = len(before) + (not is_behind) - places
        if is_end:  # Whoever judges it is told of the last call.
            first = len(before) - 1
        self._execution.retrace_all(before[: max(0, first)])
        for call in before[max(0, first) :]:
            if not is_end:
                self._add_place(call)
            self._execution.retrace(call)
        if is_end:
            self._execution.end()
        elif handed.within is HandedIn.GOAL:
            self._to_the_end([], handed.passed, start)
        elif handed.within is HandedIn.VARIANT:
            self._go_on_in_variant(handed, rest, start)
        else:
            self._to_the_end(rest, handed.passed - 1, start)

    def _to_the_end(self, calls: Sequence[bytes], passed: int, start: int) -> None:
        """Run what is left of the sequence, `passed` records of which have run."""
        try:
            for number, call in enumerate(calls, 1):
                if self._run_climbed(call, climbs=passed + number >= start):
                    self._execution.run(calls[number:])
                    return
            self._climb_goal()
        except _OutOfBudgetError:
            return
        self._execution.end()

    def _run_climbed(self, call: bytes, *, climbs: bool) -> bool:
        """Run a call of the sequence and climb it; return whether it showed something.

        Raises:
            _OutOfBudgetError: nothing is left.
        """
        self._check()
        if climbs:
            # What is climbed is the call as it runs.
            call = self._execution.settled(call)
            self._add_place(call)
        nears = climbs and not self._climb.fits_alone
        step = self._execution.step(call, comparing=climbs, nearing=nears)
        if step.news:
            return True
        if not step.made:
            if climbs:
                self._places.pop()
                self._window.pop()
            return False
        if not climbs:
            return False
        count = step.compared
        write_log(self._log, step.comparisons, count)
        window = bytearray(b"".join(self._window))
        end = len(window)
        last = end - len(call)
        if not self._kernels.begin_climb(
            self._climb, window, 0, last, end, self._log, count, step.succeeded
        ):
            return False
        self._kept = self._execution.made()
        return self._climb_on()

    def _climb_goal(self) -> None:
        """Climb what a test compares in the state at the end, one test after the other.

        Raises:
            _OutOfBudgetError: nothing is left; what was kept counts.
        """
        climb, tests = self._climb, self._execution.tests
        if not self._goals or not self._places or climb.fits_alone:
            return
        number = next_goal(climb, len(tests.open.asked)) - 1
        if number < 0:
            return
        heard = tests.compared(number)
        write_log(self._log, heard.comparisons, heard.compared)
        window = bytearray(b"".join(self._window))
        self._kernels.begin_goal_climb(
            climb,
            window,
            0,
            len(window),
            self._log,
            heard.compared,
            number,
            tests.selector(number),
        )
        self._kept = self._execution.made()
        self._climb_on()

    def _climb_on(self) -> bool:
        """Try variants until there are no more; return whether one showed something.

        Raises:
            _OutOfBudgetError: nothing is left; what was kept counts.
        """
        try:
            return self._try_variants()
        except _OutOfBudgetError:
            self._execution.count_instead(self._kept)
            raise

    def _try_variants(self) -> bool:
        climb = self._climb
        while self._kernels.next_variant(self._tables, climb):
            self._execution.back(self._places[climb.first])
            if self._run_variant(climb.first):
                return True
        for number in range(climb.first, climb.calls):
            if number == climb.first:
                self._execution.back(self._places[number])
            else:
                self._places[number] = self._execution.mark()
            self._check()
            self._execution.repeat(self._base(number))
        self._window = [self._base(number) for number in range(climb.calls)]
        return False

    def _run_variant(self, first: int) -> bool:
        """Run the variant from one of its calls on, and have it judged.

        Args:
            first: number of the call; the machine is in the state before it.

        Returns:
            Whether one of them showed something: then all that is left just ran.
        """
        climb = self._climb
        comparisons: Sequence[Comparison] = ()
        compared = 0
        succeeded = 1
        for number in range(first, climb.calls):
            if number > first:
                self._places[number] = self._execution.mark()
            self._check()
            last = number == climb.calls - 1 and not climb.goal
            step = self._execution.step(self._variant(number), comparing=last)
            if step.news:
                if last:
                    # Nobody judges it any more.
                    write_log(self._log, step.comparisons, step.compared)
                    self._kernels.note_shown(climb, self._log, step.compared)
                for later in range(number + 1, climb.calls):
                    if self._execution.ended:
                        break
                    self._execution.step(self._variant(later))
                return True
            if not step.made:
                comparisons, compared = (), 0
                break
            comparisons, compared = step.comparisons, step.compared
            succeeded = step.succeeded
        else:
            if climb.goal:
                heard = self._execution.tests.compared(climb.goal - 1)
                comparisons, compared = heard.comparisons, heard.compared
        write_log(self._log, comparisons, compared)
        if self._kernels.judge_variant(
            self._tables, climb, self._log, compared, succeeded
        ):
            self._kept = self._execution.made()
        return False

    def _go_on_in_variant(
        self, handed: Handover, rest: Sequence[bytes], start: int
    ) -> None:
        climb, goal = self._climb, self._climb.goal
        # The calls behind it have no place yet: they get one before they run.
        here = self._execution.mark()
        self._places += [here] * (climb.calls - len(self._places))
        left = climb.calls - handed.call
        made = self._execution.made()
        base = [
            Made(call_function(climb.base, climb.base_starts[number]), *ending)
            for number, ending in enumerate(handed.endings)
        ]
        self._kept = made[: len(made) - handed.call] + base
        try:
            if self._run_variant(handed.call) or self._try_variants() or goal:
                self._execution.run(rest[left:])
                return
        except _OutOfBudgetError:
            self._execution.count_instead(self._kept)
            return
        self._to_the_end(rest[left:], handed.passed, start)

    def _base(self, number: int) -> bytes:
        starts = self._climb.base_starts
        return bytes(self._climb.base[starts[number] : starts[number + 1]])

    def _variant(self, number: int) -> bytes:
        starts = self._climb.variant_starts
        return bytes(self._climb.variant[starts[number] : starts[number + 1]])

    def _add_place(self, call: bytes) -> None:
        """Take the place before a call; the oldest one makes room."""
        if len(self._places) == WINDOW:
            del self._places[0], self._window[0]
        self._places.append(self._execution.mark())
        self._window.append(call)

    def _check(self) -> None:
        if self._execution.ended:
            raise _OutOfBudgetError

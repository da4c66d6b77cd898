"""The round: what one logical worker does with its budget.

`run_round` is pure: its result depends on the target, on the events that the replica
has folded, and on the task. A replica may run the tasks of any logical worker in any
order; everything that a task changes is undone before the next.
"""

from __future__ import annotations

from echidna_mcp.errors import CapacityError
from echidna_mcp.fuzz.climbing.starting import Fallen, begin_task, fallen_of, learnt
from echidna_mcp.fuzz.records import count_calls
from echidna_mcp.fuzz.rng import (
    PURPOSE_FUZZ,
    PURPOSE_INJECT,
    PURPOSE_SAMPLE,
    RNG_WORDS,
    below,
    derive,
)
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.rounds.backend import Handover
from echidna_mcp.rounds.call_codec import Call, join
from echidna_mcp.rounds.climbing import ClimbingRun
from echidna_mcp.rounds.commands import Injection, injected_records
from echidna_mcp.rounds.execution import Book, Execution, calls_of
from echidna_mcp.rounds.recorder import Recorder
from echidna_mcp.rounds.replica import Replica
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shortening import Entry, Shortening
from echidna_mcp.rounds.shrinking import shrink
from echidna_mcp.rounds.task_tests import Spending, TaskTests
from echidna_mcp.rounds.tasks import (
    CALL_WORK,
    MOST_MISSING,
    Counters,
    Finding,
    RoundResult,
    RoundTask,
)

_SHRINK_SHARE = 2
"""A worker that shrinks spends one part in so many of its budget on it."""


def run_round(replica: Replica, task: RoundTask) -> RoundResult:
    """Run a task; the replica is left as it was, so that tasks may run in any order."""
    result = _Round(replica, task).run()
    replica.end_following()
    return result


class _Round:
    """The search state of one task, with everything that it has found so far."""

    def __init__(self, replica: Replica, task: RoundTask) -> None:
        self._replica = replica
        self._task = task
        self._config = replica.target.config
        self._tables = replica.tables(task)
        self._recorder = Recorder(
            replica.views,
            replica.codes,
            replica.backend,
            replica.deployed_keys,
            enabled=self._config.coverage,
        )
        self._runner = Runner(replica)
        self._spending = Spending(work=0, calls_left=task.calls)
        self._counters = Counters.of(len(replica.target.functions))
        self._tests = TaskTests(
            replica, self._runner, self._spending, self._recorder, goals=task.goals
        )
        self._findings: list[Finding] = []
        self._book = Book(
            runner=self._runner,
            recorder=self._recorder,
            tests=self._tests,
            spending=self._spending,
            counters=self._counters,
            samples=[],
            refused={},
            errors=replica.target.errors,
            tables=self._tables,
        )
        if task.climbing:
            begin_task(
                replica.climb,
                replica.known_sites,
                task.round << 16 | task.worker,
                task.budget // CALL_WORK,
                replica.kernels.set_waits,
            )

    def run(self) -> RoundResult:
        task = self._task
        if self._replica.searcher is not None:
            self._replica.searcher.begin(self._task)
        if task.round == 1 and task.worker == 0:
            self._first_look()
        for function in task.once:
            self._run_once(function)
        for injection in task.injections:
            self._inject(injection)
        shrunk = []
        for shrink_task in task.shrinks:
            # Never nothing: a campaign ends only when its reproducers are shrunk.
            share = max(1, task.budget // (_SHRINK_SHARE * len(task.shrinks)))
            progress, work = shrink(
                self._replica, self._runner, self._tables, shrink_task, share
            )
            shrunk.append(progress)
            self._spending.work += work
        inherited = 0
        if task.fuzz:
            for sequence in task.solved:
                self._execute(bytearray(sequence), whole=True)
            inherited = self._run_inherited()
            self._fuzz()
        refused, raised = self._newly_refused(), self._tests.raised
        return RoundResult(
            worker=task.worker,
            findings=tuple(self._findings),
            falsifications=tuple(self._tests.falsified),
            shrunk=tuple(shrunk),
            samples=tuple(self._book.samples),
            words=self._recorder.words,
            counters=self._counters,
            work=self._spending.work,
            inherited=inherited,
            lost=self._runner.lost,
            refused=tuple(refused),
            reasons=tuple(refused.values()),
            missing=self._runner.missing,
            tried=self._tried(),
            fallen=self._fallen(),
            raised=tuple(raised[test] for test in sorted(raised)),
        )

    def _tried(self) -> tuple[tuple[int, int], ...]:
        """Return what climbing has learnt of comparisons."""
        if not self._task.climbing:
            return ()
        replica = self._replica
        return learnt(replica.climb, replica.known_sites, replica.kernels.list_learnt)

    def _fallen(self) -> tuple[Fallen, ...]:
        """Return the comparisons that climbing has solved first."""
        if not (self._task.climbing and self._config.solved_events):
            return ()
        return fallen_of(self._replica.climb)

    def _newly_refused(self) -> dict[tuple[str, str], str]:
        """Return the cheatcodes that were refused where nobody knew it yet, and why."""
        known = self._replica.views.exercise.refused
        asked = self._replica.judge.refused
        called = self._book.refused
        found = {each: why for each, why in called.items() if each not in known}
        for each, why in asked.items():
            if each not in known:
                found.setdefault(each, why)
        asked.clear()
        return found

    def _waits(self) -> bool:
        """Whether so much is missing that the task ends, to run again with answers."""
        return len(self._runner.missing) >= MOST_MISSING

    def _first_look(self) -> None:
        """Report the constructors' coverage and what is false from the beginning."""
        for each in self._replica.deployments:
            self._recorder.record(each)
            for refusal in each.refused:
                self._book.refused.setdefault((refusal.cheatcode, ""), refusal.reason)
        coverage = self._recorder.take()
        self._findings.append(Finding(sequence=b"", outcomes=(), coverage=coverage))
        self._runner.begin()
        try:
            self._tests.judge(bytearray(), None)
        except CapacityError as error:
            self._spending.work += self._runner.give_up(error)

    # ---------------------------------------------------------------- sequences

    def _run_inherited(self) -> int:
        """Run inherited sequences within the budget, at least one; return how many."""
        done = 0
        for number in self._task.inherited:
            spent = (
                self._spending.work >= self._task.budget
                or not self._spending.calls_left
            )
            if (done and spent) or self._waits():
                break
            found = self._replica.inherited(number)
            self._execute(found, inherited=number, whole=True)
            done += 1
        return done

    def _run_once(self, function: int) -> None:
        """Run a test that is not fuzzed in every way that there is."""
        codec, test = self._replica.codec, self._replica.target.functions[function]
        for calldata in self._replica.target.calldata_of(function):
            tape = codec.tape(function, calldata) if test.inputs.members else b""
            call = Call(function=function, sender=self._config.psender, tape=tape)
            self._execute(bytearray(join([call])), sample_at=0, counted=False)

    def _fuzz(self) -> None:
        tables = self._tables
        callable_now = tables.priority_count + tables.others_count
        if not self._spending.calls_left or not callable_now:
            return
        rng = self._stream(PURPOSE_FUZZ)
        searcher = self._replica.searcher
        first = self._build(rng)
        sample_at = self._sample_position(first)
        if not self._attempt(first, sample_at):
            looking = self._task.climbing
            self._execute(first, sample_at=sample_at, looking=looking)
        while self._spending.work < self._task.budget and self._spending.calls_left:
            if self._waits():
                return
            if searcher is None:
                sequence = self._build(rng)
                self._execute(sequence, climbs=self._choose_climb(rng, sequence))
                continue
            stretch = searcher.search(
                self._tables,
                rng,
                self._tests.open.every,
                self._tests.values,
                self._task.budget - self._spending.work,
                self._task.budget,
                self._spending.calls_left,
                self._counters,
            )
            self._spending.work += stretch.work
            self._spending.calls_left -= stretch.calls
            if stretch.handed is not None:
                self._execute(b"", climbs=stretch.climbs, handed=stretch.handed)
            elif stretch.found:
                self._execute(stretch.found, passed=stretch.passed)

    def _attempt(self, sequence: bytearray, sample_at: int) -> bool:
        """Let the searcher run a sequence; return whether it has shown nothing."""
        searcher = self._replica.searcher
        if searcher is None:
            return False
        self._runner.note_missing()
        done = searcher.attempt(
            self._tables,
            sequence,
            sample_at,
            self._tests.open.every,
            self._tests.values,
            self._task.budget,
            self._spending.calls_left,
            self._counters,
        )
        if done is None:
            return False
        self._spending.work += done.work
        self._spending.calls_left -= done.calls
        if done.sample is not None:
            self._book.log(*done.sample, injected=False)
        return True

    def _build(self, rng: Words) -> bytearray:
        """Return a new sequence."""
        replica = self._replica
        entries = replica.entries
        end = replica.kernels.build_sequence(
            self._tables, rng, replica.corpus, entries, len(entries) // 2, replica.out
        )
        return replica.out[:end]

    def _choose_climb(self, rng: Words, sequence: bytearray) -> int:
        """Choose from which record on a sequence is climbed; 0 for one that is not."""
        if not self._task.climbing:
            return 0
        choose, climb = self._replica.kernels.choose_climb, self._replica.climb
        return choose(self._tables, rng, climb, sequence, len(sequence))

    def _sample_position(self, sequence: bytearray) -> int:
        """Choose the call that is logged: one of the first sequence, uniformly."""
        rng = self._stream(PURPOSE_SAMPLE)
        return below(rng, count_calls(sequence, 0, len(sequence)))

    def _inject(self, injection: Injection) -> None:
        rng = self._stream(PURPOSE_INJECT, injection.command)
        kernels = self._replica.kernels
        sequence = injected_records(injection, self._tables, rng, kernels)
        self._execute(sequence, command=injection.command)

    def _stream(self, purpose: int, number: int = 0) -> Words:
        rng = words([0] * RNG_WORDS)
        task = self._task
        # Each injection of a round has a stream of its own.
        derive(rng, self._config.seed, task.round, task.worker, purpose + (number << 8))
        return rng

    def _execute(
        self,
        sequence: bytes | bytearray,
        *,
        command: int | None = None,
        inherited: int | None = None,
        sample_at: int = -1,
        climbs: int = 0,
        handed: Handover | None = None,
        passed: int = 0,
        looking: bool = False,
        counted: bool = True,
        whole: bool = False,
    ) -> None:
        """Run a sequence from the start state, checking tests after each call.

        Args:
            sequence: call records; they are left as they are.
            command: number of the command that injected it, if one did.
            inherited: its number among the inherited sequences, if it is one.
            sample_at: number of the call that is logged.
            climbs: from which record on it is climbed; 0 for none.
            handed: it, instead of `sequence`, if a searcher has climbed it already.
            passed: of how many records a searcher has seen that they show nothing.
            looking: whether it shows which outcomes comparisons have.
            whole: whether a short first round may take as much for it as any other.
            counted: whether its calls count as those of the task's limit.
        """
        self._runner.begin()
        self._recorder.begin()
        # One sequence may take a whole budget; an expensive one is cut there.
        budget = self._config.round_budget if whole else self._task.budget
        before = self._spending.work - (0 if handed is None else handed.work)
        limit: int | None = before + budget
        if command is not None or not counted:
            limit = None
        execution = Execution(
            self._replica,
            self._task,
            self._book,
            limit=limit,
            injected=command is not None,
            sample_at=sample_at,
        )
        try:
            if climbs or looking:
                self._climb(execution, sequence, climbs, handed, looking=looking)
            else:
                execution.run(calls_of(sequence), passed)
        except CapacityError as error:
            self._spending.work += self._runner.give_up(error)
        execution.count()
        ran = execution.ran
        if command is not None:
            ran.keep()
        if ran.interesting:
            entry = Entry.of(ran)
            # Injected and inherited ones stay as somebody wrote them.
            if self._config.shortening and command is None and inherited is None:
                shortening = Shortening(
                    self._book,
                    execution.watch,
                    (self._config.max_time_delay, self._config.max_block_delay),
                    self._task.budget,
                )
                entry = shortening.shortened(entry)
            found = Finding(
                sequence=entry.sequence,
                outcomes=entry.outcomes,
                coverage=self._recorder.take(),
                command=command,
                inherited=inherited,
            )
            self._findings.append(found)
            # An inherited one is among the entries, and others see an injected one.
            if self._config.follow_ups and command is None and inherited is None:
                self._replica.follow(found.sequence, found.coverage)

    def _climb(
        self,
        execution: Execution,
        sequence: bytes | bytearray,
        climbs: int,
        handed: Handover | None,
        *,
        looking: bool,
    ) -> None:
        replica = self._replica
        run = ClimbingRun(
            execution,
            self._tables,
            replica.kernels,
            replica.climb,
            goals=self._task.goals,
        )
        if looking:
            run.look(sequence)
        elif handed is None:
            run.run(sequence, climbs)
        else:
            run.go_on(handed, climbs)

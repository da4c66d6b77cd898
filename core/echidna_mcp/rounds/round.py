"""The round: what one logical worker does with its budget.

`run_round` is pure: its result depends on the target, on the events that the replica
has folded, and on the task. A replica may run the tasks of any logical worker in any
order; everything that a task changes is undone before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import CallResult, Message, Watch
from echidna_mcp.fuzz.records import call_function, count_calls
from echidna_mcp.fuzz.rng import (
    PURPOSE_FUZZ,
    PURPOSE_INJECT,
    PURPOSE_SAMPLE,
    RNG_WORDS,
    below,
    derive,
)
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.program.target import ASKED, FuzzTarget
from echidna_mcp.rounds.call_codec import Call, join, outcome, without_override
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.commands import Injection
from echidna_mcp.rounds.foundry.discarded import is_discarded
from echidna_mcp.rounds.injecting import injected_records
from echidna_mcp.rounds.judge import LEAST_VALUE, Verdict
from echidna_mcp.rounds.open_tests import OpenTests
from echidna_mcp.rounds.probing import PlainCalls, ProbingCalls
from echidna_mcp.rounds.recorder import Executed, Recorder, sample_of
from echidna_mcp.rounds.replica import Replica
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shrinking import shrink
from echidna_mcp.rounds.tasks import (
    CALL_WORK,
    MOST_MISSING,
    Counters,
    Falsification,
    Finding,
    RoundResult,
    RoundTask,
    Sample,
)

_SHRINK_SHARE = 2
"""A worker that shrinks spends one part in so many of its budget on it."""


def run_round(replica: Replica, task: RoundTask) -> RoundResult:
    """Run a task; the replica is left as it was, so that tasks may run in any order."""
    return _Round(replica, task).run()


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
        self._work = 0
        self._calls_left = task.calls
        self._counters = Counters.of(len(replica.target.functions))
        self._open = OpenTests(
            replica.target.tests,
            (
                replica.target.test_index[record.name]
                for record in replica.views.properties.searched
                if not self._is_undecidable(replica.target, record.name)
            ),
        )
        self._findings: list[Finding] = []
        self._falsified: list[Falsification] = []
        self._raised: dict[int, Falsification] = {}
        self._known_sites = replica.views.properties.sites
        self._sites: set[tuple[str, str]] = set()
        """Those that this task has found."""
        self._finds_sites = any(
            record.goes_on for record in replica.views.properties.searched
        )
        records = replica.views.properties.records
        self._values = {
            test: value
            for test in self._open.values
            if (value := records[replica.target.tests[test].name].value) is not None
        }
        """The greatest value of each optimization test, as far as it has one."""
        self._print: int | None = None
        self._samples: list[Sample] = []
        self._refused: dict[tuple[str, str], str] = {}

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
            self._work += work
        inherited = 0
        if task.fuzz:
            for sequence in task.solved:
                self._execute(bytearray(sequence), whole=True)
            inherited = self._run_inherited()
            self._fuzz()
        refused = self._newly_refused()
        return RoundResult(
            worker=task.worker,
            findings=tuple(self._findings),
            falsifications=tuple(self._falsified),
            shrunk=tuple(shrunk),
            samples=tuple(self._samples),
            words=self._recorder.words,
            counters=self._counters,
            work=self._work,
            inherited=inherited,
            lost=self._runner.lost,
            refused=tuple(refused),
            reasons=tuple(refused.values()),
            missing=self._runner.missing,
            raised=tuple(self._raised[test] for test in sorted(self._raised)),
        )

    def _is_undecidable(self, target: FuzzTarget, name: str) -> bool:
        """Whether a test is a property that calls a cheatcode that does not work."""
        if self._config.ignore_refused:
            return False
        refused = self._replica.views.exercise.refused
        test = target.tests[target.test_index[name]]
        if test.kind not in ASKED:
            return False
        return any(place == name for _, place in refused)

    def _newly_refused(self) -> dict[tuple[str, str], str]:
        """Return the cheatcodes that were refused where nobody knew it yet, and why."""
        known = self._replica.views.exercise.refused
        asked = self._replica.judge.refused
        found = {each: why for each, why in self._refused.items() if each not in known}
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
                self._refused.setdefault((refusal.cheatcode, ""), refusal.reason)
        coverage = self._recorder.take()
        self._findings.append(Finding(sequence=b"", outcomes=(), coverage=coverage))
        self._runner.begin()
        try:
            self._judge(bytearray(), None)
        except CapacityError as error:
            self._work += self._runner.give_up(error)

    # ---------------------------------------------------------------- sequences

    def _run_inherited(self) -> int:
        """Run inherited sequences within the budget, at least one; return how many."""
        done = 0
        for number in self._task.inherited:
            spent = self._work >= self._task.budget or not self._calls_left
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
        if not self._calls_left or not callable_now:
            return
        rng = self._stream(PURPOSE_FUZZ)
        searcher = self._replica.searcher
        first = self._build(rng)
        sample_at = self._sample_position(first)
        probes = self._choose_probes(rng, first)
        if not self._attempt(first, sample_at, probes):
            self._execute(first, sample_at=sample_at, probes=probes)
        while self._work < self._task.budget and self._calls_left:
            if self._waits():
                return
            if searcher is None:
                sequence = self._build(rng)
                self._execute(sequence, probes=self._choose_probes(rng, sequence))
                continue
            stretch = searcher.search(
                self._tables,
                rng,
                self._open.every,
                self._values,
                self._task.budget - self._work,
                self._task.budget,
                self._calls_left,
                self._counters,
            )
            self._work += stretch.work
            self._calls_left -= stretch.calls
            if stretch.found:
                found = self._replica.out[: stretch.found]
                self._execute(found, probes=stretch.probes)

    def _attempt(self, sequence: bytearray, sample_at: int, probes: int) -> bool:
        """Let the searcher run a sequence; return whether it has shown nothing."""
        searcher = self._replica.searcher
        if searcher is None:
            return False
        self._runner.note_missing()
        done = searcher.attempt(
            self._tables,
            sequence,
            probes,
            sample_at,
            self._open.every,
            self._values,
            self._task.budget,
            self._calls_left,
            self._counters,
        )
        if done is None:
            return False
        self._work += done.work
        self._calls_left -= done.calls
        if done.sample is not None:
            self._sample(*done.sample, injected=False)
        return True

    def _build(self, rng: Words) -> bytearray:
        """Return a new sequence."""
        replica = self._replica
        entries = replica.entries
        end = replica.kernels.build_sequence(
            self._tables, rng, replica.corpus, entries, len(entries) // 2, replica.out
        )
        return replica.out[:end]

    def _choose_probes(self, rng: Words, sequence: bytearray) -> int:
        """Choose from which call on a sequence probes; see `fuzz.probe`."""
        if not self._task.probing:
            return 0
        return self._replica.kernels.choose_probes(rng, sequence, len(sequence))

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
        sequence: bytearray,
        *,
        command: int | None = None,
        inherited: int | None = None,
        sample_at: int = -1,
        probes: int = 0,
        counted: bool = True,
        whole: bool = False,
    ) -> None:
        """Run a sequence from the start state, checking tests after each call.

        Args:
            sequence: call records; they are left as they are.
            command: number of the command that injected it, if one did.
            inherited: its number among the inherited sequences, if it is one.
            sample_at: number of the call that is logged.
            probes: from which call on it probes; 0 for none.
            whole: whether a short first round may take as much for it as any other.
            counted: whether its calls count as those of the task's limit.
        """
        self._runner.begin()
        self._recorder.begin()
        calls = PlainCalls(sequence)
        if probes:
            kernels = self._replica.kernels
            calls = ProbingCalls(sequence, probes, self._tables, kernels)
        ran = Executed()
        try:
            # One sequence may take a whole budget; an expensive one is cut there.
            budget = self._config.round_budget if whole else self._task.budget
            endless = command is not None or not counted
            limit = None if endless else self._work + budget
            self._run_calls(calls, ran, command, sample_at, limit, comparing=probes > 0)
        except CapacityError as error:
            self._work += self._runner.give_up(error)
        self._counters.sequences += 1
        if command is not None:
            ran.keep()
        if ran.interesting:
            self._findings.append(
                Finding(
                    sequence=bytes(ran.calls[: ran.kept]),
                    outcomes=tuple(ran.outcomes[: ran.interesting]),
                    coverage=self._recorder.take(),
                    command=command,
                    inherited=inherited,
                )
            )

    def _run_calls(
        self,
        calls: PlainCalls,
        ran: Executed,
        command: int | None,
        sample_at: int,
        limit: int | None,
        *,
        comparing: bool,
    ) -> None:
        watch = replace(
            self._runner.watch,
            coverage=self._config.coverage,
            comparisons=comparing,
            edges=self._task.edges,
        )
        if self._finds_sites:
            watch = replace(watch, trail=True)
        called: Called | None = None
        while limit is None or (self._work < limit and self._calls_left):
            call = calls.next()
            if not call:
                break
            record = bytearray(call)
            message = self._runner.aim(record, 0)
            self._work += CALL_WORK
            if message is None:
                calls.executed(())
                continue
            self._calls_left -= limit is not None
            called = self._call(record, message, watch)
            result = called.result
            # An override that has replaced nothing shows nothing.
            ran.calls += record if result.overridden else without_override(record)
            calls.executed(result.comparisons)
            ran.outcomes.append(outcome(result))
            if self._recorder.record(result):
                ran.keep()
            if command is not None or len(ran.outcomes) - 1 == sample_at:
                self._sample(bytes(record), result, injected=command is not None)
            self._judge(ran.calls, called)
        if len(ran.outcomes) == self._config.seq_len:
            self._judge_end(ran.calls, called)

    def _call(self, record: bytearray, message: Message, watch: Watch) -> Called:
        counters = self._counters
        counters.calls += 1
        function = call_function(record, 0)
        counters.functions[function] += 1
        called = self._runner.call(message, watch)
        result = called.result
        self._print = self._site_print(called) if watch.trail else None
        for refusal in result.refused:
            signature = self._replica.target.functions[function].signature
            self._refused.setdefault((refusal.cheatcode, signature), refusal.reason)
        failed = not result.status.succeeded
        counters.discarded[function] += is_discarded(result)
        counters.reverts += failed
        counters.failed[function] += failed
        counters.gas += result.gas_used
        counters.steps += result.steps
        self._work += result.steps
        return called

    def _site_print(self, called: Called) -> int | None:
        """Return what the searcher knows the site by at which a call fails, if so."""
        searcher = self._replica.searcher
        test = self._open.assertion(called)
        if searcher is None or test is None:
            return None
        tested = self._replica.target.tests[test]
        if self._replica.judge.falsified(tested, called) is None:
            return None
        return searcher.print_site(test)

    def _sample(self, record: bytes, result: CallResult, *, injected: bool) -> None:
        errors = self._replica.target.errors
        self._samples.append(sample_of(record, result, errors, injected=injected))

    def _judge(self, sequence: bytearray, last: Called | None) -> None:
        """Judge the open tests after the calls of `sequence`."""
        tests = self._asked(last)
        if last is not None:
            tests += self._open.of_call(last)
        self._judge_each(sorted(tests), sequence, last)

    def _asked(self, last: Called | None) -> list[int]:
        """Return what has to be asked: no properties after a failed call."""
        tests = self._open.values.copy()
        if last is None or last.result.status.succeeded:
            tests = self._open.asked + tests
        searcher = self._replica.searcher
        if searcher is None or not tests:
            return tests
        # Most properties hold, and few values are new, which compiled code knows.
        doubtful, steps = searcher.doubtful(tests, self._values)
        self._work += steps
        return list(doubtful)

    def _judge_end(self, sequence: bytearray, last: Called | None) -> None:
        """Judge what is about the end of a whole sequence."""
        self._judge_each(self._open.at_end.copy(), sequence, last)

    def _judge_each(
        self, tests: Sequence[int], sequence: bytearray, last: Called | None
    ) -> None:
        target, judge = self._replica.target, self._replica.judge
        before = judge.steps
        try:
            for test in tests:
                verdict = self._runner.verdict(target.tests[test], last)
                if verdict is None:
                    continue
                found = _falsification(test, bytes(sequence), verdict)
                if verdict.value is None:
                    self._falsify(found, last)
                elif verdict.value > self._values.get(test, LEAST_VALUE):
                    self._values[test] = verdict.value
                    self._raised[test] = found
        finally:
            self._work += judge.steps - before

    def _falsify(self, found: Falsification, last: Called | None) -> None:
        """Take note of a failure, and look on for others that the test may have."""
        test = self._replica.target.tests[found.test]
        if not self._replica.views.properties.records[test.name].goes_on:
            self._falsified.append(found)
            self._open.remove(found.test)
            return
        assert last is not None, "it is about what a call does"
        site = self._replica.sites.site(last.result, found.reason)
        key = (test.name, site.key)
        is_known = key in self._known_sites
        if not is_known and key not in self._sites:
            self._sites.add(key)
            self._falsified.append(replace(found, site=site))
        if self._replica.searcher is not None and self._print is not None:
            self._replica.searcher.know_site(self._print, lasting=is_known)


def _falsification(test: int, sequence: bytes, verdict: Verdict) -> Falsification:
    return Falsification(
        test=test,
        sequence=sequence,
        gas_used=verdict.gas_used,
        reason=verdict.reason,
        value=verdict.value,
    )

"""The pure part of the director: plan a round, merge its results.

No store, no processes, no clock: the director, a replay and a test drive the same
engine. Results are merged in worker order, so who ran first can't matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.events import payloads
from echidna_mcp.events.event import Event, NewEvent, as_event
from echidna_mcp.events.payloads import (
    CheatcodeRefused,
    CommandApplied,
    CorpusExtended,
    CoverageIncreased,
    EventType,
    RoundCommitted,
    SequencesAbandoned,
    TransactionExecuted,
    WorkerRound,
)
from echidna_mcp.evm.outside import Request, Source
from echidna_mcp.rounds.call_codec import CallCodec, executed_json, split
from echidna_mcp.rounds.commands import Injection, parse_injection, prioritization
from echidna_mcp.rounds.confirmation import Confirmation, Ruling
from echidna_mcp.rounds.digest import next_digest
from echidna_mcp.rounds.foundry.stateless import StatelessRuns
from echidna_mcp.rounds.tasks import (
    UNLIMITED,
    Finding,
    RoundResult,
    RoundTask,
    Sample,
    ShrinkProgress,
    ShrinkTask,
    is_plain,
    quiet_budget,
    round_budget,
    settled_views,
    times_halved,
)
from echidna_mcp.rounds.verdicts import Verdicts
from echidna_mcp.solving.jobs import Solved, nothing_solved
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.learning import Learning
from echidna_mcp.views.progress import Command
from echidna_mcp.views.properties import PropertyRecord, PropertyState


@dataclass(frozen=True, slots=True)
class Plan:
    """A round that is about to run."""

    round: int
    tasks: tuple[RoundTask, ...]


class Engine:
    """Decides rounds from the fold of all events before them.

    Args:
        views: the fold.
        codec: of its target.
        confirmation: what is asked before something is reported as falsified; None to
            believe every result.
    """

    def __init__(
        self,
        views: CampaignViews,
        codec: CallCodec,
        confirmation: Confirmation | None = None,
    ) -> None:
        self.views = views
        self._confirmation = confirmation
        self._verdicts = Verdicts(views, codec)
        self._learning = Learning(views)
        self._target = views.target
        self._codec = codec
        stateless = views.target.config.checks("stateless")
        self._stateless = StatelessRuns(views) if stateless else None
        self._round: list[NewEvent] = []
        self._answers: list[Event] = []
        """Those of the round that no replica has folded."""
        self._kept: set[int] = set()
        """Commands whose sequence the round has put into the corpus."""

    # ------------------------------------------------------------------- plan

    def plan(
        self, *, drain: str | None = None, solved: Solved = nothing_solved
    ) -> Plan:
        """Apply the commands that are due and lay out the next round.

        Args:
            drain: reason why no new sequences are fuzzed from this round on, if any.
            solved: asked for what the solver's jobs have found that are due.
        """
        number = self.views.progress.round + 1
        self._round = []
        self._kept.clear()
        if drain is not None:
            self._emit("StopRequested", number, {"reason": drain})
        injections: list[Injection] = []
        for command in list(self.views.progress.pending):
            if command.round <= number:
                self._apply(command, number, injections)
        found = self._take_solved(number, solved) if self.fuzzing else {}
        return Plan(number, self._tasks(number, injections, found))

    def _take_solved(self, number: int, solved: Solved) -> dict[int, list[bytes]]:
        """Take note of what the solver has found; return who is to run it."""
        found: dict[int, list[bytes]] = {}
        for payload in solved(number):
            worker = payload["job"] % self._target.config.workers
            self._emit("SolverAnswered", number, payload, worker)
            known = self._codec.sequences(payload["sequences"])
            found.setdefault(worker, []).extend(known)
        return found

    def _apply(
        self, command: Command, number: int, injections: list[Injection]
    ) -> None:
        try:
            effect = self._effect(command, injections)
        except EchidnaMcpError as error:
            # Tools refuse bad commands before they are accepted; only a log that was
            # written for another program gets here, and then the command does nothing.
            effect = {"error": error.message}
        payload: CommandApplied = {
            "tool": command.tool,
            "command": command.number,
            "effect": effect,
        }
        self._emit("CommandApplied", number, payload)

    def _effect(self, command: Command, injections: list[Injection]) -> dict[str, Any]:
        match command.tool:
            case "inject_transaction":
                injection = parse_injection(command.number, command.args, self._target)
                injections.append(injection)
                workers = self._target.config.workers
                return {"calls": len(injection.calls), "workers": workers}
            case "prioritize_function":
                return prioritization(command.args, self._target)
            case "clear_priorities":
                return {"cleared": len(self.views.priorities.requested)}
            case _:
                return {"error": f"Unknown command {command.tool!r}."}

    def _tasks(
        self,
        number: int,
        injections: list[Injection],
        solved: Mapping[int, Sequence[bytes]],
    ) -> tuple[RoundTask, ...]:
        config = self._target.config
        index = self._target.function_index
        priorities = tuple(sorted(index[s] for s in self.views.priorities.matched))
        shrinks = self._shrink_tasks()
        shares = self._shares(config.workers * sum(len(i.calls) for i in injections))
        seldom = settled_views(self._target, self.views.progress.functions)
        left_out = self._stateless.left_out() if self._stateless else ()
        once = self._target.run_once if number == 1 else ()
        budget = round_budget(number, config.round_budget)
        if config.longer_rounds:
            quiet = number - 1 - self.views.coverage.leading_round
            budget = quiet_budget(budget, quiet)
        plain = self._plain(number)
        return tuple(
            RoundTask(
                round=number,
                worker=worker,
                budget=budget,
                calls=shares[worker],
                priorities=priorities,
                injections=tuple(injections),
                shrinks=tuple(shrinks[worker :: config.workers]),
                inherited=self._inherited(worker),
                once=once[worker :: config.workers],
                solved=tuple(solved.get(worker, ())),
                left_out=left_out,
                seldom=seldom,
                fuzz=self.fuzzing,
                **config.news,
                climbing=config.climbing and worker not in plain,
                goals=config.climbs_tests and worker not in plain,
                plain=worker in plain,
            )
            for worker in range(config.workers)
        )

    def _plain(self, number: int) -> frozenset[int]:
        """Return the workers whose tasks are plain in a round.

        None are where somebody has chosen the budget of rounds.
        """
        config = self._target.config
        adapts = config.plain_tasks and config.longer_rounds
        # Who prioritizes functions expects something of them.
        if not adapts or self.views.priorities.matched:
            return frozenset()
        coverage, found = self.views.coverage, self.views.properties.round
        leading = max(coverage.leading_round, found)
        code = max(coverage.code_round, found)
        halved = times_halved(number, leading, code)
        workers = range(config.workers)
        return frozenset(w for w in workers if is_plain(number, w, halved))

    def _shares(self, injected: int) -> list[int]:
        """Return how many calls each worker may make, so that none is one too many.

        Whoever needs fewer, because its budget is spent, leaves the rest to later
        rounds; the last of them divide what is left down to the last call.

        Args:
            injected: calls of the round that are made in any case.
        """
        workers, limit = self._target.config.workers, self._target.config.test_limit
        if self._stateless is not None:
            left = self._stateless.left()
        elif limit is None:
            return [UNLIMITED] * workers
        else:
            left = max(0, limit - self.views.progress.calls - injected)
        share, more = divmod(left, workers)
        return [share + (worker < more) for worker in range(workers)]

    @property
    def fuzzing(self) -> bool:
        """Whether new sequences are run: nothing asked to stop, below the limit."""
        progress, config = self.views.progress, self._target.config
        findings = len(self.views.properties.falsified)
        if progress.draining or (config.stop_on_fail and findings):
            return False
        if config.max_findings and findings >= config.max_findings:
            return False
        if self._stateless is not None:
            return progress.round == 0 or self._stateless.left() > 0
        return config.test_limit is None or progress.calls < config.test_limit

    def _inherited(self, worker: int) -> range:
        """Return which inherited sequences a worker has yet to run: every n-th."""
        workers = self._target.config.workers
        done = self.views.progress.inherited.get(worker, 0)
        total = len(self.views.corpus.inherited)
        return range(worker + done * workers, total, workers)

    def unshrunk(self, *, ending: bool = False) -> list[PropertyRecord]:
        """Return the tests that have a reproducer to shrink.

        What raises a value is shrunk once no greater one is looked for: who shrinks
        each that is found finds fewer.

        Args:
            ending: whether something asks to stop from the next round on.
        """
        properties = self.views.properties
        found = properties.in_state(PropertyState.SHRINKING)
        if ending or not self.fuzzing:
            found += [each for each in properties.raised if not each.is_shrunk]
        return found

    def _shrink_tasks(self) -> list[ShrinkTask]:
        return [
            ShrinkTask(
                test=self._target.test_index[record.test],
                sequence=self._codec.sequence(record.calls or ()),
                cursor=record.cursor,
                improved=record.improved,
                attempts=record.attempts,
                value=record.value,
                finding=record.name,
                site=None if record.site is None else record.site["key"],
            )
            for record in self.unshrunk()
        ]

    # ---------------------------------------------------------------- answers

    def answer(self, plan: Plan, worker: int, request: Request, source: Source) -> None:
        """Have a request of a task answered, if it is not and can be; see `asking`."""
        answers = self.views.outside.answers
        if answers.full or answers.get(request) is not None:
            return
        reply = source(request)
        payload = {**request.to_json(), **reply.to_json()}
        self._emit("OutsideAnswered", plan.round, payload, worker)
        self._answers.append(as_event(self._round[-1]))

    def take_answers(self) -> list[Event]:
        """Return the answers that replicas have yet to fold, once."""
        answers, self._answers = self._answers, []
        return answers

    @property
    def open_answers(self) -> tuple[NewEvent, ...]:
        """The answers of the round that is open, those of the solver among them."""
        kinds = ("OutsideAnswered", "SolverAnswered")
        return tuple(each for each in self._round if each.type in kinds)

    # ------------------------------------------------------------------ merge

    def confirm(
        self,
        results: Sequence[RoundResult],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Ruling]:
        """Return what the reference says of the results: see `Confirmation.rulings`.

        Nothing is decided or folded yet, so that it can be given up.
        """
        if self._confirmation is None:
            return []
        number = self.views.progress.round + 1
        return self._confirmation.rulings(number, _in_order(results), cancelled)

    def merge(
        self,
        plan: Plan,
        results: Sequence[RoundResult],
        rulings: Sequence[Ruling] = (),
    ) -> list[NewEvent]:
        """Return the events of the round, `RoundCommitted` last; folds them as well.

        Args:
            plan: the round.
            results: one a task.
            rulings: what `confirm` says of them.
        """
        ordered = _in_order(results)
        assert [r.worker for r in ordered] == list(range(len(plan.tasks)))
        for result in ordered:
            self._merge_worker(plan.round, result)
        for report in self._verdicts.of_round(ordered, rulings):
            self._emit(report.type, plan.round, report.payload, report.worker)
        for kind, payload in self._learning.of_round(ordered):
            self._emit(kind, plan.round, payload)
        self._commit(plan, ordered)
        return self._round

    def _merge_worker(self, number: int, result: RoundResult) -> None:
        for lost in result.lost:
            payload: SequencesAbandoned = {
                "reason": lost.reason,
                "sequences": lost.sequences,
            }
            self._emit("SequencesAbandoned", number, payload, result.worker)
        told = zip(result.refused, result.reasons, strict=True)
        for (cheatcode, place), reason in told:
            if (cheatcode, place) not in self.views.exercise.refused:
                refusal: CheatcodeRefused = {
                    "cheatcode": cheatcode,
                    "place": place,
                    "reason": reason,
                }
                self._emit("CheatcodeRefused", number, refusal, result.worker)
        for sample in result.samples:
            self._emit_sample(number, result.worker, sample)
        for finding in result.findings:
            self._merge_finding(number, result.worker, finding)

    def _emit_sample(self, number: int, worker: int, sample: Sample) -> None:
        (call,) = split(sample.call)
        told = self._codec.to_json(call)
        payload: TransactionExecuted = {
            "call": self._codec.text(call),
            "function": told["function"],
            "sender": told["sender"],
            "value": told["value"],
            "timeDelay": told["timeDelay"],
            "blockDelay": told["blockDelay"],
            "gasUsed": sample.gas_used,
            "result": sample.status,
            "injected": sample.injected,
        }
        if sample.reason is not None:
            payload["reason"] = sample.reason
        self._emit("TransactionExecuted", number, payload, worker)

    def _merge_finding(self, number: int, worker: int, finding: Finding) -> None:
        coverage = self.views.coverage
        remaining = finding.coverage.minus(coverage.map)
        points = coverage.new_points(remaining)
        if remaining:
            payload: CoverageIncreased = {
                "points": points,
                "total": coverage.points + points,
                **remaining.to_json(),
            }
            self._emit("CoverageIncreased", number, payload, worker)
        # An injected sequence is kept once even if it brings nothing new.
        injected = finding.command is not None and finding.command not in self._kept
        if finding.sequence and (remaining or injected):
            self._extend_corpus(number, worker, finding, points)

    def _extend_corpus(
        self, number: int, worker: int, finding: Finding, points: int
    ) -> None:
        calls = [self._codec.to_json(call) for call in split(finding.sequence)]
        payload: CorpusExtended = {
            "entry": len(self.views.corpus),
            "calls": executed_json(calls, finding.outcomes),
            "injected": finding.command is not None,
            "newPoints": points,
        }
        if finding.command is not None:
            payload["command"] = finding.command
            self._kept.add(finding.command)
        if finding.inherited is not None:
            payload["inherited"] = finding.inherited
        self._emit("CorpusExtended", number, payload, worker)

    def _commit(self, plan: Plan, ordered: Sequence[RoundResult]) -> None:
        number, progress = plan.round, self.views.progress
        counters = [result.counters for result in ordered]
        calls = sum(c.calls for c in counters)
        discarded = self._by_function([c.discarded for c in counters])
        payload = {
            "calls": calls,
            "sequences": sum(c.sequences for c in counters),
            "reverts": sum(c.reverts for c in counters),
            "gas": sum(c.gas for c in counters),
            "steps": sum(c.steps for c in counters),
            "totalCalls": progress.calls + calls,
            "functions": self._by_function([c.functions for c in counters]),
            "failed": self._by_function([c.failed for c in counters]),
            **({"discarded": discarded} if discarded else {}),
            "workers": [_worker_round(result) for result in ordered],
            "shrinking": [
                self._cursor(shrink) for result in ordered for shrink in result.shrunk
            ],
        }
        draft = NewEvent(type="RoundCommitted", round=number, payload=payload)
        digest = next_digest(progress.state_digest, (*self._round, draft))
        committed = cast("RoundCommitted", {**payload, "stateDigest": digest})
        self._emit("RoundCommitted", number, committed)

    def _by_function(self, counts: Sequence[Sequence[int]]) -> dict[str, int]:
        """Return sums by signature, without those that are zero.

        Args:
            counts: of each worker by index of the function; empty if it called none.
        """
        totals = map(sum, zip(*filter(None, counts), strict=True))
        named = zip(self._target.functions, totals, strict=False)
        return {function.signature: total for function, total in named if total}

    def _cursor(self, shrink: ShrinkProgress) -> payloads.ShrinkProgress:
        return {
            "property": shrink.finding or self._target.tests[shrink.test].name,
            "cursor": shrink.cursor,
            "improved": shrink.improved,
            "attempts": shrink.attempts,
        }

    def _emit(
        self,
        event_type: EventType,
        number: int,
        payload: Mapping[str, Any],
        worker: int | None = None,
    ) -> None:
        event = NewEvent(type=event_type, round=number, payload=payload, worker=worker)
        self._round.append(event)
        self.views.apply(event)


def _in_order(results: Sequence[RoundResult]) -> list[RoundResult]:
    return sorted(results, key=lambda result: result.worker)


def _worker_round(result: RoundResult) -> WorkerRound:
    told: WorkerRound = {
        "worker": result.worker,
        "digest": result.digest,
        "calls": result.counters.calls,
    }
    if result.inherited:
        told["inherited"] = result.inherited
    return told

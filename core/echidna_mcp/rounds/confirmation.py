"""Confirmation: what falsifies a test is executed again on another EVM (design §9).

The EVM that searches is built for speed. Its plugin may name a *reference*: a slow one,
independent of it, that is trusted. A sequence that falsifies a test is run there from
the start state, and the test is judged there, before anything is reported. Reproducers
that were made shorter are run there as well, because they are what people read. What
the reference did and said is stored with what is reported. An EVM that is trusted
itself is asked again, in a world of its own, so that its findings have the same.

When the reference gives another verdict, one of the two EVMs has a bug. That is a
*dispute*: a fact of the campaign, with the sequence and what either says. It is the
reference that is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.fuzz.records import call_length, count_calls
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.caller import Called, Caller
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.rounds.failures.sites import Site
from echidna_mcp.rounds.failures.testimony import TestifiedCall
from echidna_mcp.rounds.judge import Judge, Verdict
from echidna_mcp.rounds.tasks import RoundResult, ShrinkProgress
from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the searching EVM says: that a sequence falsifies a test.

    Attributes:
        gas_used: of the call that showed it; None if that was not kept.
        value: that of an optimization test; None of others.
        site: where the test fails; None if that does not matter.
    """

    worker: int
    test: int
    sequence: bytes
    reason: str
    gas_used: int | None = None
    value: int | None = None
    site: Site | None = None

    @property
    def subject(self) -> tuple[int, str]:
        """What it is about: the test, and the site if that matters."""
        return self.test, "" if self.site is None else self.site.key

    @property
    def text(self) -> str:
        """The same in words, for people."""
        return _failing(self.reason, self.gas_used)

    def is_confirmed_by(self, verdict: Verdict) -> bool:
        """Whether a verdict says the same."""
        same_gas = self.gas_used in {None, verdict.gas_used}
        return self.reason == verdict.reason and same_gas


@dataclass(frozen=True, slots=True)
class Testimony:
    """What the reference says of a test at the end of a sequence.

    Attributes:
        verdict: None if the test passes there.
        calls: those that were made, in order.
    """

    verdict: Verdict | None
    calls: tuple[TestifiedCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A claim, and what the reference says of it.

    Attributes:
        backend, reference: names of the EVMs.
        version: of the reference; empty if unknown.
        testimony: None if the reference could not run the sequence.
        answer: its verdict in words.
    """

    claim: Claim
    backend: str
    reference: str
    version: str
    testimony: Testimony | None
    answer: str

    @property
    def verdict(self) -> Verdict | None:
        """The reference's; None if the test passes there, or could not be run."""
        return None if self.testimony is None else self.testimony.verdict

    @property
    def is_dispute(self) -> bool:
        """Whether the reference says something else."""
        verdict = self.verdict
        return verdict is None or not self.claim.is_confirmed_by(verdict)


class Judging(Protocol):
    """Has the test of a claim judged on a reference, wherever that runs."""

    def __call__(
        self, number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Testimony:
        """Return what the reference says.

        Args:
            number: of the round.
            claim: what is to be confirmed.
            cancelled: asked before each call; once it is true, what is returned means
                nothing.

        Raises:
            CapacityError: the reference has no room for the sequence.
        """
        ...


class Confirmation:
    """Holds what a backend finds against its reference, if it has one."""

    def __init__(
        self,
        views: CampaignViews,
        backend: BackendPlugin,
        judged: Judging | None = None,
    ) -> None:
        """Prepare to ask the reference; it is loaded when it is first asked.

        Slow as that is, most campaigns begin without it. No task of a round runs beside
        it: what they have found is all there when it is confirmed.

        Args:
            views: the fold of the campaign.
            backend: what searches.
            judged: asks its reference; by default one whose world is made when it is
                first needed, and kept.
        """
        self._backend = backend.name
        self._reference = backend.trusted
        self._judged = judged or Reference(views, self._reference)

    def rulings(
        self,
        number: int,
        results: Sequence[RoundResult],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Ruling]:
        """Return what the reference says of that which a round would report.

        Of the sequences that falsify a test the shortest is reported, of those that
        raise a value that with the greatest one: they are tried in that order, until
        the reference gives a verdict on one.

        Args:
            number: of the round.
            results: in worker order.
            cancelled: asked before each call; once it is true, what is returned means
                nothing.
        """
        found = []
        settled: set[tuple[int, str]] = set()
        for claim in falsified(results):
            if claim.subject in settled:
                continue
            ruling = self._ruling(number, claim, cancelled)
            found.append(ruling)
            if ruling.verdict is not None:
                settled.add(claim.subject)
        simpler = [shrunk(r.worker, progress) for r in results for progress in r.shrunk]
        found += [self._ruling(number, c, cancelled) for c in simpler if c is not None]
        return found

    def _ruling(
        self, number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Ruling:
        """Run a claim on the reference."""
        testimony = None
        try:
            testimony = self._judged(number, claim, cancelled)
        except CapacityError as error:  # The sequence decides that, and nothing else.
            answer = f"it has no room for the sequence: {error.message}"
        else:
            answer = "the test passes"
            if (verdict := testimony.verdict) is not None:
                answer = _failing(verdict.reason, verdict.gas_used)
        return Ruling(
            claim=claim,
            backend=self._backend,
            reference=self._reference.name,
            version=self._reference.version,
            testimony=testimony,
            answer=answer,
        )


def judge_alone(
    target: FuzzTarget,
    answers: Answers,
    reference: BackendPlugin,
    test: int,
    sequence: bytes,
) -> Testimony:
    """Judge a test after a sequence, in a world of the reference made for it."""
    reference.load()
    return _World(target, answers, reference).testimony(test, sequence, lambda: False)


class Reference:
    """A reference whose world is made when it is first needed, and kept."""

    def __init__(self, views: CampaignViews, plugin: BackendPlugin) -> None:
        self._views = views
        self._plugin = plugin
        self._world: _World | None = None

    def __call__(
        self, _number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Testimony:
        """Return what the reference says; see `Judging`."""
        # What fails midway may leave anything behind: then the next claim gets another.
        world, self._world = self._world, None
        if world is None:
            views = self._views
            world = _World(views.target, views.outside.answers, self._plugin)
        testimony = world.testimony(claim.test, claim.sequence, cancelled)
        self._world = world
        return testimony


class _World:
    """The target, deployed on the reference."""

    def __init__(
        self, target: FuzzTarget, answers: Answers, reference: BackendPlugin
    ) -> None:
        self._target = target
        # It knows what has been answered so far, and what will be.
        outside = Outside(answers)
        self._backend, _ = deployed_world(reference, target, outside)
        self._start = self._backend.snapshot()
        self._caller = Caller(target, CallCodec(target), self._backend)
        self._judge = Judge(target, self._backend)

    def testimony(
        self, test: int, sequence: bytes, cancelled: Callable[[], bool]
    ) -> Testimony:
        """Run a sequence from the start state, and judge a test at its end."""
        self._backend.restore(self._start)
        self._caller.begin()
        calls, at, number = bytearray(sequence), 0, 0
        last: Called | None = None
        made = []
        while at < len(calls):
            if cancelled():
                return Testimony(None, ())
            number += 1
            message = self._caller.aim(calls, at)
            if message is not None:
                result = self._backend.call(message, self._caller.watch)
                last = self._caller.made(message, result)
                made.append(TestifiedCall.of(number, result, self._target.errors))
            at += call_length(calls, at)
        verdict = self._judge.falsified(self._target.tests[test], last)
        return Testimony(verdict, tuple(made))


def falsified(results: Sequence[RoundResult]) -> list[Claim]:
    """Return the falsifications of a round by test, the shortest sequence first.

    Of what raises a value the greatest comes first.

    Args:
        results: in worker order, which decides between sequences of equal length.
    """
    claims = [
        Claim(
            worker=result.worker,
            test=found.test,
            sequence=found.sequence,
            reason=found.reason,
            gas_used=found.gas_used,
            value=found.value,
            site=found.site,
        )
        for result in results
        for found in (*result.falsifications, *result.raised)
    ]
    return sorted(
        claims,
        key=lambda claim: (claim.test, -(claim.value or 0), _length(claim.sequence)),
    )


def shrunk(worker: int, progress: ShrinkProgress) -> Claim | None:
    """Return the reproducer that became simpler in a round, if it did."""
    if not progress.shorter or progress.reason is None:
        return None
    return Claim(
        worker=worker,
        test=progress.test,
        sequence=progress.sequence,
        reason=progress.reason,
        value=progress.value,
    )


def _length(sequence: bytes) -> int:
    return count_calls(bytearray(sequence), 0, len(sequence))


def _failing(reason: str, gas_used: int | None) -> str:
    gas = "" if gas_used is None else f" ({gas_used} gas)"
    return f"the test fails: {reason}{gas}"

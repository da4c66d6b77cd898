"""Confirmation: what falsifies a test is executed again on another EVM (design §9).

The EVM that searches is built for speed. Its plugin may name a *reference*: a slow one,
independent of it, that is trusted. A sequence that falsifies a test is run there from
the start state, and the test is judged there, before anything is reported. Reproducers
that were made shorter are run there as well, because they are what people read.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A claim to which the reference gives another verdict.

    Attributes:
        backend, reference: names of the EVMs.
        verdict: the reference's; None if the test passes there, or could not be run.
        answer: the same in words.
    """

    claim: Claim
    backend: str
    reference: str
    verdict: Verdict | None
    answer: str


class Judging(Protocol):
    """Has the test of a claim judged on a reference, wherever that runs."""

    def __call__(
        self, number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Verdict | None:
        """Return what the reference says; None if the test passes there.

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
        self._reference = backend.reference
        if self._reference is not None:
            self._judged = judged or Reference(views, self._reference)

    def disputes(
        self,
        number: int,
        results: Sequence[RoundResult],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[Dispute]:
        """Return what the reference disputes of that which a round would report.

        Of the sequences that falsify a test the shortest is reported, of those that
        raise a value that with the greatest one: they are tried in that order, until
        the reference agrees that one does.

        Args:
            number: of the round.
            results: in worker order.
            cancelled: asked before each call; once it is true, what is returned means
                nothing.
        """
        if self._reference is None:
            return []
        found = []
        settled: set[tuple[int, str]] = set()
        for claim in falsified(results):
            if claim.subject in settled:
                continue
            dispute = self._dispute(number, self._reference, claim, cancelled)
            if dispute is not None:
                found.append(dispute)
            if dispute is None or dispute.verdict is not None:
                settled.add(claim.subject)
        simpler = [shrunk(r.worker, progress) for r in results for progress in r.shrunk]
        for claim in filter(None, simpler):
            dispute = self._dispute(number, self._reference, claim, cancelled)
            if dispute is not None:
                found.append(dispute)
        return found

    def _dispute(
        self,
        number: int,
        reference: BackendPlugin,
        claim: Claim,
        cancelled: Callable[[], bool],
    ) -> Dispute | None:
        """Run a claim on the reference; return None if it says the same."""
        try:
            verdict = self._judged(number, claim, cancelled)
        except CapacityError as error:  # The sequence decides that, and nothing else.
            verdict = None
            answer = f"it has no room for the sequence: {error.message}"
        else:
            if verdict is not None and claim.is_confirmed_by(verdict):
                return None
            answer = "the test passes"
            if verdict is not None:
                answer = _failing(verdict.reason, verdict.gas_used)
        return Dispute(
            claim=claim,
            backend=self._backend,
            reference=reference.name,
            verdict=verdict,
            answer=answer,
        )


def judge_alone(
    target: FuzzTarget,
    answers: Answers,
    reference: BackendPlugin,
    test: int,
    sequence: bytes,
) -> Verdict | None:
    """Judge a test after a sequence, in a world of the reference made for it."""
    reference.load()
    return _World(target, answers, reference).verdict(test, sequence, lambda: False)


class Reference:
    """A reference whose world is made when it is first needed, and kept."""

    def __init__(self, views: CampaignViews, plugin: BackendPlugin) -> None:
        self._views = views
        self._plugin = plugin
        self._world: _World | None = None

    def __call__(
        self, _number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Verdict | None:
        """Return what the reference says; see `Judging`."""
        # What fails midway may leave anything behind: then the next claim gets another.
        world, self._world = self._world, None
        if world is None:
            views = self._views
            world = _World(views.target, views.outside.answers, self._plugin)
        verdict = world.verdict(claim.test, claim.sequence, cancelled)
        self._world = world
        return verdict


class _World:
    """The target, deployed on the reference."""

    def __init__(
        self, target: FuzzTarget, answers: Answers, reference: BackendPlugin
    ) -> None:
        self._tests = target.tests
        # It knows what has been answered so far, and what will be.
        outside = Outside(answers)
        self._backend, _ = deployed_world(reference, target, outside)
        self._start = self._backend.snapshot()
        self._caller = Caller(target, CallCodec(target), self._backend)
        self._judge = Judge(target, self._backend)

    def verdict(
        self, test: int, sequence: bytes, cancelled: Callable[[], bool]
    ) -> Verdict | None:
        """Run a sequence from the start state, and judge a test at its end."""
        self._backend.restore(self._start)
        self._caller.begin()
        calls, at = bytearray(sequence), 0
        last: Called | None = None
        while at < len(calls):
            if cancelled():
                return None
            message = self._caller.aim(calls, at)
            if message is not None:
                result = self._backend.call(message, self._caller.watch)
                last = self._caller.made(message, result)
            at += call_length(calls, at)
        return self._judge.falsified(self._tests[test], last)


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

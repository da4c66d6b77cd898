"""Verdicts that a round reports: tests falsified, shrunk, disputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from echidna_mcp.events import payloads
from echidna_mcp.events.payloads import (
    EventType,
    FalsificationDisputed,
    PropertyFalsified,
    ReproducerShrunk,
    ValueRaised,
)
from echidna_mcp.rounds.call_codec import CallCodec, split
from echidna_mcp.rounds.confirmation import Claim, Dispute, falsified, shrunk
from echidna_mcp.rounds.failures.sites import finding_id
from echidna_mcp.rounds.judge import LEAST_VALUE
from echidna_mcp.rounds.tasks import RoundResult, ShrinkProgress
from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True)
class Report:
    """An event about a test, of the round that is merged."""

    type: EventType
    payload: Mapping[str, Any]
    worker: int


class _Reproducer(TypedDict):
    """What payloads about a reproducer share."""

    counterexample: list[str]
    calls: list[payloads.Call]


class Verdicts:
    """Turns results into events about tests.

    Args:
        views: each report is folded before the next one is asked for.
        codec: of the target.
    """

    def __init__(self, views: CampaignViews, codec: CallCodec) -> None:
        self._views = views
        self._tests = views.target.tests
        self._codec = codec

    def of_round(
        self, results: Sequence[RoundResult], disputes: Sequence[Dispute]
    ) -> Iterator[Report]:
        """Yield what a round reports.

        Args:
            results: in worker order.
            disputes: what the reference EVM disputes of them.
        """
        disputed = {dispute.claim: dispute for dispute in disputes}
        yield from self._disputes(disputes)
        yield from self._falsified(results, disputed)
        for result in results:
            for progress in result.shrunk:
                claim = shrunk(result.worker, progress)
                dispute = None if claim is None else disputed.get(claim)
                yield from self._shrunk(result.worker, progress, dispute)

    def _disputes(self, disputes: Sequence[Dispute]) -> Iterator[Report]:
        """Report the first dispute about a test: more of them would fill the store."""
        for dispute in disputes:
            claim = dispute.claim
            name = self._tests[claim.test].name
            if self._views.properties.records[name].dispute is not None:
                continue
            payload: FalsificationDisputed = {
                "property": name,
                **self._reproducer(claim.sequence),
                "backend": dispute.backend,
                "claim": claim.text,
                "reference": dispute.reference,
                "answer": dispute.answer,
            }
            yield Report("FalsificationDisputed", payload, claim.worker)

    def _falsified(
        self, results: Sequence[RoundResult], disputed: Mapping[Claim, Dispute]
    ) -> Iterator[Report]:
        """Report each test once, with the shortest sequence that is not refuted."""
        reported = set()
        for claim in falsified(results):
            dispute = disputed.get(claim)
            found = claim if dispute is None else dispute.verdict
            if found is None or claim.subject in reported:
                continue
            assert found.gas_used is not None, "whoever falsifies knows the gas"
            reported.add(claim.subject)
            if found.value is not None:
                yield from self._raised(claim, found.value, found.gas_used)
                continue
            reproducer = self._reproducer(claim.sequence)
            payload: PropertyFalsified = {
                "property": self._tests[claim.test].name,
                "counterexample": reproducer["counterexample"],
                "calls": reproducer["calls"],
                "gasUsed": found.gas_used,
                "reason": found.reason,
            }
            if self._is_new(claim, payload):
                yield Report("PropertyFalsified", payload, claim.worker)

    def _is_new(self, claim: Claim, payload: PropertyFalsified) -> bool:
        """Add what tells the findings of a campaign apart; return whether it is one."""
        config, properties = self._views.target.config, self._views.properties
        if not config.max_findings:
            return True
        if len(properties.falsified) >= config.max_findings:
            return False
        test, site = self._tests[claim.test].name, claim.site
        contract = self._views.target.program.main_contract.name
        if site is None:
            payload["finding"] = finding_id(contract, test)
            return True
        if (test, site.key) in properties.sites:
            return False
        payload["finding"] = site.identity(contract, test)
        payload["site"] = site.to_json()
        if properties.records[test].calls is not None:
            others = sum(each.test == test for each in properties.records.values())
            payload["property"] = f"{test} #{others + 1}"
            payload["test"] = test
        return True

    def _raised(self, claim: Claim, value: int, gas_used: int) -> Iterator[Report]:
        """Report a value, unless another worker or round has found as great a one."""
        name = self._tests[claim.test].name
        known = self._views.properties.records[name].value
        if value <= (LEAST_VALUE if known is None else known):
            return
        payload: ValueRaised = {
            "property": name,
            **self._reproducer(claim.sequence),
            "gasUsed": gas_used,
            "value": str(value),
        }
        yield Report("ValueRaised", payload, claim.worker)

    def _shrunk(
        self, worker: int, progress: ShrinkProgress, dispute: Dispute | None
    ) -> Iterator[Report]:
        name = progress.finding or self._tests[progress.test].name
        record = self._views.properties.records[name]
        reason, value = progress.reason or record.reason, progress.value
        if dispute is not None and dispute.verdict is not None:
            reason, value = dispute.verdict.reason, dispute.verdict.value
        elif dispute is not None:
            # The reproducer that was confirmed stays; to go on would find the same.
            confirmed = self._codec.sequence(record.calls or ())
            progress = replace(progress, sequence=confirmed, done=True)
            reason, value = record.reason, record.value
        if progress.shorter or progress.done:
            reproducer = self._reproducer(progress.sequence)
            payload: ReproducerShrunk = {
                "property": name,
                "counterexample": reproducer["counterexample"],
                "calls": reproducer["calls"],
                "attempts": progress.attempts,
                "done": progress.done,
                "reason": reason,
            }
            if value is not None:
                payload["value"] = str(value)
            yield Report("ReproducerShrunk", payload, worker)

    def _reproducer(self, sequence: bytes) -> _Reproducer:
        calls = split(sequence)
        return {
            "counterexample": [self._codec.text(call) for call in calls],
            "calls": [self._codec.to_json(call) for call in calls],
        }

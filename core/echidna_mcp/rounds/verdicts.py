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
    ReproducerConfirmed,
    ReproducerShrunk,
    ValueRaised,
)
from echidna_mcp.rounds.call_codec import CallCodec, split
from echidna_mcp.rounds.confirmation import Claim, Ruling, falsified, shrunk
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
        self, results: Sequence[RoundResult], rulings: Sequence[Ruling]
    ) -> Iterator[Report]:
        """Yield what a round reports.

        Args:
            results: in worker order.
            rulings: what the reference EVM says of them.
        """
        ruled = {ruling.claim: ruling for ruling in rulings}
        yield from self._disputes(rulings)
        yield from self._falsified(results, ruled)
        for result in results:
            for progress in result.shrunk:
                claim = shrunk(result.worker, progress)
                ruling = None if claim is None else ruled.get(claim)
                yield from self._shrunk(result.worker, progress, ruling)

    def _disputes(self, rulings: Sequence[Ruling]) -> Iterator[Report]:
        """Report the first dispute about a test: more of them would fill the store."""
        for ruling in rulings:
            claim = ruling.claim
            name = self._tests[claim.test].name
            dispute = self._views.properties.records[name].dispute
            if dispute is not None or not ruling.is_dispute:
                continue
            payload: FalsificationDisputed = {
                "property": name,
                **self._reproducer(claim.sequence),
                "backend": ruling.backend,
                "claim": claim.text,
                "reference": ruling.reference,
                "answer": ruling.answer,
            }
            yield Report("FalsificationDisputed", payload, claim.worker)

    def _falsified(
        self, results: Sequence[RoundResult], ruled: Mapping[Claim, Ruling]
    ) -> Iterator[Report]:
        """Report each test once, with the shortest sequence that is not refuted."""
        reported = set()
        for claim in falsified(results):
            ruling = ruled.get(claim)
            found = claim if ruling is None else ruling.verdict
            if found is None or claim.subject in reported:
                continue
            assert found.gas_used is not None, "whoever falsifies knows the gas"
            reported.add(claim.subject)
            if found.value is not None:
                for report in self._raised(claim, found.value, found.gas_used):
                    yield report
                    yield from _confirmed(report.payload["property"], ruling)
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
                yield from _confirmed(payload["property"], ruling)

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
        self, worker: int, progress: ShrinkProgress, ruling: Ruling | None
    ) -> Iterator[Report]:
        name = progress.finding or self._tests[progress.test].name
        record = self._views.properties.records[name]
        reason, value = progress.reason or record.reason, progress.value
        if ruling is not None and ruling.verdict is not None:
            reason, value = ruling.verdict.reason, ruling.verdict.value
        elif ruling is not None:
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
            yield from _confirmed(name, ruling)

    def _reproducer(self, sequence: bytes) -> _Reproducer:
        calls = split(sequence)
        return {
            "counterexample": [self._codec.text(call) for call in calls],
            "calls": [self._codec.to_json(call) for call in calls],
        }


def _confirmed(name: str, ruling: Ruling | None) -> Iterator[Report]:
    """Report what the reference has said of the reproducer reported last, if it did.

    Args:
        name: of the finding.
        ruling: on the claim that was reported; None if none was asked for.
    """
    testimony = None if ruling is None else ruling.testimony
    if ruling is None or testimony is None or testimony.verdict is None:
        return
    verdict = testimony.verdict
    payload: ReproducerConfirmed = {
        "property": name,
        "reference": ruling.reference,
        "reason": verdict.reason,
        "gasUsed": verdict.gas_used,
        "calls": [call.to_json() for call in testimony.calls],
    }
    if ruling.version:
        payload["version"] = ruling.version
    if verdict.value is not None:
        payload["value"] = str(verdict.value)
    yield Report("ReproducerConfirmed", payload, ruling.claim.worker)

"""Tests: which have been falsified, and how far each reproducer has been shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import (
    Call,
    FalsificationDisputed,
    PropertyFalsified,
    ReproducerConfirmed,
    ReproducerShrunk,
    RoundCommitted,
    Site,
    ValueRaised,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echidna_mcp.events.event import Event, NewEvent
    from echidna_mcp.program.target import TestCase


class PropertyState(Enum):
    """The states of a test; the values are what a person reads."""

    OPEN = "open"
    SHRINKING = "shrinking"
    SOLVED = "solved"


@dataclass(slots=True, kw_only=True)
class PropertyRecord:
    """One test and its reproducer, or another finding of a test and its own.

    Attributes:
        name: of the test; another finding has a number behind it.
        test: name of the test.
        goes_on: whether the test is searched for other findings when it has one.
        finding: id of the finding; empty if there is none, or if nobody gave it one.
        site: where it fails; None if that was not looked for.
        calls: the reproducer as JSON calls; None while the test is open.
        counterexample: the same as Solidity-like text.
        cursor, improved, attempts: progress of shrinking (`rounds.shrinking`).
        falsified_at: round of the first falsification.
        confirmation: payload of `ReproducerConfirmed`; None if there is none, as in
            campaigns of earlier versions.
        dispute: payload of `FalsificationDisputed`, if two EVMs disagree on the test.
        maximizes: whether it is an optimization test, which always stays open; its
            reproducer is what has led to `value`.
        value: the greatest value so far; None of others, or if it has none.
        is_shrunk: whether shrinking of what led to `value` has ended.
    """

    name: str
    test: str
    goes_on: bool = False
    maximizes: bool = False
    finding: str = ""
    site: Site | None = None
    state: PropertyState = PropertyState.OPEN
    calls: Sequence[Call] | None = None
    counterexample: tuple[str, ...] = ()
    reason: str = ""
    falsified_at: int | None = None
    confirmation: ReproducerConfirmed | None = None
    dispute: FalsificationDisputed | None = None
    cursor: int = 0
    improved: bool = False
    attempts: int = 0
    value: int | None = None
    is_shrunk: bool = False

    @property
    def sequence(self) -> Sequence[Call]:
        """The reproducer, or else the sequence that is disputed; often empty."""
        if self.calls is None and self.dispute is not None:
            return self.dispute["calls"]
        return self.calls or ()


class PropertyView:
    """All tests by name, in selector order; then further findings, as they came.

    Args:
        tests: the tests.
        sites: whether assertion tests have a finding for each site at which they fail.

    Attributes:
        round: the last one that has falsified a test or raised a value.
    """

    def __init__(self, tests: Sequence[TestCase], *, sites: bool = False) -> None:
        self.records = {
            test.name: PropertyRecord(
                name=test.name,
                test=test.name,
                goes_on=sites and test.kind == "assertion",
                maximizes=test.kind == "optimization",
            )
            for test in tests
        }
        self.round = 0

    @property
    def searched(self) -> list[PropertyRecord]:
        """The tests that sequences are judged by, in selector order."""
        return [
            r
            for r in self.records.values()
            if r.name == r.test and (r.goes_on or r.state is PropertyState.OPEN)
        ]

    @property
    def sites(self) -> set[tuple[str, str]]:
        """Tests, and keys of the sites at which they are known to fail."""
        records = self.records.values()
        return {(r.test, r.site["key"]) for r in records if r.site is not None}

    def in_state(self, state: PropertyState) -> list[PropertyRecord]:
        """Return the tests in one state, in selector order."""
        return [r for r in self.records.values() if r.state is state]

    @property
    def disputed(self) -> list[PropertyRecord]:
        """The open tests that the searching EVM falsifies, and the reference not."""
        return [r for r in self.in_state(PropertyState.OPEN) if r.dispute is not None]

    @property
    def falsified(self) -> list[PropertyRecord]:
        """The tests that have a reproducer, but for those that maximize."""
        found = [r for r in self.records.values() if r.calls is not None]
        return [each for each in found if not each.maximizes]

    @property
    def raised(self) -> list[PropertyRecord]:
        """The optimization tests that have a value."""
        return [r for r in self.records.values() if r.value is not None]

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        match event.type:
            case "PropertyFalsified":
                self.round = event.round
                falsified = cast("PropertyFalsified", event.payload)
                record = self._found(falsified)
                record.state = PropertyState.SHRINKING
                record.falsified_at = event.round
                _take_reproducer(record, falsified)
                record.reason = falsified["reason"]
            case "ValueRaised":
                self.round = event.round
                raised = cast("ValueRaised", event.payload)
                record = self.records[raised["property"]]
                _take_reproducer(record, raised)
                record.value = int(raised["value"])
                record.reason = f"value {record.value}"
                record.cursor = record.attempts = 0
                record.improved = record.is_shrunk = False
            case "ReproducerConfirmed":
                confirmed = cast("ReproducerConfirmed", event.payload)
                self.records[confirmed["property"]].confirmation = confirmed
            case "FalsificationDisputed":
                disputed = cast("FalsificationDisputed", event.payload)
                self.records[disputed["property"]].dispute = disputed
            case "ReproducerShrunk":
                shrunk = cast("ReproducerShrunk", event.payload)
                record = self.records[shrunk["property"]]
                _take_reproducer(record, shrunk)
                record.reason = shrunk["reason"]
                record.attempts = shrunk["attempts"]
                if "value" in shrunk:
                    record.value = int(shrunk["value"])
                if shrunk["done"]:
                    record.is_shrunk = True
                if shrunk["done"] and not record.maximizes:
                    record.state = PropertyState.SOLVED
            case "RoundCommitted":
                self._go_on_shrinking(cast("RoundCommitted", event.payload))

    def _go_on_shrinking(self, payload: RoundCommitted) -> None:
        for progress in payload["shrinking"]:
            record = self.records[progress["property"]]
            record.cursor = progress["cursor"]
            record.improved = progress["improved"]
            record.attempts = progress["attempts"]

    def _found(self, payload: PropertyFalsified) -> PropertyRecord:
        """Return the record of a finding; make one if it is not the first of a test."""
        name = payload["property"]
        if "test" in payload:
            test = payload["test"]
            self.records[name] = PropertyRecord(name=name, test=test)
        record = self.records[name]
        record.finding = payload.get("finding", "")
        record.site = payload.get("site")
        return record


def _take_reproducer(
    record: PropertyRecord, payload: PropertyFalsified | ReproducerShrunk | ValueRaised
) -> None:
    if record.calls != payload["calls"]:
        record.confirmation = None  # It was about another sequence.
    record.calls = payload["calls"]
    record.counterexample = tuple(payload["counterexample"])

"""Tests: which have been falsified, and how far each reproducer has been shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import (
    Call,
    FalsificationDisputed,
    PropertyFalsified,
    ReproducerShrunk,
    RoundCommitted,
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
    """One test and its reproducer.

    Attributes:
        calls: the reproducer as JSON calls; None while the test is open.
        counterexample: the same as Solidity-like text.
        cursor, improved, attempts: progress of shrinking (`rounds.shrinking`).
        falsified_at: round of the first falsification.
        dispute: payload of `FalsificationDisputed`, if two EVMs disagree on the test.
        maximizes: whether it is an optimization test, which always stays open; its
            reproducer is what has led to `value`.
        value: the greatest value so far; None of others, or if it has none.
        is_shrunk: whether shrinking of what led to `value` has ended.
    """

    name: str
    maximizes: bool = False
    state: PropertyState = PropertyState.OPEN
    calls: Sequence[Call] | None = None
    counterexample: tuple[str, ...] = ()
    reason: str = ""
    falsified_at: int | None = None
    dispute: FalsificationDisputed | None = None
    cursor: int = 0
    improved: bool = False
    attempts: int = 0
    value: int | None = None
    is_shrunk: bool = False


class PropertyView:
    """All tests by name, in selector order."""

    def __init__(self, tests: Sequence[TestCase]) -> None:
        self.records = {
            test.name: PropertyRecord(
                name=test.name, maximizes=test.kind == "optimization"
            )
            for test in tests
        }

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
                falsified = cast("PropertyFalsified", event.payload)
                record = self.records[falsified["property"]]
                record.state = PropertyState.SHRINKING
                record.falsified_at = event.round
                _take_reproducer(record, falsified)
                record.reason = falsified["reason"]
            case "ValueRaised":
                raised = cast("ValueRaised", event.payload)
                record = self.records[raised["property"]]
                _take_reproducer(record, raised)
                record.value = int(raised["value"])
                record.reason = f"value {record.value}"
                record.cursor = record.attempts = 0
                record.improved = record.is_shrunk = False
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
                committed = cast("RoundCommitted", event.payload)
                for progress in committed["shrinking"]:
                    record = self.records[progress["property"]]
                    record.cursor = progress["cursor"]
                    record.improved = progress["improved"]
                    record.attempts = progress["attempts"]


def _take_reproducer(
    record: PropertyRecord, payload: PropertyFalsified | ReproducerShrunk | ValueRaised
) -> None:
    record.calls = payload["calls"]
    record.counterexample = tuple(payload["counterexample"])

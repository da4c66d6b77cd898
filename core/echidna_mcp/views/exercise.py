"""Which functions calls get through: a test whose premise never held proves nothing.

A property is evaluated before the first call and after each one that succeeded. An
assertion in a function is reached by calls that get there, and what gets nowhere near
its end may well stop before it. So a test is *not exercised* if no call succeeded, of
its function or, where it is about all of them, at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from echidna_mcp.events.payloads import (
    CheatcodeRefused,
    RoundCommitted,
    TransactionExecuted,
)
from echidna_mcp.evm.backend import Status
from echidna_mcp.program.target import ASKED
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from echidna_mcp.config.campaign import CampaignConfig
    from echidna_mcp.events.event import Event, NewEvent
    from echidna_mcp.program.target import FuzzTarget, TestCase

DISCARDED: Final = "discarded by vm.assume"
SKIPPED: Final = "skipped"
"""Reasons of calls that asked to be passed over; that of a skipped one goes on with
what it says."""

_MOST_REASONS = 64
"""Of each function; a contract can give endlessly many."""


@dataclass(slots=True)
class GasSample:
    """Gas of the sampled calls of a function that succeeded.

    Attributes:
        calls: how many there are; without one the others are 0.
        least, most, total: gas, with intrinsic gas and after refunds.
    """

    calls: int = 0
    least: int = 0
    most: int = 0
    total: int = 0

    def add(self, gas: int) -> None:
        """Take in one call."""
        self.least = min(self.least, gas) if self.calls else gas
        self.most = max(self.most, gas)
        self.total += gas
        self.calls += 1


class ExerciseView:
    """Failures and their sampled reasons by signature of the function, and gas.

    Attributes:
        refused: why cheatcodes do not work that were called, by their signature and by
            the function or property that called them; nothing for the deployment.
        discarded: calls that `vm.assume` or `vm.skip` discarded, by signature.
        known: whether all rounds tell which functions failed; those of versions before
            0.3 did not.
        gas: by signature, of the calls that samples tell of.
    """

    def __init__(self) -> None:
        self.known = True
        self.refused: dict[tuple[str, str], str] = {}
        self.discarded: Counter[str] = Counter()
        self.gas: dict[str, GasSample] = {}
        self._failed: Counter[str] = Counter()
        self._reasons: dict[str, Counter[str]] = {}

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        match event.type:
            case "RoundCommitted":
                committed = cast("RoundCommitted", event.payload)
                self._failed.update(committed.get("failed", {}))
                self.discarded.update(committed.get("discarded", {}))
                self.known = self.known and "failed" in committed
            case "CheatcodeRefused":
                told = cast("CheatcodeRefused", event.payload)
                self.refused[told["cheatcode"], told["place"]] = told["reason"]
            case "TransactionExecuted":
                executed = cast("TransactionExecuted", event.payload)
                if Status[executed["result"]].succeeded:
                    sample = self.gas.setdefault(executed["function"], GasSample())
                    sample.add(executed["gasUsed"])
                else:
                    self._remember(executed)

    def _remember(self, executed: TransactionExecuted) -> None:
        reasons = self._reasons.setdefault(executed["function"], Counter())
        reason = executed.get("reason") or executed["result"]
        if reason in reasons or len(reasons) < _MOST_REASONS:
            reasons[reason] += 1

    def why_not(
        self, test: TestCase, executed: Mapping[str, int], target: FuzzTarget
    ) -> str | None:
        """Return why a test was not exercised; None if it was, or nobody knows.

        Args:
            test: it.
            executed: calls by signature (`ProgressView.functions`).
            target: whose test it is.
        """
        config = target.config
        if not self.known:
            return None
        if not config.ignore_refused:
            for (cheatcode, place), refusal in self.refused.items():
                if self._concerns(test, place, target):
                    where = f"{place or 'the deployment'} calls"
                    return f"{where} vm.{cheatcode}, which {refusal}".rstrip(".")
        if config.of_foundry and test.kind == "assertion":
            return self._foundry_why_not(test.name, executed, config)
        if test.kind == "discards":
            return None
        what = "calls"
        if test.kind == "assertion":
            what = f"calls of {test.name}"
            executed = {test.name: executed.get(test.name, 0)}
        return self._idle(what, executed)

    def _foundry_why_not(
        self, name: str, executed: Mapping[str, int], config: CampaignConfig
    ) -> str | None:
        """Return the same for a stateless test of Foundry.

        A function of a handler is no test of its author's, but where calls may show a
        failure.
        """
        if config.checks("invariant") or self.skipped(name) is not None:
            return None
        if self.discarded[name] > config.max_rejects:
            discarded = counted(self.discarded[name], "input")
            return f"vm.assume discarded {discarded} (max_test_rejects)"
        return self._idle(f"calls of {name}", {name: executed.get(name, 0)})

    def _idle(self, what: str, executed: Mapping[str, int]) -> str | None:
        """Return that no call succeeded, if so, of those executed by signature."""
        calls = sum(executed.values())
        if not calls:
            return f"there were no {what}"
        if self.succeeded(executed):
            return None
        reason = self.usual_reason(executed)
        often = "" if reason is None else f", most often with: {reason}"
        return f"all {what} failed ({counted(calls, 'call')}){often}"

    def reverted(self, function: str) -> int:
        """Return how many calls of a function failed and were not discarded."""
        return self._failed[function] - self.discarded[function]

    def skipped(self, function: str) -> str | None:
        """Return why a test of Foundry was skipped; None if it was not."""
        reason = self.usual_reason([function]) or ""
        return reason if reason.startswith(SKIPPED) else None

    @staticmethod
    def _concerns(test: TestCase, place: str, target: FuzzTarget) -> bool:
        """Whether a test is not exercised because of a refusal at a place.

        A property is about the state that all functions leave behind, and another
        property leaves none.
        """
        if not place or place == test.name:
            return True
        other = target.test_index.get(place)
        is_asked = other is not None and target.tests[other].kind in ASKED
        return test.kind != "assertion" and not is_asked

    def succeeded(self, executed: Mapping[str, int]) -> bool:
        """Whether a call succeeded, of those that were executed by signature."""
        return any(self._failed[name] < count for name, count in executed.items())

    def reasons(self, function: str) -> list[tuple[str, int]]:
        """Return why sampled calls of a function failed, and how many: most first."""
        found = self._reasons.get(function, Counter())
        return sorted(found.items(), key=lambda each: (-each[1], each[0]))

    def usual_reason(self, functions: Iterable[str]) -> str | None:
        """Return why most of the failed calls of functions did; None if nobody knows.

        Args:
            functions: signatures.
        """
        reasons: Counter[str] = Counter()
        for function in functions:
            reasons.update(self._reasons.get(function, {}))
        # The most frequent one; of several the first in order of text.
        return min(reasons, key=lambda text: (-reasons[text], text), default=None)

"""A second execution of a sequence, on the reference EVM, with all that frames do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from echidna_mcp.evm.backend import CallResult, Message, Watch
from echidna_mcp.evm.outside import Outside
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.program.target import ASKED, TestCase
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.caller import Called, Caller
from echidna_mcp.rounds.deployment import deploy, empty_world
from echidna_mcp.rounds.judge import Judge, Verdict
from echidna_mcp.views.campaign import CampaignViews

_WATCH: Final = Watch(coverage=True, frames=True)


@dataclass(frozen=True, slots=True)
class Made:
    """A message that was made, and what it did."""

    message: Message
    result: CallResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What a sequence did.

    Attributes:
        calls: as `Trace.messages`.
        question: as `Trace.question`.
        verdict: of the test; None if it holds, or if there is none.
    """

    calls: tuple[Made | None, ...]
    question: Made | None
    verdict: Verdict | None


class Rerun:
    """The target of a campaign, deployed on the reference of its EVM.

    Attributes:
        deployment: the results of what was deployed, in order.
    """

    def __init__(self, views: CampaignViews, backend: BackendPlugin) -> None:
        """Deploy.

        Args:
            views: the fold of the campaign, with all answers of the outside.
            backend: what it ran on.

        Raises:
            DeploymentError: the deployment fails, as it has not for the campaign.
        """
        target, reference = views.target, backend.trusted
        reference.load()
        self._target = target
        self._evm = empty_world(reference, target, Outside(views.outside.answers))
        self.deployment = deploy(self._evm, target, _WATCH)
        self._start = self._evm.snapshot()
        self._codec = CallCodec(target)
        self._caller = Caller(target, self._codec, self._evm)
        self._judge = Judge(target, self._evm)

    def run(
        self, calls: Iterable[Mapping[str, Any]], test: TestCase | None = None
    ) -> Execution:
        """Run a sequence from the start state.

        Args:
            calls: as events have them.
            test: judged at its end.
        """
        self._evm.restore(self._start)
        self._caller.begin()
        watch = replace(self._caller.watch, coverage=True, frames=True)
        sequence, at = bytearray(self._codec.sequence(calls)), 0
        made: list[Made | None] = []
        last: Called | None = None
        while at < len(sequence):
            message = self._caller.aim(sequence, at)
            if message is None:
                made.append(None)
            else:
                result = self._evm.call(message, watch)
                last = self._caller.made(message, result)
                made.append(Made(message, result))
            at += call_length(sequence, at)
        if test is None:
            return Execution(calls=tuple(made), question=None, verdict=None)
        return Execution(
            calls=tuple(made),
            question=self._asked(test, last),
            verdict=self._judge.falsified(test, last),
        )

    def _asked(self, test: TestCase, last: Called | None) -> Made | None:
        """Make the call by which a test is judged, if there is one; undo it."""
        if test.kind not in ASKED:
            return None
        failed = last is not None and not last.result.status.succeeded
        if failed and test.kind in ("property", "invariant"):
            return None
        message = self._judge.question(test)
        before = self._evm.snapshot()
        result = self._evm.call(message, _WATCH)
        self._evm.restore(before)
        return Made(message, result)

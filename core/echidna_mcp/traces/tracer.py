"""Traces of what a campaign has stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from echidna_mcp.evm.backend import CallResult
from echidna_mcp.program.target import TestCase
from echidna_mcp.reports.confirmations import confirmation_text
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.failures.failure_path import failing_frames
from echidna_mcp.traces.decoding import Decoder
from echidna_mcp.traces.execution import Made, Rerun
from echidna_mcp.traces.model import MessageTrace, SourceLine, Trace
from echidna_mcp.traces.names import Names
from echidna_mcp.traces.source import FailureFinder
from echidna_mcp.views.campaign import CampaignViews


def findings(views: CampaignViews) -> list[str]:
    """Return the tests that have a reproducer: falsified ones, then disputed ones."""
    properties = views.properties
    return [each.name for each in (*properties.falsified, *properties.disputed)]


def stored_calls(views: CampaignViews, name: str) -> Sequence[Mapping[str, Any]]:
    """Return the reproducer of a test, falsified or disputed."""
    return views.properties.records[name].sequence


class Tracer:
    """Executes sequences of one campaign again, and tells what they do.

    Attributes:
        rerun: what executes them.
    """

    def __init__(self, views: CampaignViews, backend: BackendPlugin) -> None:
        """Deploy the target on the reference.

        Args:
            views: the fold of the campaign.
            backend: what it ran on.

        Raises:
            DeploymentError: the deployment fails, as it has not for the campaign.
        """
        self._views = views
        self.rerun = Rerun(views, backend)
        self._finder = FailureFinder(views.target.program)

    def of_test(self, name: str) -> Trace:
        """Return the trace of the reproducer of a test, falsified or disputed."""
        views = self._views
        said = confirmation_text(views, views.properties.records[name])
        return self.of_calls(name, stored_calls(views, name), views.test_of(name), said)

    def of_corpus(self, entry: int) -> Trace:
        """Return the trace of a sequence of the corpus."""
        return self.of_calls(f"corpus {entry}", self._views.corpus.entries[entry].calls)

    def of_calls(
        self,
        subject: str,
        calls: Iterable[Mapping[str, Any]],
        test: TestCase | None = None,
        confirmation: str = "",
    ) -> Trace:
        """Return the trace of any sequence, and of how a test is judged at its end.

        Args:
            subject, confirmation: as those of a `Trace`.
            calls: as events have them.
            test: what is judged.
        """
        target = self._views.target
        execution = self.rerun.run(calls, test)
        # A name that is given late is used from the beginning on.
        names = Names(target)
        messages = [each for each in execution.calls if each is not None]
        asked = [execution.question] if execution.question else []
        results = [each.result for each in (*messages, *asked)]
        preimages: dict[int, bytes] = {}
        for result in (*self.rerun.deployment, *results):
            preimages |= result.preimages
            if result.frame is not None:
                names.learn(result.frame)
        telling = _Telling(Decoder(target, names, preimages), names, self._finder)
        deployer = target.config.deployer
        verdict = execution.verdict
        return Trace(
            subject=subject,
            reason="" if verdict is None else verdict.reason,
            deployment=tuple(
                telling.message(result, deployer) for result in self.rerun.deployment
            ),
            messages=tuple(
                None if each is None else telling.made(each) for each in execution.calls
            ),
            question=None
            if execution.question is None
            else telling.made(execution.question),
            confirmation=confirmation,
        )


class _Telling:
    """Tells of messages."""

    def __init__(self, decoder: Decoder, names: Names, finder: FailureFinder) -> None:
        self._decoder = decoder
        self._names = names
        self._finder = finder

    def made(self, made: Made) -> MessageTrace:
        """Return a message and what it did."""
        message = made.message
        return self.message(
            made.result, message.sender, message.time_delay, message.block_delay
        )

    def message(
        self,
        result: CallResult,
        sender: int,
        time_delay: int = 0,
        block_delay: int = 0,
    ) -> MessageTrace:
        """Return what a message did."""
        frame = result.frame
        return MessageTrace(
            call=None if frame is None else self._decoder.call(frame),
            sender=sender,
            time_delay=time_delay,
            block_delay=block_delay,
            status=result.status,
            gas_used=result.gas_used,
            failure=self._failure(result),
        )

    def _failure(self, result: CallResult) -> tuple[SourceLine, ...]:
        """Return where a message failed, in all frames on the way to that."""
        found: list[SourceLine] = []
        for frame in reversed(failing_frames(result.frame)):
            contract = self._names.contract_of(frame.code)
            if contract is not None:
                found += self._finder.places(frame, contract)
        return tuple(found)

"""What stored sequences do, for readers: traces and Foundry tests.

The search keeps nothing for them, so a sequence is executed once more, on the
reference, in a thread of the server: the campaign runs in another process, and learns
nothing of it. Whoever asks again is told what was found out then.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.background import begin
from echidna_mcp.errors import EchidnaMcpError, ToolTimeoutError, UsageError
from echidna_mcp.tools.size import ANSWER_BYTES, json_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.exports.foundry import TestFile
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.traces.tracer import Tracer
    from echidna_mcp.views.campaign import CampaignViews

TRACE_BYTES: Final = 20_000
"""Of a trace: half of an answer, for it stands beside what it is the trace of."""

_REMEMBERED: Final = 64
"""Sequences; each takes up to 60 KB."""
_MOST_WAITING: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """What a sequence does.

    Attributes:
        trace: as `trace_document` makes it, without the deployment, abridged.
        foundry: the sequence as a Foundry test; None if it can't be told so.
        obstacle: why not, in a sentence; empty if it can.
    """

    trace: dict[str, Any]
    foundry: TestFile | None
    obstacle: str


class Retelling:
    """Executes the sequences of one campaign again, one at a time, and remembers.

    All methods belong to one event loop.

    Args:
        views: the fold of the campaign, which may go on.
        backend: what it runs on; None if nothing can be executed.
    """

    def __init__(
        self, views: CampaignViews, backend: BackendPlugin | None = None
    ) -> None:
        self._views = views
        self._backend = backend
        self._tracer: Tracer | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._known: OrderedDict[str | int, _Known] = OrderedDict()

    async def retold(self, subject: str | int) -> Retold:
        """Return what a sequence does.

        If whoever waits for it gives up, it is found out all the same.

        Args:
            subject: name of a test or finding that has a reproducer, or number of a
                sequence of the corpus.

        Raises:
            EchidnaMcpError: it can't be executed, or too many others wait to be.
        """
        calls = _calls(self._views, subject)
        known = self._known.get(subject)
        if known is None or known.calls is not calls or known.failed:
            known = _Known(calls, self._begin(subject, calls))
            self._known[subject] = known
        self._known.move_to_end(subject)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return await asyncio.shield(known.task)

    def _begin(
        self, subject: str | int, calls: Sequence[Mapping[str, Any]]
    ) -> asyncio.Task[Retold]:
        if self._backend is None:
            raise EchidnaMcpError("There is no EVM here that could execute it again.")
        if self._waiting >= _MOST_WAITING:
            raise ToolTimeoutError(
                f"{self._waiting} other sequences are to be executed again first; "
                "try again in some seconds."
            )
        self._waiting += 1
        still = _still(self._views, subject)
        work = self._in_turn(self._backend, still, subject, calls)
        task = asyncio.create_task(work, name=f"retelling {subject}")
        # Whoever has given up does not look at its error.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        return task

    async def _in_turn(
        self,
        backend: BackendPlugin,
        views: CampaignViews,
        subject: str | int,
        calls: Sequence[Mapping[str, Any]],
    ) -> Retold:
        try:
            async with self._turn:
                work = begin(
                    lambda: self._execute(backend, views, subject, calls), "retelling"
                )
                return await asyncio.wrap_future(work)
        finally:
            self._waiting -= 1

    def _execute(
        self,
        backend: BackendPlugin,
        views: CampaignViews,
        subject: str | int,
        calls: Sequence[Mapping[str, Any]],
    ) -> Retold:
        """Execute a sequence: in a thread, which nobody shares with it."""
        from echidna_mcp.exports.foundry import foundry_test  # noqa: PLC0415 (slow imports)
        from echidna_mcp.exports.reproducer import reproducer_of  # noqa: PLC0415
        from echidna_mcp.reports.confirmations import confirmation_text  # noqa: PLC0415
        from echidna_mcp.traces.abridging import abridged  # noqa: PLC0415
        from echidna_mcp.traces.document import trace_document  # noqa: PLC0415
        from echidna_mcp.traces.tracer import Tracer  # noqa: PLC0415

        if self._tracer is None:
            self._tracer = Tracer(views, backend)
        if isinstance(subject, int):
            trace = self._tracer.of_calls(f"corpus {subject}", calls)
        else:
            said = confirmation_text(views, views.properties.records[subject])
            test = views.test_of(subject)
            trace = self._tracer.of_calls(subject, calls, test, said)
        foundry, obstacle = None, ""
        try:
            reproducer = reproducer_of(views, self._tracer.rerun, subject)
            foundry = foundry_test(views.target, reproducer)
        except UsageError as error:
            obstacle = error.message
        if foundry is not None and len(foundry.text.encode()) > ANSWER_BYTES:
            foundry = None
            obstacle = "It is too long to be sent; `echidna-mcp export` writes it."
        document = trace_document(trace, deployment=False)
        return Retold(
            trace=abridged(document, TRACE_BYTES, json_size),
            foundry=foundry,
            obstacle=obstacle,
        )


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a sequence, or is being found out; and of which calls."""

    calls: Sequence[Mapping[str, Any]]
    task: asyncio.Task[Retold]

    @property
    def failed(self) -> bool:
        """Whether it is to be tried once more."""
        return self.task.done() and (
            self.task.cancelled() or self.task.exception() is not None
        )


def _calls(views: CampaignViews, subject: str | int) -> Sequence[Mapping[str, Any]]:
    """Return a stored sequence; the same object as long as it is the same."""
    if isinstance(subject, int):
        return views.corpus.entries[subject].calls
    return views.properties.records[subject].sequence


def _still(views: CampaignViews, subject: str | int) -> CampaignViews:
    """Return the campaign with a finding that stays as it is now.

    The event loop goes on folding events while the thread reads.
    """
    still = copy(views)
    if isinstance(subject, str):
        still.properties = copy(views.properties)
        still.properties.records = {subject: copy(views.properties.records[subject])}
    return still

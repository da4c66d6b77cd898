"""The server's end: start the campaign process, follow its store, send commands.

A campaign process that dies is started again from the store. What is lost is the round
that was open; agents stay connected and notice a `CampaignResumed` event.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from echidna_mcp.errors import (
    CampaignTerminatedError,
    EchidnaMcpError,
    StoreError,
    TargetError,
)
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_messages import (
    Accepted,
    CampaignSpec,
    Committed,
    FromCampaign,
    Refused,
    RequestStop,
    SubmitCommand,
)
from echidna_mcp.tools.tool import Receipt
from echidna_mcp.views.campaign import CampaignViews

_RESTARTS_WITHOUT_PROGRESS = 3
_END_SECONDS = 30.0

Follower = Callable[[Sequence[Event]], None]
"""Folds committed events; called in the event loop, in order."""

logger = logging.getLogger(__name__)


class CampaignLink:
    """A running campaign as the server sees it; the `CommandPort` of its tools.

    Use `start`, then `views`. All methods belong to the event loop.

    Args:
        spec: the campaign.
        child: a process that has been told of it; None to start one now.
    """

    def __init__(self, spec: CampaignSpec, child: CampaignChild | None = None) -> None:
        self._spec = spec
        self._first_child = child
        self.views: CampaignViews
        self._followers: list[Follower] = []
        self._seq = 0
        self._store: EventStore | None = None
        self._tickets = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Receipt]] = {}
        self._failures = 0
        self._failure_round = -1
        self._closing = False
        self._stop_reason: str | None = None
        self._listening = asyncio.Event()
        """Set while the campaign process takes commands."""
        self._silent = asyncio.Event()
        """Set when the campaign process has closed its end of the pipe."""
        self.ended = asyncio.Event()
        """Set when the campaign has ended, for whatever reason."""
        self._ready: asyncio.Future[None] | None = None

    # --------------------------------------------------------------- life cycle

    async def start(self) -> None:
        """Start the campaign and wait for its first commit.

        Raises:
            EchidnaMcpError: it can't start; the message says why.
        """
        self._ready = asyncio.get_running_loop().create_future()
        self._attend(self._first_child or self._new_child(self._spec))
        await self._ready

    def follow(self, follower: Follower) -> None:
        """Let `follower` fold everything stored so far, and all that comes."""
        assert self._store is not None
        # Not further: what has come since, `_catch_up` passes on.
        follower(tuple(self._store.read(limit=self._seq)))
        self.follow_from_now(follower)

    def follow_from_now(self, follower: Follower) -> None:
        """Let `follower` fold all that is stored from now on."""
        self._followers.append(follower)

    async def close(self) -> None:
        """Ask the campaign to end and wait until it has."""
        self._closing = True
        try:
            if self._store is None:
                self._process.kill()  # Nothing is committed, so nothing can be lost.
            self._send(RequestStop("Killed"))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._silent.wait(), _END_SECONDS)
            await asyncio.to_thread(self._process.join, _END_SECONDS)
        finally:  # It takes too long, or who waits is interrupted again.
            self._process.kill()
            self._process.join()
            self._hang_up()
        if self._store is not None:
            self._catch_up()
            self._store.close()
            # The campaign has closed before us, and who only reads leaves the log of
            # SQLite beside the database. Who may write moves it in.
            with contextlib.suppress(StoreError):
                EventStore.open(self._spec.store).close()

    def request_stop(self, reason: str) -> None:
        """Ask for the end of the campaign; `reason` as in `StopReason`."""
        self._stop_reason = reason
        self._send(RequestStop(reason))

    def _new_child(self, spec: CampaignSpec) -> CampaignChild:
        child = CampaignChild()
        child.begin(spec)
        return child

    def _attend(self, child: CampaignChild) -> None:
        self._process, self._connection = child.process, child.connection
        self._silent.clear()
        # In the event loop itself: a thread that passes messages on would have to be
        # woken first, and so would the loop then. No message is longer than a line.
        asyncio.get_running_loop().add_reader(self._connection.fileno(), self._read)

    def _read(self) -> None:
        """Take what the campaign process has sent."""
        while True:
            try:
                if not self._connection.poll():
                    return
                message: FromCampaign = self._connection.recv()
            except (EOFError, OSError):
                break
            self._on_message(message)
        self._hang_up()
        self._silent.set()
        self._on_exit()

    def _hang_up(self) -> None:
        if not self._connection.closed:
            asyncio.get_running_loop().remove_reader(self._connection.fileno())
            self._connection.close()

    # ------------------------------------------------------------------ commands

    async def submit(self, tool: str, args: Mapping[str, Any], message: str) -> Receipt:
        """Queue a command; see `CommandPort.submit`.

        While the campaign process starts again it waits. Who is cancelled by then has
        sent nothing, so that trying again can't do a thing twice.
        """
        self._refuse_if_ended()
        await self._listening.wait()
        self._refuse_if_ended()
        ticket = next(self._tickets)
        future: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting[ticket] = future
        try:
            self._send(SubmitCommand(ticket, tool, dict(args), message))
            return await future
        finally:
            self._waiting.pop(ticket, None)

    def _refuse_if_ended(self) -> None:
        if self.views.progress.stopped is not None or self.ended.is_set():
            raise CampaignTerminatedError

    def _send(self, message: SubmitCommand | RequestStop) -> None:
        with contextlib.suppress(OSError):  # `_on_exit` deals with a dead campaign.
            self._connection.send(message)

    # ------------------------------------------------------------------ messages

    def _on_message(self, message: FromCampaign) -> None:
        match message:
            case Committed():
                self._listening.set()
                self._catch_up()
            case Accepted(ticket, seq, number):
                self._catch_up()
                self._resolve(ticket, Receipt(seq, number))
            case Refused(None, text):
                self._on_refused(TargetError(text))
            case Refused(ticket, text, terminated):
                kind = CampaignTerminatedError if terminated else StoreError
                self._resolve(ticket, kind(text))

    def _on_refused(self, error: EchidnaMcpError) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
        else:
            logger.error("%s", error.message)

    def _resolve(self, ticket: int | None, answer: Receipt | EchidnaMcpError) -> None:
        future = self._waiting.get(ticket or 0)
        if future is None or future.done():
            return
        if isinstance(answer, Receipt):
            future.set_result(answer)
        else:
            future.set_exception(answer)

    def _catch_up(self) -> None:
        """Fold what was committed since the last look; tell of a store that fails."""
        try:
            self._fold_news()
        except EchidnaMcpError as error:
            self._on_refused(error)

    def _fold_news(self) -> None:
        if self._store is None:
            self._store = EventStore.read_only(self._spec.store)
        events = tuple(self._store.read(after=self._seq))
        if not events:
            return
        if self._seq == 0:
            self.views = CampaignViews.from_started(events[0])
            rest = events[1:]
        else:
            rest = events
        for event in rest:
            self.views.apply(event)
        self._seq = events[-1].seq
        for follower in self._followers:
            follower(events)
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        if self.views.progress.stopped is not None:
            self.ended.set()

    # --------------------------------------------------------------------- death

    def _on_exit(self) -> None:
        """The campaign process has closed its pipe: it has ended, or it died."""
        self._listening.clear()
        self._process.join(1.0)
        if self._store is not None:
            self._catch_up()
        self._fail_waiting()
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(
                TargetError(
                    "The campaign process ended before its first commit "
                    f"(exit code {self._process.exitcode})."
                )
            )
            return
        if self.ended.is_set() or self._closing or self._store is None:
            self.ended.set()
            return
        self._restart()

    def _restart(self) -> None:
        number = self.views.progress.round
        self._failures = 1 if number > self._failure_round else self._failures + 1
        self._failure_round = number
        if self._failures > _RESTARTS_WITHOUT_PROGRESS:
            logger.error("The campaign process dies again and again; it stays stopped.")
            self.ended.set()
            return
        logger.warning(
            "The campaign process died (exit code %s); it goes on from the store.",
            self._process.exitcode,
        )
        spec = replace(self._spec, program=None, config=None)
        self._attend(self._new_child(spec))
        if self._stop_reason is not None:
            self._send(RequestStop(self._stop_reason))

    def _fail_waiting(self) -> None:
        error: EchidnaMcpError = StoreError(
            "The campaign process died while it took the command; "
            "read_logs shows whether it was accepted."
        )
        if self.ended.is_set():
            error = CampaignTerminatedError()
        for ticket in list(self._waiting):
            self._resolve(ticket, error)

"""The server's end: start the campaign process, follow its store, send commands.

A campaign process that dies is started again from the store. What is lost is the round
that was open; agents stay connected and notice a `CampaignResumed` event.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from echidna_mcp.errors import (
    CampaignTerminatedError,
    DefectError,
    EchidnaMcpError,
    StoreError,
    TargetError,
    ToolTimeoutError,
)
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore
from echidna_mcp.reports.machines import ExecutorStatistics
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_messages import (
    Accepted,
    AtWork,
    CampaignSpec,
    Committed,
    Crashed,
    FromCampaign,
    Opened,
    Refused,
    RequestStop,
    ToCampaign,
)
from echidna_mcp.server.refusals import Refusals
from echidna_mcp.server.sent_commands import SentCommands, undecided
from echidna_mcp.tools.tool import Receipt
from echidna_mcp.views.campaign import CampaignViews

_RESTARTS_WITHOUT_PROGRESS = 3
_END_SECONDS = 30.0
ANSWER_SECONDS = 0.8
"""How long a command may take: less than the deadline of the tools that steer, so that
the answer can say what became of it."""

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
        self._machines: ExecutorStatistics | None = None
        self._store: EventStore | None = None
        self._commands = SentCommands()
        self._refusals = Refusals()
        self._failures = 0
        self._failure_round = -1
        self._closing = False
        self._stop: RequestStop | None = None
        self._listening = asyncio.Event()
        """Set while the campaign process takes commands."""
        self._silent = asyncio.Event()
        """Set when the campaign process has closed its end of the pipe."""
        self.ended = asyncio.Event()
        """Set when the campaign has ended, for whatever reason."""
        self.defect: DefectError | None = None
        """Why the campaign stopped without an end."""
        self._told = False
        """Whether the campaign process said why it ends, and it is no defect."""
        self._cause: str | None = None
        """Why the campaign can't go on, such as a full disk, until it does."""
        self._ready: asyncio.Future[None] | None = None

    @property
    def directory(self) -> Path:
        """Where the campaign lies, once it has started."""
        return self._spec.store.parent

    def machines(self) -> ExecutorStatistics | None:
        """Return what the machines did before the last commit, if there are several."""
        return self._machines

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
        try:
            if self._store is None:
                self._process.kill()  # Nothing is committed, so nothing can be lost.
            self.terminate()
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

    def terminate(self) -> None:
        """Ask the campaign to end, and accept no command from now on."""
        self._closing = True
        self._send(RequestStop("Killed"))

    def request_stop(self, reason: str, *, at_once: bool = False) -> None:
        """Ask for the end of the campaign; see `Director.request_stop`."""
        self._stop = RequestStop(reason, at_once)
        self._send(self._stop)

    def _new_child(self, spec: CampaignSpec) -> CampaignChild:
        child = CampaignChild()
        child.begin(spec)
        return child

    def _attend(self, child: CampaignChild) -> None:
        self._process, self._connection = child.process, child.connection
        self._told = False
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

    async def submit(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        *,
        key: str | None = None,
    ) -> Receipt:
        """Queue a command; see `CommandPort.submit`.

        Who is not answered in time is told whether it was sent. If it was, the same
        call made again is the same command.
        """
        self._refuse_if_ended()
        deadline = asyncio.get_running_loop().time() + ANSWER_SECONDS
        if not self._listening.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self._listening.wait()
            self._refuse_if_ended()
        if not self._listening.is_set():
            raise ToolTimeoutError(
                "The campaign process is starting again, so the command was not "
                "accepted and has no effect; send it again.",
                tool=tool,
                accepted=False,
            )
        now = asyncio.get_running_loop().time()
        sent = self._commands.find(tool, args, key, now)
        if sent is None:
            sent = self._commands.add(tool, args, message, key, now)
            self._send(sent.command)
        sent.callers += 1
        try:
            async with asyncio.timeout_at(deadline):
                return await asyncio.shield(sent.answer)
        except TimeoutError:
            raise undecided(sent) from None
        finally:
            sent.callers -= 1
            self._commands.forget(sent)

    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        """Have a failed call stored; see `CommandPort.refused`."""
        refusal = self._refusals.add(tool, args, code, message)
        if self._silent.is_set() and self.ended.is_set():
            self._store_refusals()
        elif self._listening.is_set():
            self._send(refusal)

    def _store_refusals(self) -> None:
        """Store what no campaign process can store any more; tell of a failure."""
        try:
            self._refusals.store(self._spec.store, self.views.progress.round)
        except EchidnaMcpError as error:
            if self._cause is None:
                self._on_refused(error)
        self._catch_up()

    def _refuse_if_ended(self) -> None:
        stopped = self.views.progress.stopped is not None
        if self._cause is not None:
            raise CampaignTerminatedError(cause=self._cause)
        if stopped or self.ended.is_set() or self._closing:
            raise CampaignTerminatedError

    def _send(self, message: ToCampaign) -> None:
        with contextlib.suppress(OSError):  # `_on_exit` deals with a dead campaign.
            self._connection.send(message)

    # ------------------------------------------------------------------ messages

    def _on_message(self, message: FromCampaign) -> None:
        match message:
            case Opened(store):
                self._spec = replace(self._spec, store=store)
            case AtWork(statistics):
                self._machines = statistics
            case Committed():
                self._catch_up()
                self._listen()
            case Accepted(key, seq, number):
                self._catch_up()
                self._commands.answer(key, Receipt(seq, number))
            case Crashed(text):
                self._on_defect(DefectError(text))
            case Refused(None, text, kind):
                self._told, self._cause = True, text
                # What was stored is answered before; the rest never will be.
                self._commands.refuse(CampaignTerminatedError(cause=text))
                self._on_refused(kind(text))
            case Refused(str() as key, text, kind) if issubclass(kind, StoreError):
                self._cause = text
                self._commands.answer(key, CampaignTerminatedError(cause=text))
            case Refused(str() as key, text, kind):
                self._commands.answer(key, kind(text))

    def _listen(self) -> None:
        """Take commands; send those again that the process before did not answer."""
        if self._listening.is_set():
            return
        self._listening.set()
        for command in self._commands.unanswered():
            self._send(command)
        for refusal in self._refusals.waiting():
            self._send(refusal)

    def _on_refused(self, error: EchidnaMcpError) -> None:
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(error)
        else:
            logger.error("%s", error.message)

    def _on_defect(self, error: DefectError) -> None:
        """Take note that the campaign can't go on: it would only fail again."""
        self.defect = error
        self._on_refused(error)

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
        self._refusals.fold(events)
        if any(event.type == "RoundCommitted" for event in rest):
            self._cause = None  # It goes on.
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
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(
                TargetError(
                    "The campaign process ended before its first commit "
                    f"(exit code {self._process.exitcode})."
                )
            )
            return
        over = self.ended.is_set() or self._closing or self.defect is not None
        if over or self._store is None:
            self._end()
            return
        self._restart()

    def _restart(self) -> None:
        number = self.views.progress.round
        self._failures = 1 if number > self._failure_round else self._failures + 1
        self._failure_round = number
        if self._failures > _RESTARTS_WITHOUT_PROGRESS:
            if self._told:  # A full disk, for example.
                text = (
                    f"The campaign can't get beyond round {number}; it stays stopped: "
                    f"{self._cause} Mend that and start the server again."
                )
                self._on_defect(DefectError(text))
            else:
                self._on_defect(self._crash(number + 1))
            self._end()
            return
        logger.warning(
            "The campaign process died (exit code %s); it goes on from the store.",
            self._process.exitcode,
        )
        spec = replace(
            self._spec, resume=True, otherwise=None, program=None, config=None
        )
        self._attend(self._new_child(spec))
        if self._stop is not None:
            self._send(self._stop)

    def _crash(self, number: int) -> DefectError:
        """Return what to say of a process that dies in one round again and again."""
        # Slow to import, and hardly ever needed.
        from echidna_mcp.campaign.crash import Crash  # noqa: PLC0415
        from echidna_mcp.campaign.crash_bundle import with_bundle  # noqa: PLC0415

        ended = f"the campaign process ended with code {self._process.exitcode}"
        crash = Crash(round=number, failures=(ended,) * self._failures)
        assert self._store is not None
        drain = self._stop.reason if self._stop else None
        return with_bundle(crash, self._store, drain)

    def _end(self) -> None:
        """No process comes any more; what became of the last commands is stored."""
        self.ended.set()
        if self._store is None:
            self._commands.end(())
        else:
            self._commands.end(self._store.read(types=("CommandAccepted",)))
            self._store_refusals()

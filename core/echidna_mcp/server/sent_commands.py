"""Commands on their way to the campaign process, and what became of them.

A command is sent with a key, and again with it to each process that takes over, until
it is answered: so it is stored once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from echidna_mcp.errors import (
    CampaignTerminatedError,
    EchidnaMcpError,
    ToolTimeoutError,
)
from echidna_mcp.events.event import Event
from echidna_mcp.server.campaign_messages import SubmitCommand
from echidna_mcp.tools.tool import Receipt, key_is_taken

UNDECIDED_SECONDS = 60.0
"""How long a call that is made again without a key is the same command."""


@dataclass(slots=True)
class Sent:
    """A command on its way.

    Attributes:
        answer: what became of it.
        at: when it was sent, on the clock of the event loop.
        named: its client gave the key, so that no call without it means this command.
        callers: how many wait for the answer.
    """

    command: SubmitCommand
    answer: asyncio.Future[Receipt]
    at: float
    named: bool
    callers: int = 0

    @property
    def is_left_alone(self) -> bool:
        """Whether its caller was left without an answer, and without a key."""
        return not self.named and not self.callers


def undecided(sent: Sent) -> ToolTimeoutError:
    """Return what to tell a caller who is not answered in time."""
    how = "with the same key" if sent.named else f"within {UNDECIDED_SECONDS:.0f} s"
    return ToolTimeoutError(
        "The command was sent, but it is not known yet whether it was accepted. Make "
        f"the same call again {how}: it is taken as the same command, and not done "
        "twice.",
        tool=sent.command.tool,
        accepted=None,
        key=sent.command.key,
    )


class SentCommands:
    """Commands whose callers have not all heard what became of them, by key."""

    def __init__(self) -> None:
        self._sent: dict[str, Sent] = {}

    def find(
        self, tool: str, args: Mapping[str, Any], key: str | None, now: float
    ) -> Sent | None:
        """Return the command that a call gives, if it is on its way already.

        That is one with this key or, without a key, the same one if its caller had none
        either and was left without an answer.

        Raises:
            InvalidInputError: the key is that of another command.
        """
        for known, sent in list(self._sent.items()):
            same = (sent.command.tool, sent.command.args) == (tool, args)
            if sent.answer.done() and now > sent.at + UNDECIDED_SECONDS:
                del self._sent[known]
            elif same and (known == key or (key is None and sent.is_left_alone)):
                return sent
            elif known == key:
                raise key_is_taken(known, sent.command.tool)
        return None

    def add(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        key: str | None,
        now: float,
    ) -> Sent:
        """Make a command that is to be sent; one without a key gets its own."""
        answer: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        # Nobody may be there any more to hear that it was refused.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        command = SubmitCommand(key or uuid4().hex, tool, dict(args), message)
        sent = self._sent[command.key] = Sent(command, answer, now, key is not None)
        return sent

    def forget(self, sent: Sent) -> None:
        """Forget a command that is answered, if all callers have heard it."""
        if sent.answer.done() and not sent.callers:
            self._sent.pop(sent.command.key, None)

    def unanswered(self) -> list[SubmitCommand]:
        """Return the commands that the next process must be sent."""
        return [each.command for each in self._sent.values() if not each.answer.done()]

    def answer(self, key: str, answer: Receipt | EchidnaMcpError) -> None:
        """Tell the callers of a command what became of it."""
        sent = self._sent.get(key)
        if sent is None or sent.answer.done():
            return
        if isinstance(answer, Receipt):
            sent.answer.set_result(answer)
        else:
            sent.answer.set_exception(answer)

    def refuse(self, error: EchidnaMcpError) -> None:
        """Answer all: they are not stored, and no process will be sent them."""
        for key in list(self._sent):
            self.answer(key, error)

    def end(self, accepted: Iterable[Event]) -> None:
        """Answer all: no process comes any more, and these commands are stored."""
        stored = {
            event.payload.get("key"): Receipt(event.seq, event.round)
            for event in accepted
        }
        for key in list(self._sent):
            self.answer(key, stored.get(key) or CampaignTerminatedError())

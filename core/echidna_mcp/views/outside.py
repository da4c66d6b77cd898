"""What the outside of a campaign has answered: variables, files, programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from echidna_mcp.evm.outside import Answers, Reply, Request

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event, NewEvent


class OutsideView:
    """The answers by their requests.

    Attributes:
        answers: those that the target knows from its deployment, then those of events.
    """

    def __init__(self, known: Iterable[tuple[Request, Reply]]) -> None:
        self.answers = Answers(known)

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type == "OutsideAnswered":
            request = Request.from_json(event.payload)
            self.answers.add(request, Reply.from_json(event.payload))

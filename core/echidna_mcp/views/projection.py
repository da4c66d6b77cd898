"""What every view is: a fold over stored events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event


class Projection(Protocol):
    """A view that can be thrown away and built again from the store."""

    def apply(self, event: Event) -> None:
        """Fold one event; called for every event, in order."""
        ...

"""Which functions are prioritized (FR-008, FR-009)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from echidna_mcp.events.payloads import CommandApplied

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event, NewEvent


class PrioritiesView:
    """The set of prioritized functions: the fold of the applied commands.

    `requested` holds what agents asked for, in order, once each; `functions` maps each
    request to the signatures it matches, which may be none yet.
    """

    def __init__(self) -> None:
        self.functions: dict[str, tuple[str, ...]] = {}

    @property
    def requested(self) -> tuple[str, ...]:
        """The requests in force, oldest first."""
        return tuple(self.functions)

    @property
    def matched(self) -> tuple[str, ...]:
        """Canonical signatures of the prioritized functions, sorted, once each."""
        return tuple(sorted({s for group in self.functions.values() for s in group}))

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type != "CommandApplied":
            return
        payload = cast("CommandApplied", event.payload)
        self.take(payload["tool"], payload["effect"])

    def take(self, tool: str, effect: Mapping[str, Any]) -> None:
        """Fold what a command does; one that failed, or is another, does nothing."""
        match tool:
            case "prioritize_function" if "requested" in effect:
                self.functions[effect["requested"]] = tuple(effect["functions"])
            case "clear_priorities":
                self.functions.clear()

    def copy(self) -> PrioritiesView:
        """Return the same, to see what commands will do."""
        other = PrioritiesView()
        other.functions = dict(self.functions)
        return other

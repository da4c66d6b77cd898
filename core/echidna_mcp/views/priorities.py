"""Which functions are prioritized (FR-008, FR-009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

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
        match payload["tool"]:
            case "prioritize_function":
                effect = payload["effect"]
                self.functions[effect["requested"]] = tuple(effect["functions"])
            case "clear_priorities":
                self.functions.clear()

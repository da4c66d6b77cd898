"""What a tool plugin provides: a contract document and a handler for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True)
class Receipt:
    """A command was accepted.

    Attributes:
        seq: position of the `CommandAccepted` event in the store.
        round: the round at which the command takes effect.
    """

    seq: int
    round: int


class CommandPort(Protocol):
    """The way to the campaign: the only thing a tool can write to."""

    async def submit(
        self, tool: str, args: Mapping[str, Any], message: str
    ) -> Receipt:
        """Queue a command for the next round boundary and wait until it is stored.

        Args:
            tool: `inject_transaction`, `prioritize_function` or `clear_priorities`.
            args: arguments as validated by the contract document, defaults filled.
            message: one line for the command log.

        Raises:
            CampaignTerminatedError: the campaign has ended.
        """
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a handler may use.

    Attributes:
        views: the campaign as of the last commit; read only.
        commands: the way to the campaign.
    """

    views: CampaignViews
    commands: CommandPort


Handler: TypeAlias = Callable[[Any, ToolContext], Awaitable[Any]]
"""Takes the generated input dataclass and the context; returns the generated output."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a plugin offers.

    Attributes:
        spec: what it is, from its contract document.
        input_type: the generated dataclass that validated arguments become.
        handler: what it does.
    """

    spec: ToolSpec
    input_type: type[Any]
    handler: Handler

"""Resources as plugins provide them: something to read, under a URI of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from echidna_mcp.tools.tool import ToolContext

if TYPE_CHECKING:
    from echidna_mcp.catalogue.completion import Candidates
    from echidna_mcp.events.event import Event

Variables: TypeAlias = Mapping[str, str]
"""The values of the variables in a URI template."""

Reader: TypeAlias = Callable[[Variables, ToolContext], Awaitable[str | bytes]]
"""Returns what is read now. Raises `ResourceNotFoundError` for values of nothing."""

READ_SECONDS: Final = 1.0
"""How long reading something may take that is there already."""

NO_VARIABLES: Final[Variables] = MappingProxyType({})


def _never(_event: Event) -> Iterable[Variables]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Something to read, or a family of such things.

    Attributes:
        name: unique among all resources; what plugins are told apart by.
        uri: a URI, or a template (RFC 6570, level 1) of many.
        title: what a person reads in a list.
        description: what it holds, for agents.
        mime_type: of what `read` returns.
        read: returns the content. An answer stays below 25,000 tokens.
        touched: which of the URIs an event changes, as values of the variables.
        touched_in: the same where that depends on the campaign, which has folded the
            event.
        values: candidates for the completion of variables.
        listed: the members of a family that a list shows; none if not given.
        views: names of tools whose results this page shows (MCP Apps).
        meta: metadata of the resource and its content, as the protocol defines it.
        seconds: how long reading it may take.
    """

    name: str
    uri: str
    title: str
    description: str
    mime_type: str
    read: Reader
    touched: Callable[[Event], Iterable[Variables]] = _never
    touched_in: Callable[[Event, ToolContext], Iterable[Variables]] | None = None
    values: Mapping[str, Candidates] = field(default_factory=dict)
    listed: Callable[[ToolContext], Iterable[Variables]] | None = None
    views: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = READ_SECONDS


def touched_by(*types: str) -> Callable[[Event], Iterable[Variables]]:
    """Return a `touched` for a resource without variables: any event of these types."""
    wanted = frozenset(types)

    def touched(event: Event) -> Iterable[Variables]:
        return (NO_VARIABLES,) if event.type in wanted else ()

    return touched

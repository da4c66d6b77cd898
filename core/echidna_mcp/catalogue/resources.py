"""The one way to read a resource, whatever the transport."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.completion import Completion, complete
from echidna_mcp.catalogue.resource import Resource, Variables
from echidna_mcp.catalogue.uri_template import UriTemplate
from echidna_mcp.errors import (
    EchidnaMcpError,
    ResourceNotFoundError,
    ToolTimeoutError,
)
from echidna_mcp.tools.deadline import DeadlineExceededError, within
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.tools.unique import by_name
from echidna_mcp.wording import closest, did_you_mean

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
    from echidna_mcp.tools.stage import Stage

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Content:
    """What was read.

    Attributes:
        resource: what it is an instance of.
        uri: as the client wrote it.
        data: text, or bytes.
    """

    resource: Resource
    uri: str
    data: str | bytes


class ResourceService:
    """Lists, reads and completes resources, and tells which of them events change.

    Args:
        resources: with different names and URIs.
        stage: brings what readers may use.

    Raises:
        PluginError: two resources have the same URI.
    """

    def __init__(self, resources: Sequence[Resource], stage: Stage) -> None:
        self._stage = stage
        self._broken: set[str] = set()
        named = by_name("the resource", resources, lambda each: each.uri)
        self._families = {
            uri: (resource, UriTemplate(uri)) for uri, resource in named.items()
        }

    @property
    def all(self) -> tuple[Resource, ...]:
        """All resources and families of them, in order of URI."""
        return tuple(resource for resource, _ in self._families.values())

    def listed(self) -> Iterator[tuple[str, Resource]]:
        """Yield URI and resource of everything that a list shows, in order of URI.

        What only a campaign can tell is not there before it runs.
        """
        context = self._stage.now
        for resource, template in self._families.values():
            if not template.variables:
                yield resource.uri, resource
            elif resource.listed is not None and context is not None:
                found = self._isolated(resource, partial(resource.listed, context))
                for values in found:
                    yield template.expand(values), resource

    def families(self) -> tuple[Resource, ...]:
        """Return the resources whose URIs have variables."""
        return tuple(r for r, template in self._families.values() if template.variables)

    async def read(self, uri: str) -> Content:
        """Read one resource.

        Raises:
            ResourceNotFoundError: there is none of that URI; the message names others.
            ToolTimeoutError: the reader takes too long, or the campaign to start.
            CampaignNotStartedError: there is no campaign.
            EchidnaMcpError: the reader failed; the log of the server says why.
        """
        resource, values = self._find(uri)
        context = await self._stage.context()
        try:
            data = await within(
                resource.seconds, partial(resource.read, values, context)
            )
        except EchidnaMcpError:
            raise
        except DeadlineExceededError:
            raise ToolTimeoutError(
                f"{shown(uri)} could not be read within {resource.seconds:.0f} s; "
                "try again.",
                uri=clean(uri),
            ) from None
        except Exception as error:
            _log.exception("The resource %s could not be read", resource.uri)
            raise EchidnaMcpError(
                f"{shown(uri)} could not be read; the server's log explains it."
            ) from error
        return Content(resource, uri, data)

    def complete(self, uri: str, variable: str, typed: str) -> Completion:
        """Complete a variable of a family; nothing if there is no such family."""
        if uri not in self._families:
            return Completion()
        resource, _ = self._families[uri]
        return complete(resource.values.get(variable), typed, self._stage.now)

    def touched(self, events: Iterable[Event]) -> tuple[str, ...]:
        """Return the URIs whose content events change, each once."""
        found: dict[str, None] = {}
        for event in events:
            for resource, template in self._families.values():
                ask = partial(self._touched, resource, event)
                for values in self._isolated(resource, ask):
                    found[template.expand(values)] = None
        return tuple(found)

    def _touched(self, resource: Resource, event: Event) -> Iterator[Variables]:
        yield from resource.touched(event)
        context = self._stage.now
        if resource.touched_in is not None and context is not None:
            yield from resource.touched_in(event, context)

    def _isolated(
        self, resource: Resource, ask: Callable[[], Iterable[Variables]]
    ) -> Sequence[Variables]:
        """Ask a plugin; one that raises is reported, and not asked again."""
        if resource.uri in self._broken:
            return ()
        try:
            return tuple(ask())
        except Exception:  # noqa: BLE001 - no plugin may stop the others
            self._broken.add(resource.uri)
            _log.exception(
                "The resource %s can't say what it has or what changed; "
                "it is not asked again.",
                resource.uri,
            )
            return ()

    def _find(self, uri: str) -> tuple[Resource, Variables]:
        for resource, template in self._families.values():
            values = template.match(uri)
            if values is not None:
                return resource, values
        close = closest(clean(uri), self._families)
        hint = did_you_mean(close, "resources/list shows what there is.")
        raise ResourceNotFoundError(
            f"There is no resource {shown(uri)}; {hint}", uri=clean(uri)
        )

"""All that a client can use, as one object for the transports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.news import Change, News
from echidna_mcp.catalogue.prompts import PromptService
from echidna_mcp.catalogue.resources import ResourceService

if TYPE_CHECKING:
    from echidna_mcp.catalogue.prompt import Prompt
    from echidna_mcp.catalogue.resource import Resource
    from echidna_mcp.events.event import Event
    from echidna_mcp.tools.service import ToolService
    from echidna_mcp.tools.stage import Stage
    from echidna_mcp.tools.tool import ToolContext


class Catalogue:
    """Tools, resources and prompts of one campaign, and news of it.

    Args:
        tools: the tools, ready to be called.
        stage: brings what readers and prompts may use.
        resources, prompts: what plugins offer.

    Attributes:
        tools: see `ToolService`.
        resources: see `ResourceService`.
        prompts: see `PromptService`.
        news: says which resources change.
    """

    def __init__(
        self,
        tools: ToolService,
        stage: Stage,
        resources: Sequence[Resource] = (),
        prompts: Sequence[Prompt] = (),
    ) -> None:
        self._stage = stage
        self.tools = tools
        self.resources = ResourceService(resources, stage)
        self.prompts = PromptService(prompts, stage)
        self.news = News()
        self._listing = self._list()

    def open(self, context: ToolContext) -> None:
        """Let clients use a campaign that runs now."""
        self._stage.open(context)
        listing = self._listed_anew()
        # Who has subscribed while there was nothing to read is told that there is.
        self.news.publish(Change(self._listing, listing))

    def committed(self, events: Sequence[Event]) -> None:
        """Pass on what commits changed; call it when the views have folded them."""
        uris = self.resources.touched(events)
        listing = self._listed_anew()
        if uris or listing:
            self.news.publish(Change(uris, listing))

    def view_of(self, tool: str) -> str | None:
        """Return the URI of the page that shows the results of a tool, if any does."""
        for resource in self.resources.all:
            if tool in resource.views:
                return resource.uri
        return None

    def _listed_anew(self) -> bool:
        """List the resources; return whether the list has changed."""
        before, self._listing = self._listing, self._list()
        return before != self._listing

    def _list(self) -> tuple[str, ...]:
        return tuple(uri for uri, _ in self.resources.listed())

"""News of resources for MCP clients of both eras.

Clients of revision 2026-07-28 keep a `subscriptions/listen` request open; the SDK
serves it from a bus. Those of the revisions before subscribe to single resources, and
are told on the stream of their connection, if it has one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import mcp.types as wire
from mcp.server.subscriptions import (
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

if TYPE_CHECKING:
    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.session import ServerSession

    from echidna_mcp.catalogue.news import Change, News

_MAX_STREAMS = 64
_MAX_BACKLOG = 1024
_MAX_URIS = 256
_MAX_LENGTH = 2048
_STATE = "echidna-mcp"


def listen_handler(news: News) -> ListenHandler:
    """Return the handler of `subscriptions/listen`.

    A client that does not read is cut off when its backlog is full.
    """
    return ListenHandler(
        _Bus(news), max_subscriptions=_MAX_STREAMS, max_buffered_events=_MAX_BACKLOG
    )


def end_streams(server: Server[Any]) -> None:
    """End the `subscriptions/listen` requests of a server in good order."""
    entry = server.get_request_handler("subscriptions/listen")
    if entry is not None and isinstance(entry.handler, ListenHandler):
        entry.handler.close()


class _Bus:
    """News as the SDK takes it. Nothing is published through it from elsewhere."""

    def __init__(self, news: News) -> None:
        self._news = news
        self._listeners: list[Callable[[ServerEvent], None]] = []

    async def publish(self, event: ServerEvent) -> None:
        for listener in list(self._listeners):
            listener(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        def hear(change: Change) -> None:
            for uri in change.uris:
                listener(ResourceUpdated(uri=uri))
            if change.listing:
                listener(ResourcesListChanged())

        unsubscribe = self._news.subscribe(hear)
        self._listeners.append(listener)

        def leave() -> None:
            unsubscribe()
            with suppress(ValueError):
                self._listeners.remove(listener)

        return leave


class SessionSubscriptions:
    """Handlers of `resources/subscribe` and `resources/unsubscribe`."""

    def __init__(self, news: News) -> None:
        self._news = news

    async def subscribe(
        self,
        context: ServerRequestContext[dict[str, Any]],
        params: wire.SubscribeRequestParams,
    ) -> wire.EmptyResult:
        """Tell this connection of changes to a resource from now on."""
        connection = _connection(context.session)
        subscriptions = connection.state.get(_STATE)
        if subscriptions is None:
            subscriptions = _Subscriptions(self._news, context.session)
            connection.state[_STATE] = subscriptions
            connection.exit_stack.push_async_callback(subscriptions.close)
        uri = str(params.uri)
        if len(uri) > _MAX_LENGTH or len(subscriptions.uris) >= _MAX_URIS:
            raise MCPError(
                wire.INVALID_PARAMS,
                f"One connection can subscribe to {_MAX_URIS} resources, each named by "
                f"at most {_MAX_LENGTH} characters; unsubscribe from some.",
            )
        subscriptions.uris.add(uri)
        return wire.EmptyResult()

    async def unsubscribe(
        self,
        context: ServerRequestContext[dict[str, Any]],
        params: wire.UnsubscribeRequestParams,
    ) -> wire.EmptyResult:
        """Tell this connection nothing more of a resource."""
        subscriptions = _connection(context.session).state.get(_STATE)
        if subscriptions is not None:
            subscriptions.uris.discard(str(params.uri))
        return wire.EmptyResult()


def _connection(session: ServerSession) -> Connection:
    # Sessions are made anew for each request; what lasts as long as the client stays,
    # and tells when it leaves, is the connection, which the SDK shows to nobody yet.
    return session._connection  # noqa: SLF001


class _Subscriptions:
    """What one connection is told of. Changes that it is too slow for are merged.

    Attributes:
        uris: the resources that it has asked for.
    """

    def __init__(self, news: News, session: ServerSession) -> None:
        self.uris: set[str] = set()
        self._session = session
        self._changed: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._unsubscribe = news.subscribe(self._hear)
        self._task = asyncio.create_task(self._tell())

    async def close(self) -> None:
        """End with the connection."""
        self._unsubscribe()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def _hear(self, change: Change) -> None:
        for uri in change.uris:
            if uri in self.uris:
                self._changed[uri] = None
                self._wake.set()

    async def _tell(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed, self._changed = self._changed, {}
            for uri in changed:
                await self._session.send_resource_updated(uri)

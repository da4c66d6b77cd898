"""News of resources as server-sent events, merged for whoever reads slowly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from echidna_mcp.catalogue.news import Change, News

SECONDS: Final = 0.5
"""Between two events: what happens in between is told at once at its end."""

MOST_URIS: Final = 200
"""In one event; what would need more says that all has changed."""


class Pending:
    """What one client has not been told yet: never more than one event of it."""

    def __init__(self) -> None:
        self._uris: dict[str, None] = {}
        self._all = False
        self._news = asyncio.Event()

    def hear(self, change: Change) -> None:
        """Add what one commit changed."""
        self._uris.update(dict.fromkeys(change.uris))
        if len(self._uris) > MOST_URIS:
            self._all = True
            self._uris.clear()
        if self._all or self._uris:
            self._news.set()

    async def told(self) -> dict[str, object]:
        """Wait until there is news, and return all of it."""
        await self._news.wait()
        self._news.clear()
        uris, everything = list(self._uris), self._all
        self._uris.clear()
        self._all = False
        return {"uris": [] if everything else uris, "all": everything}


async def live_events(news: News) -> AsyncIterator[dict[str, str]]:
    """Yield events for sse-starlette: `ready` at once, then `change` with each news.

    The data of a `change` are `uris`, and `all`, which says that any may have changed.
    While a client does not read, nothing is asked of this generator, and news merge.
    """
    pending = Pending()
    unsubscribe = news.subscribe(pending.hear)
    try:
        yield {"event": "ready", "data": json.dumps({"uris": [], "all": True})}
        while True:
            told = await pending.told()
            yield {"event": "change", "data": json.dumps(told, ensure_ascii=False)}
            await asyncio.sleep(SECONDS)
    finally:
        unsubscribe()

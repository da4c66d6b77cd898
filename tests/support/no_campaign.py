"""A context for handlers that use none, and the campaign that is not there."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from echidna_mcp.tools.tool import Receipt, ToolContext


class NoCampaign:
    """Takes no commands, and keeps nothing of those that failed."""

    async def submit(
        self, tool: str, args: Any, message: str, *, key: str | None = None
    ) -> Receipt:
        raise NotImplementedError

    def refused(self, tool: str, args: Any, code: str, message: str) -> None:
        pass


def empty_context() -> ToolContext:
    """Return a context that has nothing in it."""
    nothing: dict[str, Any] = dict.fromkeys(f.name for f in fields(ToolContext))
    return ToolContext(**nothing | {"commands": NoCampaign(), "warnings": []})

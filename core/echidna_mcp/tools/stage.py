"""Where the context of a campaign appears, once the campaign runs.

A server may be reached before that: a client that starts a process expects an answer
in seconds, and a target may take longer to compile. So tools, resources and prompts
hold the stage; who calls them meanwhile waits for a while, and is told for what.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from echidna_mcp.errors import CampaignNotStartedError, ToolTimeoutError

if TYPE_CHECKING:
    from echidna_mcp.errors import EchidnaMcpError
    from echidna_mcp.tools.tool import Progress, ToolContext

PATIENCE_SECONDS = 20
"""How long a call waits; clients give up after a minute, the strictest after less."""


class Stage:
    """The context of a campaign, or the wait for it.

    Args:
        context: of a campaign that runs; None if it has yet to start.

    Attributes:
        doing: what the start is busy with, as part of a sentence.
    """

    def __init__(self, context: ToolContext | None = None) -> None:
        self.doing = "its target is being read"
        self._context = context
        self._failure: EchidnaMcpError | None = None
        self._settled = asyncio.Event()

    @property
    def now(self) -> ToolContext | None:
        """The context, if the campaign runs."""
        return self._context

    def open(self, context: ToolContext) -> None:
        """Let in who waits: the campaign runs."""
        self._context = context
        self._settled.set()

    def fail(self, error: EchidnaMcpError) -> None:
        """Tell who waits, and who will come, why there is no campaign."""
        self._failure = error
        self._settled.set()

    async def context(self, progress: Progress | None = None) -> ToolContext:
        """Return the context as soon as the campaign runs.

        Args:
            progress: told every second for what the call waits.

        Raises:
            CampaignNotStartedError: it will never run.
            ToolTimeoutError: it does not run within `PATIENCE_SECONDS`.
        """
        for second in range(PATIENCE_SECONDS):
            if self._context is not None or self._failure is not None:
                break
            if progress is not None:
                await progress(second, None, f"The campaign starts: {self.doing}.")
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._settled.wait()
        if self._context is not None:
            return self._context
        if self._failure is not None:
            raise CampaignNotStartedError(self._failure)
        raise ToolTimeoutError(
            f"The campaign has not started yet: {self.doing}; "
            "call again in half a minute.",
        )

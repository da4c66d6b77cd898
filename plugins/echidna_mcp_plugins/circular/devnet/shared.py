"""The devnet of a data directory, served by one of the processes that use it."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, Self

import httpx2

from echidna_mcp.errors import UsageError
from echidna_mcp_plugins.circular.database import InUseError
from echidna_mcp_plugins.circular.devnet.address import Address, read_address
from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.server import Devnet, serving
from echidna_mcp_plugins.circular.errors import unavailable
from echidna_mcp_plugins.circular.locks import WAIT_SECONDS

_ANSWER_SECONDS: Final = 2.0
_PAUSE_SECONDS: Final = 0.05


class SharedDevnet:
    """A devnet that others may serve; when they end, it is served from here.

    Leaving its block ends what is served from here.

    Args:
        directory: of the chain.
        client: asks whether another process answers.
        options: how it behaves if it is served from here.
        seconds: how long to wait for another process that has it and does not answer.
    """

    def __init__(
        self,
        directory: Path,
        client: httpx2.AsyncClient,
        options: DevnetOptions | None = None,
        seconds: float = WAIT_SECONDS,
    ) -> None:
        self._directory = directory
        self._client = client
        self._options = options
        self._seconds = seconds
        self._stack = AsyncExitStack()
        self._served: Devnet | None = None
        self._looking = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def discovery(self) -> str:
        """Return the discovery URL of a devnet that answers.

        Raises:
            CircularError: API_UNAVAILABLE, another process has it and does not answer;
                INVALID_INPUT, the directory can't be used.
        """
        async with self._looking:
            until = time.monotonic() + self._seconds
            while self._served is None:
                known = read_address(self._directory)
                if known is not None and await self._answers(known):
                    return known.discovery
                try:
                    self._served = await self._serve(known)
                except InUseError:  # It begins or ends just now.
                    if time.monotonic() >= until:
                        raise _silent(self._directory) from None
                    await asyncio.sleep(_PAUSE_SECONDS)
            return self._served.discovery

    async def _answers(self, known: Address) -> bool:
        try:
            response = await self._client.get(
                known.discovery,
                params={"network": "testnet"},
                timeout=_ANSWER_SECONDS,
            )
            told = response.json()
        except (httpx2.RequestError, httpx2.InvalidURL, ValueError):
            return False
        return isinstance(told, dict) and told.get("instance") == known.instance

    async def _serve(self, known: Address | None) -> Devnet:
        """Serve it where it was: links to its explorer go on to hold."""
        for port in (0,) if known is None else (known.port, 0):
            try:
                return await self._stack.enter_async_context(
                    serving(self._directory, port=port, options=self._options)
                )
            except UsageError:  # Somebody else has that port by now.
                if port == 0:
                    raise
        raise AssertionError("a free port is the last choice")


def _silent(directory: Path) -> Exception:
    return unavailable(
        f"The process that serves the devnet in {directory} does not answer: stop it,"
        " then make the same call again."
    )

"""Whose turn it is to certify with a wallet, among all processes of a directory."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from echidna_mcp_plugins.circular.locks import WAIT_SECONDS, locked
from echidna_mcp_plugins.circular.wallets import Wallet


class Turns:
    """Gives the transactions of each wallet their numbers, one at a time.

    A node accepts a number only when the one before it was used. So whoever numbers a
    transaction has the turn of its wallet until the node has answered.
    """

    def __init__(self, directory: Path, seconds: float = WAIT_SECONDS) -> None:
        """Take turns with all who name the same directory.

        Args:
            directory: is there, and can be written.
            seconds: how long to wait for other processes.
        """
        self._directory = directory
        self._seconds = seconds
        self._own: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def turn(self, wallet: Wallet) -> AsyncIterator[None]:
        """Wait for the turn of a wallet, and have it until the end of the block.

        Raises:
            CircularError: API_UNAVAILABLE, other processes had it all the time.
        """
        place = f"{wallet.network}/{wallet.blockchain}/{wallet.address}"
        name = f"wallet-{hashlib.sha256(place.encode()).hexdigest()[:16]}"
        async with self._own.setdefault(name, asyncio.Lock()), AsyncExitStack() as has:
            until = time.monotonic() + self._seconds
            # Who comes next waits in front: a process with many calls has to line up
            # behind it for the next of them, and can't keep the others out.
            async with locked(self._directory / f"{name}-next", until):
                turn = locked(self._directory / name, until)
                await has.enter_async_context(turn)
            yield

"""Serve a devnet: within a program that has an event loop, or as a program."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from echidna_mcp.errors import UsageError
from echidna_mcp.server.address import Hosts, bracketed, is_loopback, listen
from echidna_mcp.server.guard import Guard
from echidna_mcp.server.limits import Limits
from echidna_mcp.server.listener import Listener
from echidna_mcp_plugins.circular.devnet.address import Address, write_address
from echidna_mcp_plugins.circular.devnet.app import DISCOVERY, devnet_app
from echidna_mcp_plugins.circular.devnet.chain import Chain
from echidna_mcp_plugins.circular.devnet.faults import Faults
from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.store import ChainStore

LOOPBACK: Final = "127.0.0.1"
_BODY: Final = 8 << 20
"""Bytes of a body: a payload of 1 MiB of data takes a little more than 4 MiB."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Devnet:
    """A devnet that is served.

    Attributes:
        url: where it is, without a slash at the end.
        chain: blocks, transactions and wallets.
        faults: what it will do wrong.
    """

    url: str
    chain: Chain
    faults: Faults

    @property
    def discovery(self) -> str:
        """The URL that clients are configured with."""
        return f"{self.url}{DISCOVERY}"


@asynccontextmanager
async def serving(
    directory: Path,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    options: DevnetOptions | None = None,
) -> AsyncIterator[Devnet]:
    """Serve a devnet in the running event loop until the block ends.

    Others who use its directory find it by its address there.

    Args:
        directory: where the chain is kept; it goes on where it was.
        host: an address of this machine that nobody else can reach.
        port: 0 for any free one.
        options: how it behaves.

    Raises:
        UsageError: the address can't be had.
        InUseError: another process serves it.
        CircularError: INVALID_INPUT, the directory can't be used.
    """
    if not is_loopback(host):
        raise UsageError(
            f"A devnet serves this machine only: choose {LOOPBACK} instead of {host}."
        )
    options = options or DevnetOptions()
    with closing(ChainStore(directory)) as store, listen(host, port) as socket:
        chain, faults = Chain(store, options), Faults()
        limits = Limits(body_size=_BODY)
        instance = secrets.token_hex(8)
        app = devnet_app(chain, faults, instance)
        guard = Guard(app, hosts=Hosts.of(host), limits=limits)
        listener = Listener(guard, limits)
        server = asyncio.create_task(listener.serve(sockets=[socket]))
        ready = asyncio.create_task(listener.ready.wait())
        miner = asyncio.create_task(_mine(chain, options.block_seconds))
        try:
            await asyncio.wait({server, ready}, return_when=asyncio.FIRST_COMPLETED)
            number = socket.getsockname()[1]
            devnet = Devnet(f"http://{bracketed(host)}:{number}", chain, faults)
            write_address(directory, Address(devnet.discovery, number, instance))
            yield devnet
        finally:
            miner.cancel()
            ready.cancel()
            listener.should_exit = True
            await asyncio.gather(miner, ready, return_exceptions=True)
            await server


async def _mine(chain: Chain, seconds: float | None) -> None:
    while seconds is not None:
        await asyncio.sleep(seconds)
        try:
            chain.mine()
        except sqlite3.Error:
            # A full disk, for example: pending transactions wait for a later block.
            _log.exception("The devnet could not write a block")


def run(
    host: str,
    port: int,
    directory: Path,
    *,
    options: DevnetOptions | None = None,
    ready: Callable[[Devnet], None] | None = None,
) -> None:
    """Serve a devnet until the program is told to end (SIGINT, SIGTERM).

    Args:
        host: an address of this machine that nobody else can reach.
        port: 0 for any free one.
        directory: where the chain is kept.
        options: how it behaves.
        ready: called when it answers.

    Raises:
        UsageError: the address can't be had.
        InUseError: another process serves it.
        CircularError: INVALID_INPUT, the directory can't be used.
    """

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows has none; ctrl-C raises.
                loop.add_signal_handler(number, stop.set)
        async with serving(directory, host=host, port=port, options=options) as devnet:
            if ready is not None:
                ready(devnet)
            await stop.wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(main())

"""What the operations share: networks, wallets, the journal, clocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.errors import invalid_input
from echidna_mcp_plugins.circular.exchange import TIME_LIMIT, Exchange, Sleep
from echidna_mcp_plugins.circular.journal import Journal, open_journal
from echidna_mcp_plugins.circular.key_file import key_of
from echidna_mcp_plugins.circular.nag import LOCAL_DEVNET, Nag
from echidna_mcp_plugins.circular.results import Result
from echidna_mcp_plugins.circular.settings import Network, Settings, check_network
from echidna_mcp_plugins.circular.timestamps import Now, circular_time, utc_now
from echidna_mcp_plugins.circular.transaction import Transaction
from echidna_mcp_plugins.circular.turns import Turns
from echidna_mcp_plugins.circular.wallets import Wallet, choose_wallet

POLL_SECONDS: Final = 5.0
"""Between two looks at a transaction that is waited for."""
POLLS: Final = 12

_REGISTERED: Final = {Result.WALLET_EXISTS, Result.DUPLICATE_TRANSACTION}
_DEVNET: Final = "devnet"
_KEY_FILE: Final = "wallet.key"


@dataclass(frozen=True, slots=True)
class Timing:
    """Clocks and waits; tests make them short.

    Attributes:
        now: the wall clock.
        clock: seconds that never go back.
        sleep: waits for so many seconds.
        time_limit: seconds for each step of a request.
        poll_seconds: between two looks at a transaction that is waited for.
        polls: how many looks there are.
    """

    now: Now = utc_now
    clock: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep
    time_limit: float = TIME_LIMIT
    poll_seconds: float = POLL_SECONDS
    polls: int = POLLS


@dataclass(slots=True)
class Session:
    """Made by `open_session`; belongs to one event loop.

    Attributes:
        settings: configuration.
        journal: what was signed and sent.
        timing: clocks and waits.
        turns: the order of each wallet's transactions.
    """

    settings: Settings
    journal: Journal
    timing: Timing
    exchange: Exchange
    turns: Turns
    _nags: dict[Network, Nag] = field(default_factory=dict)
    _registered: set[tuple[str, str]] = field(default_factory=set)

    def nag(self, name: str) -> Nag:
        """Return a network.

        Raises:
            CircularError: INVALID_INPUT, there is none of that name here.
        """
        network = check_network(name)
        settings = self.settings.networks.get(network)
        if settings is None:
            raise invalid_input(
                f"The devnet on this machine is no {network}: name testnet, or set"
                f" CIRCULAR_CEP_{network.upper()}_PRIVATE_KEY and start again."
            )
        if network not in self._nags:
            self._nags[network] = Nag(
                self.exchange, network, self.settings.discovery, settings.blockchain
            )
        return self._nags[network]

    def wallet(self, name: str, wanted: str | None) -> Wallet:
        """Return the wallet that certifies on a network (`choose_wallet`)."""
        return choose_wallet(self.settings.networks[self.nag(name).network], wanted)

    async def meta(self, nag: Nag) -> dict[str, Any]:
        """Return what goes beside every result of a network."""
        return {"backend": (await nag.gateway()).backend}

    async def register_on_devnet(self, nag: Nag, wallet: Wallet) -> None:
        """Register a wallet on a devnet, whose faucet then gives it CIRX.

        On the public networks people register their wallets themselves. A configured
        address that is not derived from the key can't be registered.
        """
        place = wallet.network, wallet.address
        if place in self._registered:
            return
        local = (await nag.gateway()).backend == LOCAL_DEVNET
        if local and not await nag.is_registered(wallet.address):
            public = wallet.key.public
            forms = dict(zip(public.addresses, public.texts, strict=True))
            if wallet.address in forms:
                await self._register(nag, forms[wallet.address])
        self._registered.add(place)

    async def _register(self, nag: Nag, public_text: str) -> None:
        registration = Transaction.register(
            public_text,
            blockchain=nag.blockchain,
            timestamp=circular_time(self.timing.now()),
        )
        refused = (await nag.send(registration)).refused
        # Another client of the same key, or our own first attempt, may have been first.
        if refused is not None and refused.result not in _REGISTERED:
            raise refused


@asynccontextmanager
async def open_session(
    settings: Settings,
    directory: Path,
    *,
    timing: Timing | None = None,
    devnet: DevnetOptions | None = None,
) -> AsyncIterator[Session]:
    """Open a session, and with nothing configured a devnet for it.

    Args:
        settings: configuration.
        directory: where the journal is, and the devnet with its key.
        timing: clocks and waits.
        devnet: how the devnet behaves, if there is one.

    Raises:
        CircularError: INVALID_INPUT, the directory can't be used.
    """
    timing = timing or Timing()
    async with AsyncExitStack() as stack:
        journal = await stack.enter_async_context(open_journal(directory))
        if not settings.configured:
            # Who has a network needs no server.
            from echidna_mcp_plugins.circular.devnet.server import (  # noqa: PLC0415
                serving,
            )

            place = directory / _DEVNET
            key = key_of(place / _KEY_FILE)
            running = await stack.enter_async_context(serving(place, options=devnet))
            settings = settings.on_devnet(running.discovery, key)
        client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(timing.time_limit, pool=None),
            # A proxy that the environment names can't reach this machine.
            trust_env=settings.discovery.startswith("https:"),
        )
        await stack.enter_async_context(client)
        exchange = Exchange(client, timing.sleep)
        session = Session(settings, journal, timing, exchange, Turns(directory))
        if "mainnet" not in settings.networks:
            wallet = session.wallet("testnet", None)
            await session.register_on_devnet(session.nag("testnet"), wallet)
        yield session

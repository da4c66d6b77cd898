"""What the operations share: networks, wallets, the journal, clocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2

from echidna_mcp_plugins.circular.devnet.options import FOLDER, DevnetOptions
from echidna_mcp_plugins.circular.errors import invalid_input
from echidna_mcp_plugins.circular.exchange import TIME_LIMIT, Exchange, Sleep
from echidna_mcp_plugins.circular.journal import Journal, open_journal
from echidna_mcp_plugins.circular.key_file import key_of
from echidna_mcp_plugins.circular.locks import WAIT_SECONDS, locked, make_directory
from echidna_mcp_plugins.circular.nag import LOCAL_DEVNET, Nag
from echidna_mcp_plugins.circular.results import Result
from echidna_mcp_plugins.circular.secret import Secret
from echidna_mcp_plugins.circular.settings import Network, Settings, check_network
from echidna_mcp_plugins.circular.timestamps import Now, circular_time, utc_now
from echidna_mcp_plugins.circular.transaction import Transaction
from echidna_mcp_plugins.circular.turns import Turns
from echidna_mcp_plugins.circular.wallets import Wallet, choose_wallet

if TYPE_CHECKING:
    from echidna_mcp_plugins.circular.devnet.shared import SharedDevnet

POLL_SECONDS: Final = 5.0
"""Between two looks at a transaction that is waited for."""
POLLS: Final = 12

_REGISTERED: Final = {Result.WALLET_EXISTS, Result.DUPLICATE_TRANSACTION}
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
        devnet: of the directory, if nothing is configured.
    """

    settings: Settings
    journal: Journal
    timing: Timing
    exchange: Exchange
    turns: Turns
    devnet: SharedDevnet | None = None
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

    async def follow_devnet(self) -> None:
        """See to it that the devnet of the directory is served, by whomever.

        The process that served it may have ended since the last call.

        Raises:
            CircularError: it can't be served.
        """
        if self.devnet is None:
            return
        discovery = await self.devnet.discovery()
        if discovery != self.settings.discovery:
            self.settings = replace(self.settings, discovery=discovery)
            self._nags.clear()

    def backend(self, name: str) -> str | None:
        """Return what a network is, without asking it; None if it is not known yet.

        Its words are those of `Gateway`.
        """
        if self.devnet is not None:
            return LOCAL_DEVNET
        nag = self._nags.get(check_network(name))
        return None if nag is None else nag.backend

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

    The devnet is that of the directory, and may be served by another process. If only
    a gateway of this machine is configured, the wallet is that of the directory, too.

    Args:
        settings: configuration.
        directory: where the journal is, and the devnet with its key.
        timing: clocks and waits.
        devnet: how the devnet behaves, if there is one.

    Raises:
        CircularError: INVALID_INPUT, the directory can't be used; API_UNAVAILABLE,
            other processes that use it do not answer.
    """
    timing = timing or Timing()
    # A proxy that the environment names can't reach this machine.
    outside = settings.configured and settings.discovery.startswith("https:")
    async with AsyncExitStack() as stack:
        journal = await stack.enter_async_context(open_journal(directory))
        client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(timing.time_limit, pool=None), trust_env=outside
        )
        await stack.enter_async_context(client)
        shared = None
        if not settings.configured:
            # Who has a network needs no server.
            from echidna_mcp_plugins.circular.devnet.shared import (  # noqa: PLC0415
                SharedDevnet,
            )

            key = await _own_key(directory)
            shared = SharedDevnet(directory / FOLDER, client, devnet)
            await stack.enter_async_context(shared)
            settings = settings.on_devnet(await shared.discovery(), key)
        elif settings.names_no_wallet:
            settings = settings.with_testnet_key(await _own_key(directory))
        exchange, turns = Exchange(client, timing.sleep), Turns(directory)
        session = Session(settings, journal, timing, exchange, turns, shared)
        if shared is not None:
            wallet = session.wallet("testnet", None)
            await session.register_on_devnet(session.nag("testnet"), wallet)
        yield session


async def _own_key(directory: Path) -> Secret:
    """Return the key of the directory's wallet on devnets; made once."""
    place = directory / FOLDER
    make_directory(place)
    async with locked(place / _KEY_FILE, time.monotonic() + WAIT_SECONDS):
        return key_of(place / _KEY_FILE)

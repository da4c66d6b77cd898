"""Wallets that certify, and the order in which each of them does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType, invalid_input
from echidna_mcp_plugins.circular.identifiers import digest_of
from echidna_mcp_plugins.circular.keys import SigningKey
from echidna_mcp_plugins.circular.settings import Network, NetworkSettings


@dataclass(frozen=True, slots=True)
class Wallet:
    """A wallet on a network.

    Attributes:
        network: where it is.
        blockchain: on which chain there.
        address: 64 hexadecimal digits.
        key: with which it signs.
    """

    network: Network
    blockchain: str
    address: str
    key: SigningKey


def choose_wallet(settings: NetworkSettings, wanted: str | None) -> Wallet:
    """Return the wallet that certifies.

    Args:
        settings: of the network.
        wanted: address that the caller names. A key has two (`keys`); if the chain
            knows the wallet by another one, that is configured.

    Raises:
        CircularError: INVALID_INPUT, no key is configured, or it is not the key of the
            wanted wallet.
    """
    if settings.key is None:
        raise invalid_input(
            f"No key is configured for {settings.name}: set {settings.key_variable}"
            " and start again."
        )
    key = SigningKey(settings.key, settings.key_variable)
    derived = key.public.addresses
    address = settings.address or derived[0]
    if wanted is not None:
        given = check_address(wanted, ErrorType.INVALID_INPUT)
        if given not in {address, *derived}:
            raise invalid_input(
                f"The configured key is not that of wallet {given}: leave"
                f" wallet_address out, or name {address}."
            )
        address = given
    return Wallet(settings.name, settings.blockchain, address, key)


def check_address(text: str, otherwise: ErrorType = ErrorType.INVALID_ADDRESS) -> str:
    """Return an address in lower case, without `0x`.

    Args:
        text: what a caller gave.
        otherwise: what it is called if it is none.

    Raises:
        CircularError: it has not 64 hexadecimal digits.
    """
    found = digest_of(text)
    if found is None:
        raise CircularError(
            otherwise, "The address of a wallet must have 64 hexadecimal digits."
        )
    return found


class NonceQueue:
    """Gives the transactions of one wallet their numbers, one at a time.

    A node accepts a number only when the one before it was used. So whoever numbers a
    transaction holds the queue until the node has answered.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._last: int | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, and have it until the end of the block."""
        async with self._lock:
            yield

    def next_after(self, last_on_chain: int) -> int:
        """Return the next number; a node may not yet tell the last one it accepted."""
        if self._last is None:
            return last_on_chain + 1
        return max(last_on_chain, self._last) + 1

    def accepted(self, nonce: int) -> None:
        """Remember that a node has accepted a transaction."""
        self._last = nonce if self._last is None else max(nonce, self._last)

    def forget(self) -> None:
        """Trust the chain alone: it does not agree with what is remembered."""
        self._last = None


class Queues:
    """The queue of each wallet on each network."""

    def __init__(self) -> None:
        self._queues: dict[tuple[str, str, str], NonceQueue] = {}

    def of(self, wallet: Wallet) -> NonceQueue:
        """Return the queue of a wallet."""
        place = wallet.network, wallet.blockchain, wallet.address
        return self._queues.setdefault(place, NonceQueue())

"""The gateway to a network (NAG), as a client sees it.

A method is called with `POST <url>Circular_<Method>_<network>` and a JSON body; the
URL comes from a discovery service. The answer is `{Result, Response, Node}`, bare as
the SDKs read it, or within `TBody` as the documentation shows it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, Final

import httpx2

from echidna_mcp.server.address import is_loopback
from echidna_mcp_plugins.circular.chain_view import ChainTransaction
from echidna_mcp_plugins.circular.errors import (
    CircularError,
    ErrorType,
    invalid_input,
    unavailable,
)
from echidna_mcp_plugins.circular.exchange import Exchange
from echidna_mcp_plugins.circular.results import Result, refusal
from echidna_mcp_plugins.circular.settings import (
    PUBLIC_EXPLORER,
    Network,
    is_safe_url,
)
from echidna_mcp_plugins.circular.transaction import VERSION, Transaction

LOCAL_DEVNET: Final = "local-devnet"
PUBLIC: Final = "circular"

_RECENT: Final = ("0", "10")
"""Start and end that mean the newest ten blocks, and what is pending."""
_FIRST_WINDOW: Final = 100
_WIDER: Final = 10
"""Each window of older blocks is so many times as wide as the one before."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gateway:
    """What discovery tells of a network.

    Attributes:
        url: to which the name of a method is appended.
        backend: `circular`, or `local-devnet`.
        explorer: URL of the page that shows a transaction.
    """

    url: str
    backend: str = PUBLIC
    explorer: str = PUBLIC_EXPLORER


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a transaction that was sent.

    Attributes:
        refused: why the node did not take it; None if it did.
        attempts: how often it was sent; after more than one, a refusal may mean that
            the node had taken it before.
    """

    refused: CircularError | None
    attempts: int


class Nag:
    """One network.

    Args:
        exchange: how requests are made.
        network: its name.
        discovery: URL of the discovery service.
        blockchain: id of the chain.
    """

    def __init__(
        self, exchange: Exchange, network: Network, discovery: str, blockchain: str
    ) -> None:
        self.network = network
        self.blockchain = blockchain
        self._exchange = exchange
        self._discovery = discovery
        self._gateway: Gateway | None = None
        self._discovering = asyncio.Lock()

    # ---------------------------------------------------------------- discovery

    @property
    def backend(self) -> str | None:
        """What the network is, as in `Gateway`; None if it was not asked yet."""
        return None if self._gateway is None else self._gateway.backend

    async def gateway(self) -> Gateway:
        """Return where the network is; it is asked once.

        Raises:
            CircularError: the discovery service can't be used.
        """
        async with self._discovering:
            if self._gateway is None:
                self._gateway = await self._discover()
            return self._gateway

    async def _discover(self) -> Gateway:
        url = httpx2.URL(self._discovery).copy_set_param("network", self.network)
        found = (await self._exchange.get(url, "NAG discovery")).value
        if not isinstance(found, dict) or found.get("status") != "success":
            raise unavailable(f"NAG discovery knows no gateway of {self.network}.")
        where = found.get("url")
        if not isinstance(where, str) or not is_safe_url(where):
            raise unavailable(
                "NAG discovery named a gateway that is neither https nor on this"
                " machine; it is not used."
            )
        # Only this machine can have a devnet; elsewhere the word would be a pretence.
        local = found.get("backend") == LOCAL_DEVNET and is_loopback(url.host)
        if not local:
            return Gateway(where)
        return Gateway(where, LOCAL_DEVNET, str(found.get("explorer", "")))

    # ------------------------------------------------------------------ wallets

    async def last_nonce(self, address: str) -> int:
        """Return the number of the last transaction of a wallet, 0 before the first.

        Raises:
            CircularError: INVALID_ADDRESS, no such wallet; or as `_call`.
        """
        asked = {"Address": address}
        result, response, _ = await self._call("GetWalletNonce", asked)
        if result in {Result.WALLET_NOT_FOUND, Result.WRONG_FORMAT}:
            raise CircularError(
                ErrorType.INVALID_ADDRESS,
                f"There is no wallet {address} on {self.network}: register it first, or"
                " name another one.",
                result=result,
            )
        nonce = _ok(result, response).get("Nonce")
        return _number(nonce, "GetWalletNonce", "nonce")

    async def is_registered(self, address: str) -> bool:
        """Whether the chain knows a wallet."""
        result, response, _ = await self._call("CheckWallet", {"Address": address})
        if result == Result.WALLET_NOT_FOUND:
            return False
        return str(_ok(result, response).get("exists", 1)) not in {"0", "False"}

    # ------------------------------------------------------------- transactions

    async def send(self, transaction: Transaction) -> Receipt:
        """Send a transaction.

        Raises:
            CircularError: it is not known whether the node has taken it.
        """
        body = transaction.body()
        result, response, attempts = await self._call("AddTransaction", body)
        _log.info(
            "AddTransaction %s, nonce %d, signature %s…: result %d",
            transaction.id,
            transaction.nonce,
            transaction.shown_signature(),
            result,
        )
        if result != Result.OK:
            return Receipt(refusal(result, response), attempts)
        given = response.get("TxID") if isinstance(response, dict) else None
        if not isinstance(given, str) or not same_id(given, transaction.id):
            raise unavailable(
                "AddTransaction: the node answered with the id of another transaction."
            )
        return Receipt(None, attempts)

    async def recent(self, wanted: str) -> ChainTransaction | None:
        """Look for a transaction that is pending, or in the newest ten blocks."""
        return await self._within(wanted, *_RECENT)

    async def find(self, wanted: str, *, since: int = 1) -> ChainTransaction | None:
        """Look for a transaction wherever it may be, the newest blocks first.

        A look-up only sees a window of blocks, and what is pending. One that existed
        before is found: if it is not pending in the first look-up, it is in a block
        already.

        Args:
            wanted: its id.
            since: number of the oldest block to look into.
        """
        found = await self.recent(wanted)
        if found is not None:
            return found
        end, width = await self.block_count() - 1, _FIRST_WINDOW
        while end >= since:
            start = max(since, end - width + 1)
            found = await self._within(wanted, str(start), str(end))
            if found is not None:
                return found
            end, width = start - 1, width * _WIDER
        return None

    async def _within(
        self, wanted: str, start: str, end: str
    ) -> ChainTransaction | None:
        asked = {"ID": wanted, "Start": start, "End": end}
        result, response, _ = await self._call("GetTransactionbyID", asked)
        if result != Result.OK:
            raise refusal(result, response)
        if isinstance(response, dict):
            return ChainTransaction.of(response, wanted)
        if isinstance(response, str) and "not found" in response.lower():
            return None
        raise unavailable("GetTransactionbyID: the answer has no transaction.")

    # ------------------------------------------------------------------- blocks

    async def block_count(self) -> int:
        """Return how many blocks there are; the newest has the number before it."""
        result, response, _ = await self._call("GetBlockHeight", {})
        count = _ok(result, response).get("BlockCount")
        return _number(count, "GetBlockHeight", "number of blocks")

    async def block_time(self, number: str) -> str | None:
        """Return the timestamp of a block, if the node tells it."""
        asked = {"BlockNumber": number}
        result, response, _ = await self._call("GetBlock", asked)
        if result != Result.OK or not isinstance(response, dict):
            return None
        found = response.get("Timestamp")
        return found if isinstance(found, str) else None

    # --------------------------------------------------------------------- calls

    async def _call(self, method: str, asked: dict[str, Any]) -> tuple[int, Any, int]:
        """Call a method; return result code, response and number of attempts.

        Raises:
            CircularError: NETWORK_ERROR, RATE_LIMIT or API_UNAVAILABLE.
        """
        gateway = await self.gateway()
        url = f"{gateway.url}Circular_{method}_{self.network}"
        common = {"Blockchain": self.blockchain, "Version": VERSION}
        reply = await self._exchange.post(url, {**common, **asked}, method)
        value = reply.value
        if isinstance(value, dict) and "Result" not in value:
            value = value.get("TBody", value)
        if not isinstance(value, dict) or "Result" not in value:
            raise unavailable(f"{method}: the answer of the service has no result.")
        result = _number(value["Result"], method, "result code")
        _log.debug("%s on %s: result %d", method, self.network, result)
        return result, value.get("Response"), reply.attempts


def same_id(one: str, other: str) -> bool:
    """Whether two ids are the same, whatever their case and prefix."""
    return one.lower().removeprefix("0x") == other.lower().removeprefix("0x")


def _ok(result: int, response: Any) -> dict[str, Any]:
    if result != Result.OK:
        raise refusal(result, response)
    if not isinstance(response, dict):
        raise unavailable("The answer of the service has no content.")
    return response


def _number(value: object, method: str, what: str) -> int:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise unavailable(f"{method}: the answer of the service has no {what}.")


def not_found(wanted: str, network: Network) -> CircularError:
    """Return the failure of a look-up that found nothing."""
    return invalid_input(
        f"There is no transaction {wanted} on {network}: check id and network.",
    )

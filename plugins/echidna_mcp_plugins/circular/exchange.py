"""JSON over HTTP: time limits, repetition, and what failures are called."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import httpx2

from echidna_mcp_plugins.circular.errors import CircularError, ErrorType, unavailable

Sleep: TypeAlias = Callable[[float], Awaitable[object]]
"""Waits for so many seconds."""

TIME_LIMIT: Final = 5.0
"""Seconds for each step of an attempt: to connect, to send a part, to get a part."""
PAUSES: Final = (1.0, 2.0, 4.0)
"""Seconds before an attempt is repeated."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        value: its JSON.
        attempts: how often it was asked; what was asked before the last time may have
            had its effect.
    """

    value: Any
    attempts: int


@dataclass(frozen=True, slots=True)
class _Failure:
    type: ErrorType
    what: str
    passing: bool


class Exchange:
    """Asks, and asks again after 429, 5xx, time limits and connections that break.

    Args:
        client: the HTTP client; its owner closes it.
        sleep: waits between two attempts.
    """

    def __init__(
        self, client: httpx2.AsyncClient, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._client = client
        self._sleep = sleep

    async def get(self, url: httpx2.URL, called: str) -> Reply:
        """Ask with GET; see `post`."""
        return await self._repeat(lambda: self._client.get(url), called)

    async def post(self, url: str, body: dict[str, Any], called: str) -> Reply:
        """Ask with POST and a JSON body.

        Args:
            url: where.
            body: what; it is in no log and in no error.
            called: what the request is called in logs and errors.

        Raises:
            CircularError: NETWORK_ERROR, RATE_LIMIT or API_UNAVAILABLE.
        """
        return await self._repeat(lambda: self._client.post(url, json=body), called)

    async def _repeat(
        self, send: Callable[[], Awaitable[httpx2.Response]], called: str
    ) -> Reply:
        attempt = 0
        while True:
            attempt += 1
            outcome = await _try(send)
            if isinstance(outcome, httpx2.Response):
                return Reply(_json(outcome, called), attempt)
            _log.debug("%s, attempt %d: %s", called, attempt, outcome.what)
            if not outcome.passing or attempt > len(PAUSES):
                # Raised here, where no exception is handled: those of the HTTP client
                # hold the request with its body.
                raise CircularError(outcome.type, f"{called}: {outcome.what}.")
            await self._sleep(PAUSES[attempt - 1])


async def _try(
    send: Callable[[], Awaitable[httpx2.Response]],
) -> httpx2.Response | _Failure:
    try:
        response = await send()
    except httpx2.RequestError as error:
        return _failure_of(error)
    status = response.status_code
    if status == httpx2.codes.OK:
        return response
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        what = "the service gets too many requests from here (HTTP 429)"
        return _Failure(ErrorType.RATE_LIMIT, what, passing=True)
    what = f"the service answered with HTTP {status}"
    return _Failure(ErrorType.API_UNAVAILABLE, what, passing=status >= 500)


def _failure_of(error: httpx2.RequestError) -> _Failure:
    match error:
        case httpx2.ConnectError() | httpx2.UnsupportedProtocol():
            # Who is not there is not there a second later: the caller may know more.
            what = "no connection to the service could be made"
            return _Failure(ErrorType.NETWORK_ERROR, what, passing=False)
        case httpx2.TimeoutException():
            what = "the service did not answer in time"
            return _Failure(ErrorType.NETWORK_ERROR, what, passing=True)
        case httpx2.TransportError():
            what = "the connection to the service broke"
            return _Failure(ErrorType.NETWORK_ERROR, what, passing=True)
        case _:
            what = "the answer of the service can't be decoded"
            return _Failure(ErrorType.API_UNAVAILABLE, what, passing=False)


def _json(response: httpx2.Response, called: str) -> Any:
    try:
        return response.json()
    except ValueError:
        pass  # It holds the answer.
    raise unavailable(f"{called}: the service answered with something else than JSON.")

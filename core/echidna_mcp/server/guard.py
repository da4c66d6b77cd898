"""The guard in front of every route of the HTTP server.

Pure ASGI. What the MCP SDK checks on its own endpoints is checked here for all routes,
and more: names, token, size and deadline of bodies, and how much runs at once. A body
is read completely before a route sees the request, so a slow client costs a buffer and
never a handler.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from echidna_mcp.server.limits import Limits
from echidna_mcp.server.turns import Turns
from echidna_mcp.tools.principal import PRINCIPAL, Principal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from echidna_mcp.server.address import Hosts

_log = logging.getLogger(__name__)

_Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

# A client that has already sent its oversize body only reads our answer if we took the
# body off the wire first; beyond this many times the limit we hang up instead.
_DRAIN_FACTOR = 8
_LAST_SECONDS = 0.3
"""When the server stops, uploads that have begun may take so long."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    message: str
    headers: _Headers = ()

    async def send(self, send: Send) -> None:
        error = {"code": -32600, "message": self.message}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *self.headers,
        ]
        start = {"type": "http.response.start", "status": self.status}
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": body})


_MOST_LEVELS = 200
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(rb"[\[\]{}]")


def _is_too_deep(body: bytes | bytearray) -> bool:
    """Whether arrays and objects stand in each other so deeply that parsing is risky.

    Parsers recurse on the C stack, and what limits them is an interpreter-wide setting
    that libraries raise.
    """
    if body.count(b"[") + body.count(b"{") <= _MOST_LEVELS:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > _MOST_LEVELS:
            return True
    return False


_HANG_UP = ((b"connection", b"close"),)
_TOO_LARGE = _Refusal(413, "The request body is too large.", _HANG_UP)
_TOO_DEEP = _Refusal(400, "The request body is nested too deeply.")
_TOO_SLOW = _Refusal(408, "The request body did not arrive in time.", _HANG_UP)
_BUSY = _Refusal(503, "Too many requests in flight.", ((b"retry-after", b"1"),))
_STOPPING = _Refusal(503, "The server is stopping.", _HANG_UP)
_FAILED = _Refusal(500, "Internal server error.")
_FOREIGN_HOST = _Refusal(421, "This Host is not served here.")
_FOREIGN_ORIGIN = _Refusal(403, "This Origin is not allowed.")
_NO_TOKEN = _Refusal(
    401, "The bearer token is missing or wrong.", ((b"www-authenticate", b"Bearer"),)
)


class Guard:
    """Refuses what must not reach a route; ends streams when the server stops."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Hosts,
        tokens: Mapping[str, Principal] | None = None,
        limits: Limits,
        public: Sequence[str] = (),
        closing: Sequence[Callable[[], None]] = (),
    ) -> None:
        """Wrap an application.

        Args:
            app: the routes.
            hosts: names by which clients may address us.
            tokens: bearer tokens, and whose they are; every request must carry one, if
                there are any. The routes find the principal in the scope.
            limits: what one client may cost.
            public: paths that need no token and count against no limit.
            closing: called when the server begins to stop.
        """
        self._app = app
        self._hosts = hosts
        self._tokens = {
            token.encode(): principal for token, principal in (tokens or {}).items()
        }
        self._limits = limits
        self._public = frozenset(public)
        self._requests = 0
        self._turns = Turns()
        self._uploads: dict[asyncio.Timeout, None] = {}
        self._streams = 0
        self._closing = asyncio.Event()
        self._at_close = tuple(closing)

    def close(self) -> None:
        """End all event streams, as if their clients had left, and uploads that hang.

        What is on its way is still received and answered.
        """
        self._closing.set()
        for close in self._at_close:
            close()
        soon = asyncio.get_running_loop().time() + _LAST_SECONDS
        for upload in self._uploads:
            with suppress(RuntimeError):  # Its time is just up.
                upload.reschedule(min(soon, upload.when() or soon))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI 3): always a complete answer, never an exception."""
        if scope["type"] != "http":
            return
        # Not every HTTP parser trims white space around values (RFC 9110 §5.5).
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        answer = _Answer(send)
        try:
            await self._serve({**scope, "headers": headers}, receive, answer.send)
        except asyncio.CancelledError:
            # Once the server stops, a cancellation means that the grace period is over.
            if not self._closing.is_set():
                raise
        except Exception:  # noqa: BLE001 (nothing may leak)
            _log.exception("A request to %s failed", scope["path"])
        await answer.complete(_STOPPING if self._closing.is_set() else _FAILED)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = self._principal(scope["headers"])
        refusal = self._judge(scope["path"], scope["headers"], principal)
        if principal is not None:
            scope = {**scope, PRINCIPAL: principal}
        if refusal is not None:
            await refusal.send(send)
        elif scope["path"] in self._public:
            await self._app(scope, receive, send)
        elif scope["method"] == "POST":
            await self._serve_request(scope, receive, send)
        else:
            await self._serve_stream(scope, receive, send)

    def _judge(
        self, path: str, headers: _Headers, principal: Principal | None
    ) -> _Refusal | None:
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or not self._hosts.allow_host(hosts[0]):
            return _FOREIGN_HOST
        trusted = principal is not None
        for origin in _values(headers, b"origin"):
            if not self._hosts.allow_origin(origin, hosts[0], trusted=trusted):
                return _FOREIGN_ORIGIN
        if not self._tokens or path in self._public:
            return None
        return None if trusted else _NO_TOKEN

    def _principal(self, headers: _Headers) -> Principal | None:
        """Return whose token a request carries, if it carries one.

        All tokens are compared, so that the time says nothing about them.
        """
        scheme, _, given = "".join(_values(headers, b"authorization")).partition(" ")
        secret = given.strip().encode()
        found = None
        for token, principal in self._tokens.items():
            if hmac.compare_digest(secret, token):
                found = principal
        return found if scheme.lower() == "bearer" else None

    async def _serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._requests >= self._limits.requests:
            await _BUSY.send(send)
            return
        body = await self._read_body(scope["headers"], receive)
        if isinstance(body, _Refusal):
            await body.send(send)
        if not isinstance(body, bytes):
            return
        self._requests += 1
        try:
            await self._turns.wait()
            await self._app(scope, _replay(body, receive), send)
        finally:
            self._requests -= 1

    async def _read_body(
        self, headers: _Headers, receive: Receive
    ) -> bytes | _Refusal | None:
        """Read the whole body; None means that the client left."""
        limit = self._limits.body_size
        declared = "".join(_values(headers, b"content-length"))
        if declared.isdecimal() and int(declared) > limit * _DRAIN_FACTOR:
            return _TOO_LARGE
        body, size, more = bytearray(), 0, True
        try:
            async with self._upload_deadline():
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    chunk = message.get("body", b"")
                    size += len(chunk)
                    if size <= limit:
                        body += chunk
                    elif size > limit * _DRAIN_FACTOR:
                        break
                    more = message.get("more_body", False)
        except TimeoutError:
            return _STOPPING if self._closing.is_set() else _TOO_SLOW
        if size > limit:
            return _TOO_LARGE
        return _TOO_DEEP if _is_too_deep(body) else bytes(body)

    @asynccontextmanager
    async def _upload_deadline(self) -> AsyncIterator[None]:
        """Raise `TimeoutError` when a body has taken its time.

        If too many are coming in at once, the one that began first has: so slow clients
        shut out each other, and never one that sends its body in one go.
        """
        if len(self._uploads) >= self._limits.uploads:
            self._end_oldest_upload()
        async with asyncio.timeout(self._limits.body_seconds) as deadline:
            self._uploads[deadline] = None
            try:
                yield
            finally:
                self._uploads.pop(deadline, None)

    def _end_oldest_upload(self) -> None:
        oldest = next(iter(self._uploads))
        del self._uploads[oldest]
        with suppress(RuntimeError):  # Its time is just up.
            oldest.reschedule(asyncio.get_running_loop().time())

    async def _serve_stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._streams >= self._limits.streams:
            await _BUSY.send(send)
            return
        self._streams += 1
        try:
            await self._app(scope, self._until_closing(receive), send)
        finally:
            self._streams -= 1

    def _until_closing(self, receive: Receive) -> Receive:
        """Report a disconnect to the route as soon as the server stops."""

        async def receive_or_close() -> Message:
            message = asyncio.ensure_future(receive())
            closing = asyncio.ensure_future(self._closing.wait())
            try:
                await asyncio.wait(
                    (message, closing), return_when=asyncio.FIRST_COMPLETED
                )
                if closing.done():
                    return {"type": "http.disconnect"}
                return message.result()
            finally:
                message.cancel()
                closing.cancel()
                await asyncio.gather(message, closing, return_exceptions=True)

        return receive_or_close


class _Answer:
    """Watches an answer, and completes it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = False
        self._finished = False

    async def send(self, message: Message) -> None:
        self._started = True
        body = message["type"] == "http.response.body"
        self._finished = body and not message.get("more_body", False)
        await self._send(message)

    async def complete(self, otherwise: _Refusal) -> None:
        """End what was begun; answer with `otherwise` if nothing was."""
        if not self._started:
            await otherwise.send(self._send)
        elif not self._finished:
            await self._send({"type": "http.response.body", "body": b""})


def _values(headers: _Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the body that was read, then whatever comes after it."""
    pending: list[Message] = [
        {"type": "http.request", "body": body, "more_body": False}
    ]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay

"""What the HTTP server refuses, spoken to in raw bytes."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_time import PATIENCE

from echidna_mcp.server.address import Hosts
from echidna_mcp.server.guard import Guard
from echidna_mcp.server.http import HttpServer
from echidna_mcp.server.limits import Limits
from echidna_mcp.tools.principal import LOCAL

MIB = 1 << 20
PATHS = ["/mcp", "/sse", "/messages/", "/healthz", "/nowhere"]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """One TCP connection to a server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer

    @classmethod
    async def to(cls, server: HttpServer) -> Connection:
        host, port = server.url.removeprefix("http://").split("/")[0].split(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        raw = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE)
        status, *lines = raw.decode("latin-1").split("\r\n")[:-2]
        pairs = (line.split(": ", 1) for line in lines)
        return int(status.split()[1]), {k.lower(): v for k, v in pairs}

    async def answer(self) -> Answer:
        status, headers = await self.head()
        length = int(headers.get("content-length", 0))
        body = await asyncio.wait_for(self.reader.readexactly(length), PATIENCE)
        return Answer(status, headers, body)

    async def closed(self) -> bool:
        return await asyncio.wait_for(self.reader.read(), PATIENCE) == b""

    async def drop(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


def request(
    method: str,
    path: str,
    *headers: str,
    body: bytes = b"",
    host: str | None = "127.0.0.1",
    length: int | None = None,
) -> bytes:
    lines = [f"{method} {path} HTTP/1.{1 if host is not None else 0}"]
    lines += [f"Host: {host}"] if host is not None else []
    lines += headers
    if method == "POST" and not any(h.startswith("Transfer") for h in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


ACCEPT = "Accept: application/json, text/event-stream"
JSON = "Content-Type: application/json"


def call(tool: str, *headers: str, **arguments: Any) -> bytes:
    """A call of a tool as of protocol revision 2026-07-28."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    own = ("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call")
    body = json.dumps(message).encode()
    named = f"Mcp-Name: {tool}"
    return request("POST", "/mcp", JSON, ACCEPT, *own, named, *headers, body=body)


async def ask(server: HttpServer, *parts: bytes) -> Answer:
    connection = await Connection.to(server)
    try:
        await connection.send(*parts)
        return await connection.answer()
    finally:
        await connection.close()


async def answered(server: HttpServer, message: bytes, status: int) -> Answer:
    """Ask until the answer has this status: what the server waits for has happened."""
    async with asyncio.timeout(PATIENCE):
        while (answer := await ask(server, message)).status != status:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return answer


async def test_a_foreign_host_is_refused_on_every_route(serve):
    foreign = ("evil.example", "127.0.0.1.evil.example:80", "localhost.", "", None)
    async with serve() as server:
        for path in PATHS:
            for host in foreign:
                answer = await ask(server, request("GET", path, host=host))
                assert answer.status == 421, (path, host)
            post = request("POST", path, host="evil.example")
            assert (await ask(server, post)).status == 421


async def test_a_foreign_origin_is_refused_on_every_route(serve):
    foreign = ("http://evil.example", "null", "", "file://", "http://localhost@e")
    async with serve() as server:
        for path in PATHS:
            for origin in foreign:
                header = f"Origin: {origin}"
                answer = await ask(server, request("GET", path, header))
                assert answer.status == 403, (path, origin)


async def test_a_page_of_another_local_program_may_not_read_or_steer(serve):
    origin = "Origin: http://localhost:9999"
    async with serve() as server:
        for path in PATHS:
            for method in ("GET", "POST"):
                asked = request(method, path, origin, host="localhost:8765")
                assert (await ask(server, asked)).status == 403, (method, path)


async def test_the_names_of_this_machine_are_served(serve):
    async with serve() as server:
        for host in ("127.0.0.1", "localhost:8765", "[::1]:1", "LocalHost"):
            origin = f"Origin: http://{host}"
            answer = await ask(server, request("GET", "/healthz", origin, host=host))
            assert answer.status == 200
            assert json.loads(answer.body)["status"] == "ok"


async def test_further_names_are_served_when_they_are_allowed(serve):
    async with serve(allowed_hosts=["fuzz.example"]) as server:
        good = await ask(server, request("GET", "/healthz", host="fuzz.example:80"))
        assert good.status == 200
        bad = await ask(server, request("GET", "/healthz", host="x.fuzz.example"))
        assert bad.status == 421


async def test_every_request_needs_the_token_but_the_health_check(serve):
    async with serve(tokens={"s3cret": LOCAL}) as server:
        for header in (
            "X: y",
            "Authorization: Bearer s3cre",
            "Authorization: Bearer s3crets",
            "Authorization: Basic s3cret",
            "Authorization: s3cret",
            "Authorization: Bearer",
            "Authorization: Bearer \xff",
        ):
            for path in ("/mcp", "/sse", "/messages/", "/nowhere"):
                answer = await ask(server, request("POST", path, header))
                assert answer.status == 401
                assert answer.headers["www-authenticate"] == "Bearer"
        for header in (
            "Authorization: Bearer s3cret",
            "authorization:  bearer  s3cret ",
        ):
            assert (await ask(server, call("items", header))).status == 200
        assert (await ask(server, request("GET", "/healthz"))).status == 200


@pytest.mark.parametrize("size", [MIB + 1, 4 * MIB])
async def test_a_body_that_is_too_large_is_refused(serve, size):
    async with serve() as server:
        declared = request("POST", "/mcp", JSON, body=b" " * size)
        answer = await ask(server, declared)
        assert answer.status == 413
        assert answer.headers["connection"] == "close"
        head = request("POST", "/mcp", JSON, "Transfer-Encoding: chunked")
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        parts = [chunk] * (size // 0x10000 + 1)
        assert (await ask(server, head, *parts, b"0\r\n\r\n")).status == 413


async def test_a_body_of_the_largest_size_reaches_the_tool(serve):
    async with serve() as server:
        overhead = len(call("count_words", text="").partition(b"\r\n\r\n")[2])
        answer = await ask(server, call("count_words", text="x" * (MIB - overhead)))
        assert answer.status == 200
        assert json.loads(answer.body)["result"]["structuredContent"]["words"] == 1
        more = call("count_words", text="x" * (MIB - overhead + 1))
        assert (await ask(server, more)).status == 413


async def test_a_huge_body_is_refused_before_it_is_sent(serve):
    async with serve() as server:
        head = request("POST", "/mcp", JSON, length=1 << 40)
        assert (await ask(server, head)).status == 413


async def test_slow_bodies_are_given_up_and_others_are_served_meanwhile(serve):
    async with serve(limits=Limits(body_seconds=0.3)) as server:
        slow = [await Connection.to(server) for _ in range(20)]
        for connection in slow:
            await connection.send(call("items")[:-10])
        assert (await ask(server, call("items"))).status == 200
        for connection in slow:
            assert (await connection.answer()).status == 408
            assert await connection.closed()
            await connection.close()


async def test_a_connection_without_headers_is_closed_in_time(serve):
    async with serve(limits=Limits(header_seconds=1)) as server:
        silent = [await Connection.to(server) for _ in range(20)]
        for number, connection in enumerate(silent):
            await connection.send(call("items")[: number * 2])
        good = await Connection.to(server)
        for _ in range(15):
            await good.send(call("items"))
            assert (await good.answer()).status == 200
            await asyncio.sleep(0.1)
        for connection in silent:
            with suppress(ConnectionResetError):
                assert await connection.closed()
            await connection.drop()
        await good.close()


@pytest.mark.skipif(
    not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such option"
)
async def test_a_client_that_takes_nothing_is_cut_off(serve):
    async with serve(limits=Limits(unread_seconds=0.5)) as server:
        lazy = await Connection.to(server)
        await lazy.send(call("long_text", megabytes=30))
        status, headers = await lazy.head()
        assert status == 200
        await asyncio.sleep(3)
        assert (await ask(server, call("items"))).status == 200
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await lazy.reader.readexactly(int(headers["content-length"]))
        await lazy.drop()


async def test_a_client_that_leaves_within_its_body_leaves_nothing_behind(serve):
    async with serve(limits=Limits(requests=1)) as server:
        for _ in range(3):
            connection = await Connection.to(server)
            await connection.send(call("items")[:-10])
            await connection.close()
        await answered(server, call("items"), 200)


async def test_requests_in_flight_are_capped(serve):
    async with serve(limits=Limits(requests=1)) as server:
        first = await Connection.to(server)
        await first.send(call("wait", milliseconds=2_000))
        busy = await answered(server, call("items"), 503)
        assert busy.headers["retry-after"] == "1"
        assert (await ask(server, request("GET", "/healthz"))).status == 200
        assert (await first.answer()).status == 200
        assert (await ask(server, call("items"))).status == 200
        await first.close()


async def test_streams_are_capped_apart_from_requests(serve):
    async with serve(limits=Limits(streams=1)) as server:
        stream = await Connection.to(server)
        await stream.send(request("GET", "/sse"))
        assert (await stream.head())[0] == 200
        assert (await ask(server, request("GET", "/sse"))).status == 503
        assert (await ask(server, call("items"))).status == 200
        await stream.close()
        status = 503  # until the server has seen it leave
        async with asyncio.timeout(PATIENCE):
            while status == 503:
                again = await Connection.to(server)
                await again.send(request("GET", "/sse"))
                status, _ = await again.head()
                await again.close()
        assert status == 200


async def test_what_is_no_message_is_a_bad_request(serve, caplog):
    nobody = f"/messages/?session_id={'0' * 32}"
    garbage = [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"jsonrpc":"2.0"}',
        b"[" * 10**5,
    ]
    async with serve() as server:
        for body in garbage:
            for version in ("2026-07-28", "2025-11-25"):
                revision = f"MCP-Protocol-Version: {version}"
                raw = request("POST", "/mcp", JSON, ACCEPT, revision, body=body)
                answer = await ask(server, raw)
                assert answer.status == 400
                assert json.loads(answer.body)["error"]["code"] < 0
                assert b"Traceback" not in answer.body
            plain = "Content-Type: text/plain"
            simple = request("POST", "/mcp", plain, ACCEPT, body=body)
            assert (await ask(server, simple)).status == 400
            stray = request("POST", nobody, JSON, body=body)
            deep = body.startswith(b"[[")
            assert (await ask(server, stray)).status == (400 if deep else 404)
    assert caplog.records == []


async def test_a_malformed_message_does_not_end_a_stream(serve, caplog):
    async with serve() as server:
        stream = await Connection.to(server)
        await stream.send(request("GET", "/sse"))
        await stream.head()
        event = await stream.reader.readuntil(b"\r\n\r\n")
        path = event.split(b"data: ")[1].split(b"\r\n")[0].decode()
        assert (await ask(server, request("POST", path, JSON, body=b"{"))).status == 400
        ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
        body = json.dumps(ping).encode()
        assert (await ask(server, request("POST", path, JSON, body=body))).status == 202
        async with asyncio.timeout(PATIENCE):
            while b'"id":5' not in await stream.reader.readline():
                pass
        await stream.close()
    assert caplog.records == []


async def test_other_methods_are_not_allowed(serve):
    wrong = [
        ("GET", "/mcp", "POST"),
        ("DELETE", "/mcp", "POST"),
        ("POST", "/sse", "GET"),
        ("HEAD", "/sse", "GET"),
        ("GET", "/messages/", "POST"),
    ]
    async with serve() as server:
        for method, path, allowed in wrong:
            answer = await ask(server, request(method, path))
            assert answer.status == 405
            assert answer.headers["allow"] == allowed


async def test_the_guard_trims_white_space_around_header_values():
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend(scope["headers"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        seen.append(message["type"])

    guard = Guard(app, hosts=Hosts.of("127.0.0.1"), limits=Limits())
    headers = [(b"host", b"\tlocalhost "), (b"mcp-method", b" tools/call\t")]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    await guard(scope, asyncio.Event().wait, send)
    assert seen == [
        (b"host", b"localhost"),
        (b"mcp-method", b"tools/call"),
        "http.response.start",
        "http.response.body",
    ]


@pytest.mark.parametrize("started", [False, True])
async def test_a_failing_route_tells_the_client_nothing(started, caplog):
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if started:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("secret")

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(app, hosts=Hosts.of("127.0.0.1"), limits=Limits())
    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    await guard(scope, asyncio.Event().wait, send)
    assert sent[0]["status"] == (200 if started else 500)
    assert not sent[-1].get("more_body")
    assert len(sent) == 2
    assert b"secret" not in sent[-1]["body"]
    assert "secret" in caplog.text


NAME = st.from_regex(r"[a-z0-9.-]{1,20}", fullmatch=True)


@given(NAME, st.integers(0, 65535))
def test_only_listed_names_are_ours(name, port):
    hosts = Hosts.of("127.0.0.1", ["fuzz.example"])
    listed = name in {"127.0.0.1", "localhost", "fuzz.example"}
    for host in (name, f"{name}:{port}", name.upper()):
        assert hosts.allow_host(host) is listed
        assert hosts.allow_origin(f"https://{host}", host, trusted=True) is listed
        assert not hosts.allow_origin(host, host)
        for longer in (f"localhost@{host}", f"{host}/", f"{host}/x", f"{host}:1:1"):
            assert not hosts.allow_host(longer)
            assert not hosts.allow_origin(f"http://{longer}", longer)


@given(st.ip_addresses())
def test_a_server_for_other_machines_may_be_addressed_by_address(address):
    host = f"[{address}]" if address.version == 6 else str(address)
    assert Hosts.of("0.0.0.0").allow_host(host)
    assert not Hosts.of("0.0.0.0").allow_host(f"{host}.example")
    assert Hosts.of("127.0.0.1").allow_host(host) is (host in {"127.0.0.1", "[::1]"})

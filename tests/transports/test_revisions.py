"""Every revision of the protocol since the first is spoken, by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urljoin

import httpx2
import pytest

WITH_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NEWEST = "2026-07-28"
META = "io.modelcontextprotocol/"
WORDS = {"name": "count_words", "arguments": {"text": "one three"}}


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def initialize(revision: str) -> dict[str, Any]:
    client = {"name": "by hand", "version": "0"}
    return request(
        "initialize", protocolVersion=revision, capabilities={}, clientInfo=client
    )


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def answer_of(response: httpx2.Response) -> dict[str, Any]:
    """Return a JSON-RPC answer, sent as JSON or as the event of a stream."""
    assert response.status_code == 200, response.text
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        (text,) = [
            line.removeprefix("data: ")
            for line in text.splitlines()
            if line.startswith("data: ")
        ]
    answer: dict[str, Any] = json.loads(text)
    return answer


def counted(answer: dict[str, Any]) -> bool:
    (block,) = answer["result"]["content"]
    return bool(json.loads(block["text"]) == {"words": 2, "longest": "three"})


@pytest.mark.parametrize("sessions", [False, True])
@pytest.mark.parametrize("revision", WITH_HANDSHAKE)
async def test_a_revision_with_a_handshake_over_streamable_http(
    serve, revision, sessions
):
    accept = {"Accept": "application/json, text/event-stream"}
    async with (
        serve(sessions=sessions) as server,
        httpx2.AsyncClient(headers=accept, timeout=30) as http,
    ):
        first = await http.post(server.url, json=initialize(revision))
        result = answer_of(first)["result"]
        assert result["protocolVersion"] == revision
        assert result["serverInfo"]["name"] == "echidna-mcp"
        assert ("mcp-session-id" in first.headers) is sessions
        if sessions:
            http.headers["Mcp-Session-Id"] = first.headers["mcp-session-id"]
        if revision >= "2025-06-18":  # The older ones know no such header.
            http.headers["MCP-Protocol-Version"] = revision
        accepted = await http.post(server.url, json=INITIALIZED)
        assert accepted.status_code == 202
        listed = answer_of(await http.post(server.url, json=request("tools/list")))
        assert WORDS["name"] in [tool["name"] for tool in listed["result"]["tools"]]
        called = await http.post(server.url, json=request("tools/call", **WORDS))
        assert counted(answer_of(called))


@pytest.mark.parametrize("revision", WITH_HANDSHAKE)
async def test_a_revision_with_a_handshake_over_legacy_sse(serve, revision):
    async with (
        serve() as server,
        httpx2.AsyncClient(timeout=30) as http,
        http.stream("GET", server.urls["sse"]) as stream,
    ):
        events = data_of(stream)
        messages = urljoin(server.urls["sse"], await anext(events))

        async def ask(message: dict[str, Any]) -> dict[str, Any]:
            sent = await http.post(messages, json=message)
            assert sent.status_code == 202
            answer: dict[str, Any] = json.loads(await anext(events))
            return answer

        result = (await ask(initialize(revision)))["result"]
        assert result["protocolVersion"] == revision
        assert (await http.post(messages, json=INITIALIZED)).status_code == 202
        assert counted(await ask(request("tools/call", **WORDS)))


async def data_of(stream: httpx2.Response) -> AsyncIterator[str]:
    async with asyncio.timeout(30):
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                yield line.removeprefix("data: ")


async def test_an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake(
    serve,
):
    accept = {"Accept": "application/json, text/event-stream"}
    async with serve() as server, httpx2.AsyncClient(headers=accept) as http:
        asked = await http.post(server.url, json=initialize("1999-01-01"))
        assert answer_of(asked)["result"]["protocolVersion"] == WITH_HANDSHAKE[-1]


async def test_the_newest_revision_needs_no_handshake(serve):
    meta = {f"{META}protocolVersion": NEWEST, f"{META}clientCapabilities": {}}
    async with serve() as server, httpx2.AsyncClient(timeout=30) as http:

        async def ask(method: str, **params: Any) -> dict[str, Any]:
            headers = {
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": NEWEST,
                "Mcp-Method": method,
                **({"Mcp-Name": params["name"]} if "name" in params else {}),
            }
            message = request(method, **params, _meta=meta)
            sent = await http.post(server.url, json=message, headers=headers)
            return answer_of(sent)

        found = (await ask("server/discover"))["result"]
        assert found["supportedVersions"] == [NEWEST]
        assert counted(await ask("tools/call", **WORDS))

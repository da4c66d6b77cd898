"""The official client, over every HTTP transport and in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from echidna_mcp import __version__
from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.tools.principal import LOCAL, Principal
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.tool import Progress
from echidna_mcp_plugins.transports.mcp_server import mcp_server

ROUTES = [
    ("http", "auto", "2026-07-28"),
    ("http", "legacy", "2025-11-25"),
    ("sessions", "legacy", "2025-11-25"),
    ("sse", "auto", "2026-07-28"),
    ("sse", "legacy", "2025-11-25"),
]


@asynccontextmanager
async def connected(serve: Any, route: str, mode: str) -> AsyncIterator[Client]:
    async with serve(sessions=route == "sessions") as server:
        target = sse_client(server.urls["sse"]) if route == "sse" else server.url
        async with Client(target, mode=mode) as client:
            yield client


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def error(result: CallToolResult) -> dict[str, Any]:
    """Check the envelope and return what is in it."""
    assert result.is_error
    assert result.structured_content is None
    envelope = json.loads(text(result))
    assert envelope["success"] is False
    assert {"code", "message"} <= set(envelope["error"])
    return envelope["error"]


@pytest.mark.parametrize(("route", "mode", "version"), ROUTES)
async def test_every_kind_of_call_is_answered(serve, route, mode, version):
    async with connected(serve, route, mode) as client:
        assert client.protocol_version == version

        good = await client.call_tool("count_words", {"text": "ein schönes \U0001f980"})
        assert good.structured_content == {"words": 3, "longest": "schönes"}
        assert json.loads(text(good)) == good.structured_content
        assert not good.is_error

        no_arguments = await client.call_tool("count_words")
        assert no_arguments.structured_content == {"words": 0, "longest": ""}

        invalid = error(await client.call_tool("count_words", {"text": 7}))
        assert invalid["code"] == "INVALID_INPUT"
        unknown = error(await client.call_tool("count_word", {"text": "a"}))
        assert unknown["code"] == "TOOL_NOT_FOUND"
        misread = error(await client.call_tool("misread", {"text": "x"}))
        assert misread["code"] == "PARSE_ERROR"
        assert misread["details"] == {"position": 7, "text": "x", "status": 400}
        crash = await client.call_tool("crash")
        assert error(crash)["code"] == "INTERNAL_ERROR"
        assert "secret" not in text(crash)

        report = await client.call_tool("report")
        assert text(report) == 'TN:\nSF:"Ünï".sol\n'  # raw, not JSON
        assert report.structured_content is None
        assert not report.is_error
        assert report.meta is not None
        assert report.meta["warning"] == "snapshot while fuzzing"


async def test_an_output_that_is_no_object_is_json_text(serve):
    async with connected(serve, "http", "auto") as client:
        result = await client.call_tool("items")
    assert json.loads(text(result)) == [3, 1, 2]
    assert result.structured_content is None


@pytest.mark.parametrize(("route", "mode"), [("http", "auto"), ("sse", "legacy")])
async def test_tools_are_listed_in_order_with_schemas_and_annotations(
    serve, route, mode
):
    async with connected(serve, route, mode) as client:
        listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    assert names == sorted(names)
    assert len(names) == 9
    tools = {tool.name: tool for tool in listed}
    counter = tools["count_words"]
    assert counter.title == "Count Words"
    assert counter.description == "What count_words does."
    assert set(counter.input_schema["properties"]) == {"text"}
    assert counter.output_schema is not None
    assert counter.output_schema["required"] == ["words", "longest"]
    assert tools["report"].output_schema is None
    assert tools["items"].output_schema is None
    assert "$schema" not in json.dumps([tool.model_dump() for tool in listed])

    def hints(name: str) -> tuple[bool | None, ...]:
        a = tools[name].annotations
        assert a is not None
        return (
            a.read_only_hint,
            a.destructive_hint,
            a.idempotent_hint,
            a.open_world_hint,
        )

    assert hints("count_words") == (True, False, False, False)
    assert hints("report") == (False, False, True, False)
    assert hints("crash") == (False, True, False, False)
    assert hints("shout") == (True, False, False, True)


async def test_the_dialect_is_declared_on_request(serve):
    async with (
        serve(declare_dialect=True) as server,
        Client(server.url) as client,
    ):
        for tool in (await client.list_tools()).tools:
            draft = "http://json-schema.org/draft-07/schema#"
            assert tool.input_schema["$schema"] == draft
            if tool.output_schema is not None:
                assert tool.output_schema["$schema"] == draft


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_server_introduces_itself_and_tells_an_agent_how_to_work(serve, mode):
    async with connected(serve, "http", mode) as client:
        guide = client.instructions
        assert client.server_info.name == "echidna-mcp"
        assert client.server_info.version == __version__
    assert guide is not None
    assert len(guide.encode()) < 2048
    for word in (
        "read_logs",
        "show_coverage",
        "prioritize_function",
        "inject_transaction",
        "find_transaction_in_corpus",
        "clear_priorities",
        "PARSE_ERROR",
        "untrusted",
    ):
        assert word in guide


async def test_three_clients_call_at_once_and_each_gets_its_own_answers(serve):
    async def work(target: Any, mode: Any, seed: str) -> None:
        async with Client(target, mode=mode) as client:
            calls = [
                client.call_tool("count_words", {"text": f"{seed} {seed * n}"})
                for n in range(1, 51)
            ]
            answers = await asyncio.gather(*calls)
        expected = [{"words": 2, "longest": seed * n} for n in range(1, 51)]
        assert [answer.structured_content for answer in answers] == expected

    async with serve() as server:
        await asyncio.gather(
            work(server.url, "auto", "a"),
            work(server.url, "legacy", "b"),
            work(sse_client(server.urls["sse"]), "legacy", "c"),
        )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_survives_a_restart_of_the_server(serve, mode):
    async with serve() as first:
        port = int(first.url.split(":")[2].split("/")[0])
        client = Client(first.url, mode=mode)
        await client.__aenter__()
        assert (await client.call_tool("items")).is_error is False
    async with serve(port=port):
        try:
            assert (await client.call_tool("items")).is_error is False
        finally:
            await client.__aexit__(None, None, None)


async def test_a_client_with_the_token_is_served(serve):
    async with serve(tokens={"s3cret": LOCAL}) as server:
        headers = {"Authorization": "Bearer s3cret"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(server.url, http_client=http)) as client,
        ):
            assert (await client.call_tool("items")).is_error is False
        stream = sse_client(server.urls["sse"], headers=headers)
        async with Client(stream) as client:
            assert (await client.call_tool("items")).is_error is False


async def test_results_of_a_list_may_be_cached_for_a_minute(serve):
    async with connected(serve, "http", "auto") as client:
        listed = await client.list_tools()
        prompts = await client.list_prompts()
    assert listed.ttl_ms == prompts.ttl_ms == 60_000
    assert prompts.cache_scope == "public"
    assert listed.cache_scope == "private"  # Who calls decides which there are.


class Defective(ToolService):
    async def call(
        self,
        name: str,
        arguments: object,
        progress: Progress | None = None,
        *,
        key: object = None,
        cursor: object = None,
        principal: Principal = LOCAL,
    ) -> NoReturn:
        raise RuntimeError("secret", name, arguments, progress, key, cursor, principal)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_defect_of_the_service_is_an_error_envelope_too(
    sample_catalogue, mode, caplog
):
    catalogue = Catalogue(
        Defective([], sample_catalogue.tools._stage), sample_catalogue.tools._stage
    )
    server = mcp_server(catalogue, TransportOptions(), connected=True)
    async with Client(server, mode=mode) as client:
        result = await client.call_tool("anything")
    assert error(result)["code"] == "INTERNAL_ERROR"
    assert "secret" not in text(result)
    assert "secret" in caplog.text


@pytest.mark.parametrize(("route", "mode", "version"), ROUTES)
async def test_a_tool_that_takes_long_tells_how_far_it_is(serve, route, mode, version):
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with connected(serve, route, mode) as client:
        assert client.protocol_version == version
        arguments = {"milliseconds": 20}
        told = await client.call_tool("count_up", arguments, progress_callback=hear)
        assert told.structured_content == {"steps": 3}
        silent = await client.call_tool("count_up", arguments)
        assert silent.structured_content == {"steps": 3}
    assert heard == [(0, 3, "step 0"), (1, 3, "step 1"), (2, 3, "step 2")]

"""The client of FastMCP, which gives results as typed data."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from typing import Any

import pytest
from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, KINDS, PROMPTS, SECONDS, VERSIONS, Updates
from live_server import LiveServer, command
from mcp.client.subscriptions import ResourceUpdated, listen
from mcp.types import CallToolResult
from tool_results import TOOLS, error_of, output_of

if importlib.util.find_spec("fastmcp") is None:
    message = "FastMCP is missing: run `nox -s clients`"
    if os.environ.get("REQUIRE_MCP_CLIENTS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)

from fastmcp import Client
from fastmcp.client.transports import (
    SSETransport,
    StdioTransport,
    StreamableHttpTransport,
)
from fastmcp.exceptions import ToolError

pytestmark = [
    pytest.mark.solc,
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]
# Over legacy HTTP+SSE it speaks only the revisions before 2026-07-28.
ROUTES = [("http", "auto"), ("http", "legacy"), ("sse", "legacy")]


def target(lab: LiveServer, route: str) -> Any:
    return (
        SSETransport(lab.sse_url)
        if route == "sse"
        else StreamableHttpTransport(lab.url)
    )


async def use(client: Client[Any]) -> None:
    """List, call all nine, read and ask."""
    assert [tool.name for tool in await client.list_tools()] == TOOLS
    for name, arguments in CALLS.items():
        output_of(name, await client.call_tool_mcp(name, arguments))
    size = await client.call_tool("get_corpus_size")
    assert size.data.size > 0
    with pytest.raises(ToolError, match="unlock"):
        await client.call_tool(*WRONG)
    wrong = await client.call_tool_mcp(*WRONG)
    assert isinstance(wrong, CallToolResult)
    assert error_of(wrong)["code"] == "PARSE_ERROR"

    uris = [str(each.uri) for each in await client.list_resources()]
    families = [each.uri_template for each in await client.list_resource_templates()]
    assert {*uris, *families} >= KINDS
    for uri in (*uris, f"{CAMPAIGN}/corpus/0", f"{CAMPAIGN}/sources/0/0"):
        (content,) = await client.read_resource(uri)
        assert content.text
    assert [each.name for each in await client.list_prompts()] == list(PROMPTS)
    for name in PROMPTS:
        assert (await client.get_prompt(name)).messages[0].content.text


@pytest.mark.parametrize(("route", "mode"), ROUTES)
async def test_everything_over_http(lab, route, mode):
    async with Client(target(lab, route), mode=mode) as client:
        assert client.protocol_version == VERSIONS[mode]
        await use(client)


async def test_it_listens_through_its_session(lab):
    async with Client(target(lab, "http")) as client:
        async with listen(client.session, resource_subscriptions=[CAMPAIGN]) as news:
            for _ in range(2):
                event = await asyncio.wait_for(anext(news), SECONDS)
                assert event == ResourceUpdated(CAMPAIGN)
        await client.list_tools()


async def test_it_subscribes_through_its_session(lab):
    updates = Updates()
    transport = target(lab, "sse")
    async with Client(transport, mode="legacy", message_handler=updates.hear) as client:
        await client.session.subscribe_resource(CAMPAIGN)
        for _ in range(2):
            assert await updates.next() == CAMPAIGN
        await client.session.unsubscribe_resource(CAMPAIGN)
        await client.list_tools()


async def test_everything_over_stdio(lab_arguments, tmp_path):
    words = command("serve", *lab_arguments, "--transport", "stdio")
    words += ["--corpus-dir", str(tmp_path / "campaign")]
    transport = StdioTransport(words[0], words[1:], env=dict(os.environ))
    async with Client(transport, init_timeout=120) as client:
        events: list[Any] = []
        while not events:
            asked = {"eventType": "PropertyFalsified", "count": 1}
            events = (await client.call_tool("read_logs", asked)).data.events
        await use(client)
    await transport.close()

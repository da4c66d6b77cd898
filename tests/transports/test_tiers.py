"""Tools are there for tiers: not listed above the caller's, and refused by name."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.server.http import HttpServer
from echidna_mcp.tools.principal import TIERS, Principal
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import Tool
from echidna_mcp_plugins.editor.errors import EDITOR_ERRORS
from echidna_mcp_plugins.transports import http, sse
from echidna_mcp_plugins.transports.mcp_server import mcp_server

TOKENS = {
    "few": Principal("visitor"),
    "many": Principal("studio", "tier3"),
}
ROUTES = [
    ("http", "auto", False),
    ("http", "legacy", False),
    ("http", "legacy", True),
    ("sse", "auto", False),
    ("sse", "legacy", False),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments."""


async def who(_given, context):
    return {
        "tier": context.principal.tier,
        "name": context.principal.name,
        "tools": [spec.name for spec in context.tools],
    }


def spec(name, tier):
    return ToolSpec(
        name=name,
        title=name,
        description="Says who calls.",
        category="project",
        safety_level="read-only",
        tier=tier,
        input_schema={"type": "object", "properties": {}},
        output_schema={"type": "object"},
        errors=("PERMISSION_DENIED",),
        timeout_ms=5000,
        family="editor",
        aliases=(name.replace(".", "_"),),
        needs_campaign=False,
    )


def catalogue():
    tools = [
        Tool(spec("project.free", "core"), Nothing, who),
        Tool(spec("project.paid", "tier2"), Nothing, who),
    ]
    stage = Stage()
    renderers = {"editor": EDITOR_ERRORS}
    return Catalogue(ToolService(tools, stage, renderers=renderers), stage)


@asynccontextmanager
async def connected(route, mode, sessions, token):
    server = HttpServer(
        [*http.register_transports(), *sse.register_transports()],
        tokens=TOKENS,
        options=TransportOptions(legacy_sessions=sessions),
    )
    ready = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(server.serve(catalogue(), ready.set_result))
    await ready
    headers = {"Authorization": f"Bearer {token}"}
    try:
        async with httpx2.AsyncClient(headers=headers) as web:
            target = (
                sse_client(server.urls["sse"], headers=headers)
                if route == "sse"
                else streamable_http_client(server.url, http_client=web)
            )
            async with Client(target, mode=mode) as client:
                yield client
    finally:
        server.stop()
        await task


@pytest.mark.parametrize(("route", "mode", "sessions"), ROUTES)
async def test_each_token_has_the_tools_of_its_tier(route, mode, sessions):
    async with connected(route, mode, sessions, "many") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["project.free", "project.paid"]
        result = await client.call_tool("project.paid", {})
        assert result.structured_content == {
            "tier": "tier3",
            "name": "studio",
            "tools": ["project.free", "project.paid"],
        }
    async with connected(route, mode, sessions, "few") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["project.free"]
        result = await client.call_tool("project.free", {})
        assert result.structured_content["tools"] == ["project.free"]


@pytest.mark.parametrize("name", ["project.paid", "project_paid"])
@pytest.mark.parametrize(("route", "mode", "sessions"), ROUTES)
async def test_a_call_above_the_tier_is_refused_with_both_tiers(
    route, mode, sessions, name
):
    async with connected(route, mode, sessions, "few") as client:
        result = await client.call_tool(name, {})
    assert result.is_error
    body = json.loads(result.content[0].text)
    assert body["code"] == -32005
    assert body["data"]["errorType"] == "permission"
    details = body["data"]["details"]
    assert (details["requiredTier"], details["currentTier"]) == ("tier2", "core")
    assert "is for the tier tier2, and yours is core" in body["message"]


@pytest.mark.parametrize("tier", TIERS)
async def test_without_tokens_the_tier_of_the_server_counts(tier):
    principal = Principal("local", tier)
    options = replace(TransportOptions(), principal=principal)
    server = mcp_server(catalogue(), options, connected=True)
    async with Client(server) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
    assert ("project.paid" in listed) == (tier not in {"core", "tier1"})


async def test_nobody_is_told_of_tools_that_are_not_for_everybody():
    server = mcp_server(catalogue(), TransportOptions(), connected=True)
    async with Client(server) as client:
        assert "project.free" in client.instructions
        assert "project.paid" not in client.instructions


def test_tiers_include_those_before_them():
    for number, tier in enumerate(TIERS):
        principal = Principal("x", tier)
        assert [principal.may_call(each) for each in TIERS] == [
            index <= number for index in range(len(TIERS))
        ]
        assert not principal.may_call("gold")

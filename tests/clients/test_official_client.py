"""The official client over Streamable HTTP and legacy HTTP+SSE, in both eras.

A real `echidna-mcp serve` fuzzes meanwhile.
"""

from __future__ import annotations

from typing import Any

import pytest
from client_steps import (
    CAMPAIGN,
    connected,
    hear_only_what_was_asked_for,
    listen_for_rounds,
    subscribe_to_rounds,
    take_every_step,
)
from live_server import LiveServer
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError
from mcp.types import METHOD_NOT_FOUND

pytestmark = [
    pytest.mark.solc,
    # They subscribe as long as there are clients that do.
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]
ROUTES = [("http", "auto"), ("http", "legacy"), ("sse", "auto"), ("sse", "legacy")]


def target(lab: LiveServer, route: str) -> Any:
    return sse_client(lab.sse_url) if route == "sse" else lab.url


@pytest.mark.parametrize(("route", "mode"), ROUTES)
async def test_tools_resources_prompts_and_completions(lab, route, mode):
    async with connected(target(lab, route), mode) as connection:
        await take_every_step(connection)


@pytest.mark.parametrize("route", ["http", "sse"])
async def test_a_listening_client_hears_of_committed_rounds(lab, route):
    async with connected(target(lab, route), "auto") as connection:
        await listen_for_rounds(connection)
        await hear_only_what_was_asked_for(connection)


async def test_a_subscribed_client_hears_of_committed_rounds(lab):
    async with connected(target(lab, "sse"), "legacy") as connection:
        await subscribe_to_rounds(connection)


async def test_without_a_session_subscribing_is_neither_offered_nor_possible(lab):
    async with connected(target(lab, "http"), "legacy") as connection:
        client = connection.client
        assert client.server_capabilities.resources is not None
        assert not client.server_capabilities.resources.subscribe
        with pytest.raises(MCPError) as refused:
            await client.subscribe_resource(CAMPAIGN)
        assert refused.value.code == METHOD_NOT_FOUND

"""`langchain.mcp` over each transport that it has.

It gives an agent tools and nothing else: neither resources nor prompts become anything
of LangChain's, and there is nothing to subscribe with. What it works with is a client
of FastMCP, handed out as `adapter.client` for everything else; that one is tested here,
too, because it is how an application on `langchain.mcp` gets at the rest.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, KINDS, PROMPTS, SECONDS, VERSIONS, Updates
from lab_contract import UNLOCK
from langchain_tools import LangChainAgent, require_langchain
from live_server import stdio_parameters
from mcp.client.subscriptions import ResourceUpdated, listen
from mcp.types import PromptReference
from tool_results import TOOLS

require_langchain()

# ruff: noqa: E402 (what may be missing is imported after the question whether it is)
from fastmcp import Client
from langchain.mcp import MCPAdapter

pytestmark = [
    pytest.mark.solc,
    # They subscribe as long as there are clients that do.
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]
# Over legacy HTTP+SSE, FastMCP speaks only the revisions before 2026-07-28.
ROUTES = [
    *(("http", "auto"), ("http", "legacy"), ("sse", "legacy")),
    *(("stdio", "auto"), ("stdio", "legacy")),
]
MEMBERS = ("corpus/0", "reproducers/echidna_says_nothing", "sources/0/0")


@pytest.fixture
def target(request, route, tmp_path):
    """What `MCPAdapter` takes: a URL, or a configuration as other clients have it."""
    if route == "stdio":
        given = stdio_parameters(
            *(tmp_path / "campaign", request.getfixturevalue("lab_program")),
            *("--executor", "inline", "--workers", 1, "--round-budget", 20_000),
        )
        entry = {"command": given.command, "args": given.args, "env": given.env}
        return {"mcpServers": {"echidna": entry}}
    lab = request.getfixturevalue("lab")
    return lab.sse_url if route == "sse" else lab.url


@asynccontextmanager
async def connected(target, mode, updates=None):
    """Connect, and wait until there is something of every kind."""
    hear = updates.hear if updates else None
    async with MCPAdapter(Client(target, mode=mode, message_handler=hear)) as adapter:
        try:
            assert adapter.client.protocol_version == VERSIONS[mode]
            agent = LangChainAgent(await adapter.list_tools())
            async with asyncio.timeout(SECONDS):
                while not await falsified(adapter.client):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            yield adapter.client, agent
        finally:
            await adapter.client.close()  # A server that it started would stay.


async def falsified(client):
    """Return the failures, also those that have left the log."""
    (content,) = await client.read_resource(f"{CAMPAIGN}/events/PropertyFalsified")
    return json.loads(content.text)["events"]


async def call_all_nine(agent):
    assert sorted(agent.tools) == TOOLS
    answers = {name: await agent.ask(name, **CALLS[name]) for name in CALLS}
    assert sorted(answers) == TOOLS
    assert answers["prioritize_function"]["prioritizedFunctions"] == [UNLOCK]
    assert answers["inject_transaction"]["injectedCount"] == 2
    assert (await agent.fail(WRONG[0], **WRONG[1]))["code"] == "PARSE_ERROR"


async def read_and_ask(client):
    """Read a resource of each kind, and get the prompts."""
    listed = [each.uri for each in await client.list_resources()]
    families = [each.uri_template for each in await client.list_resource_templates()]
    assert {*listed, *families} >= KINDS
    texts = {}
    for uri in (*listed, *(f"{CAMPAIGN}/{member}" for member in MEMBERS)):
        (content,) = await client.read_resource(uri)
        texts[uri] = content.text
    assert all(texts.values())
    assert json.loads(texts[CAMPAIGN])["contract"].endswith("Lab")
    assert json.loads(texts[f"{CAMPAIGN}/corpus/0"])["sequence"] == 0

    assert [each.name for each in await client.list_prompts()] == list(PROMPTS)
    for name in PROMPTS:
        assert len((await client.get_prompt(name)).messages[0].content.text) > 200
    of = PromptReference(name="raise_coverage")
    found = await client.complete(of, {"name": "function", "value": "unlo"})
    given = {"function": found.values[0]}
    (message,) = (await client.get_prompt("raise_coverage", given)).messages
    assert UNLOCK in message.content.text


async def hear_of_rounds(client, mode, updates):
    if mode == "auto":
        async with listen(client.session, resource_subscriptions=[CAMPAIGN]) as news:
            for _ in range(2):
                event = await asyncio.wait_for(anext(news), SECONDS)
                assert event == ResourceUpdated(CAMPAIGN)
    else:
        await client.session.subscribe_resource(CAMPAIGN)
        for _ in range(2):
            assert await updates.next() == CAMPAIGN
        await client.session.unsubscribe_resource(CAMPAIGN)
    await client.list_tools()  # The server has seen by now that nobody listens.


@pytest.mark.parametrize(("route", "mode"), ROUTES)
async def test_all_nine_tools_and_the_rest_through_its_client(target, route, mode):
    updates = Updates()
    async with connected(target, mode, updates) as (client, agent):
        await call_all_nine(agent)
        await read_and_ask(client)
        # Over HTTP the older revisions have no session here, so nobody to tell.
        if (route, mode) != ("http", "legacy"):
            await hear_of_rounds(client, mode, updates)


@pytest.mark.parametrize("route", ["http", "sse", "stdio"])
async def test_a_plain_target_gives_the_same_tools(target):
    async with MCPAdapter(target) as adapter:
        agent = LangChainAgent(await adapter.list_tools())
        assert sorted(agent.tools) == TOOLS
        shown = await agent.ask("show_coverage")
        assert shown["contracts"][0]["name"] == "Lab"
        await adapter.client.close()

"""What a real client does with our server, step by step, over any transport."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from client_calls import CALLS, WRONG
from lab_contract import FUNCTIONS, UNLOCK
from lcov_reader import parse
from mcp import Client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.types import (
    PromptReference,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    TextContent,
    TextResourceContents,
)
from tool_results import TOOLS, Agent

CAMPAIGN = "echidna://campaign"
KINDS = {
    CAMPAIGN,
    *(f"{CAMPAIGN}/{name}" for name in ("events", "history", "coverage")),
    f"{CAMPAIGN}/coverage.lcov",
    f"{CAMPAIGN}/executions",
    f"{CAMPAIGN}/corpus/{{index}}",
    f"{CAMPAIGN}/reproducers/{{property}}",
    f"{CAMPAIGN}/contracts/{{tool}}",
    f"{CAMPAIGN}/sources/{{file}}/{{page}}",
    f"{CAMPAIGN}/events/{{type}}",
    "ui://echidna/campaign.html",
}
PROMPTS = ("raise_coverage", "triage_property", "write_handler")
SECONDS = 120.0


VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


class Updates:
    """Remembers the updates that a client before 2026-07-28 is told of."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._heard = asyncio.Event()

    async def hear(self, message: Any) -> None:
        """Take any message of the server: the client's `message_handler`."""
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.append(str(message.params.uri))
            self._heard.set()

    async def next(self) -> str:
        """Forget the old ones and wait for another."""
        self.uris.clear()
        self._heard.clear()
        await asyncio.wait_for(self._heard.wait(), SECONDS)
        return self.uris[0]


@dataclass(frozen=True)
class Connection:
    """A client, and what it is told without asking."""

    client: Client
    updates: Updates


@asynccontextmanager
async def connected(target: Any, mode: str) -> AsyncIterator[Connection]:
    """Connect to what `mcp.Client` takes, in one of the two eras."""
    updates = Updates()
    async with Client(
        target, mode=mode, message_handler=updates.hear, read_timeout_seconds=60
    ) as client:
        assert client.protocol_version == VERSIONS[mode]
        yield Connection(client, updates)


async def take_every_step(connection: Connection) -> None:
    """Use all that a client of any revision can use."""
    await call_all_nine(connection.client)
    await read_every_kind(connection.client)
    await ask_for_prompts(connection.client)
    await complete_signatures(connection.client)


async def call_all_nine(client: Client) -> None:
    """List the tools, call each, and repair a wrong call as a model would."""
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    agent = Agent(client)
    answers = {name: await agent.ask(name, **CALLS[name]) for name in CALLS}
    assert sorted(answers) == TOOLS
    assert answers["prioritize_function"]["prioritizedFunctions"] == [UNLOCK]
    assert answers["inject_transaction"]["injectedCount"] == 2
    assert answers["clear_priorities"]["clearedCount"] >= 1
    assert (await agent.fail(WRONG[0], **WRONG[1]))["code"] == "PARSE_ERROR"


async def read_every_kind(client: Client) -> None:
    """Read what is listed, and of each family the member that is completed first."""
    listed = [each.uri for each in (await client.list_resources()).resources]
    templates = (await client.list_resource_templates()).resource_templates
    families = [each.uri_template for each in templates]
    assert {*listed, *families} >= KINDS
    contents = {uri: await _read(client, uri) for uri in listed}
    for family in families:
        contents[family] = await _read(client, await _first_member(client, family))

    campaign = json.loads(contents[CAMPAIGN])
    assert campaign["contract"].endswith("Lab")
    assert campaign["round"] > 0
    assert parse(contents[f"{CAMPAIGN}/coverage.lcov"])["Lab.sol"].totals["LH"] > 0
    reproducer = json.loads(contents[f"{CAMPAIGN}/reproducers/{{property}}"])
    assert "echidna_says_nothing" in json.dumps(reproducer)
    tools = {uri.rpartition("/")[2] for uri in listed if "/contracts/" in uri}
    assert tools == set(TOOLS)


async def ask_for_prompts(client: Client) -> None:
    """Get each prompt, without arguments and with completed ones."""
    prompts = {each.name: each for each in (await client.list_prompts()).prompts}
    assert sorted(prompts) == list(PROMPTS)
    for name, prompt in prompts.items():
        of = PromptReference(name=name)
        names = [each.name for each in prompt.arguments or []]
        given = {each: (await _complete(client, of, each))[0] for each in names}
        assert given
        await _prompt(client, name, {})
        text = await _prompt(client, name, given)
        assert all(value in text for value in given.values())


async def _prompt(client: Client, name: str, arguments: dict[str, str]) -> str:
    (message,) = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    assert len(message.content.text) > 200
    return message.content.text


async def complete_signatures(client: Client) -> None:
    """Complete the beginning of a function's name, the middle of one, and nonsense."""
    prompt = PromptReference(name="raise_coverage")
    everything = await _complete(client, prompt, "function")
    assert {*FUNCTIONS, UNLOCK} <= set(everything)
    assert await _complete(client, prompt, "function", "WITH") == ["withdraw(uint256)"]
    assert UNLOCK in await _complete(client, prompt, "function", "lock")
    assert await _complete(client, prompt, "function", "nonsense") == []


async def listen_for_rounds(connection: Connection) -> None:
    """Hear of a committed round as clients of 2026-07-28 do, and read it."""
    client = connection.client
    assert client.server_capabilities.resources is not None
    assert client.server_capabilities.resources.subscribe
    async with client.listen(resource_subscriptions=[CAMPAIGN]) as news:
        assert news.honored.resource_subscriptions == [CAMPAIGN]
        before = await _round(client)
        for _ in range(2):
            event = await asyncio.wait_for(anext(news), SECONDS)
            assert event == ResourceUpdated(CAMPAIGN)
        assert await _round(client) > before
    await _round(client)  # The server has seen by now that nobody listens.


async def hear_only_what_was_asked_for(connection: Connection) -> None:
    """Listen to one resource and to the list of resources, among many changes."""
    client = connection.client
    events = f"{CAMPAIGN}/events"
    async with client.listen(
        resource_subscriptions=[events], resources_list_changed=True
    ) as news:
        await client.call_tool("clear_priorities")
        for _ in range(3):
            event = await asyncio.wait_for(anext(news), SECONDS)
            assert event in (ResourceUpdated(events), ResourcesListChanged())
    await _round(client)


async def subscribe_to_rounds(connection: Connection) -> None:
    """Hear of a committed round as clients before 2026-07-28 do, until enough."""
    client, updates = connection.client, connection.updates
    assert client.server_capabilities.resources is not None
    assert client.server_capabilities.resources.subscribe
    await client.subscribe_resource(CAMPAIGN)
    before = await _round(client)
    assert await updates.next() == CAMPAIGN
    assert await updates.next() == CAMPAIGN
    assert await _round(client) > before

    await client.unsubscribe_resource(CAMPAIGN)
    await client.subscribe_resource(f"{CAMPAIGN}/history")
    await updates.next()  # One of the campaign may have been on its way.
    for _ in range(3):
        assert await updates.next() == f"{CAMPAIGN}/history"
    await client.unsubscribe_resource(f"{CAMPAIGN}/history")
    await _round(client)


async def _round(client: Client) -> int:
    number = json.loads(await _read(client, CAMPAIGN))["round"]
    assert isinstance(number, int)
    return number


async def _read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.uri == uri
    if content.mime_type == "application/json":
        json.loads(content.text)
    assert content.text
    return content.text


MOST_VALUES = 100
"""Values that a completion has at most (MCP)."""


async def _first_member(client: Client, family: str) -> str:
    uri = family
    for variable in re.findall(r"\{(\w+)\}", family):
        values = await _complete(
            client, ResourceTemplateReference(uri=family), variable
        )
        uri = uri.replace(f"{{{variable}}}", quote(values[0], safe=""))
    return uri


async def _complete(
    client: Client,
    of: PromptReference | ResourceTemplateReference,
    name: str,
    typed: str = "",
) -> list[str]:
    answer = await client.complete(of, {"name": name, "value": typed})
    # A corpus may have more of them than an answer has room for.
    assert answer.completion.total == len(answer.completion.values) or (
        answer.completion.has_more and answer.completion.total > MOST_VALUES
    )
    return answer.completion.values

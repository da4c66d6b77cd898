"""A client on langchain-mcp-adapters, which needs an environment of its own (mcp < 2).

Reads a job as JSON on standard input: connections as `MultiServerMCPClient` takes them,
calls of tools, URIs of resources, prompts with their arguments, and a resource to wait
for updates of. Does all of it over each connection and writes what came of it as JSON.

It loads tools, resources and prompts. It has nothing that lists templates of resources,
completes or subscribes; the session that it hands out, one of the official SDK, has.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Any

from langchain_core.documents.base import Blob
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.prompts import load_mcp_prompt
from langchain_mcp_adapters.resources import load_mcp_resources
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession, McpError
from mcp.types import ResourceUpdatedNotification, ServerNotification
from pydantic import AnyUrl

FALSIFIED = "echidna://campaign/events/PropertyFalsified"
UPDATES = 3
SECONDS = 60.0


class Updates:
    """Remembers the updates that a connection is told of."""

    def __init__(self) -> None:
        self.uris: asyncio.Queue[str] = asyncio.Queue()

    async def hear(self, message: object) -> None:
        """Take any message of the server: the session's `message_handler`."""
        if isinstance(message, ServerNotification):
            news = message.root
            if isinstance(news, ResourceUpdatedNotification):
                self.uris.put_nowait(str(news.params.uri))

    async def first(self, session: ClientSession, uri: str) -> list[str] | str:
        """Subscribe to a resource; return what some updates name, or the refusal."""
        try:
            await session.subscribe_resource(AnyUrl(uri))
        except McpError as error:
            return error.error.message
        found = [await self.uris.get() for _ in range(UPDATES)]
        await session.unsubscribe_resource(AnyUrl(uri))
        return found


@dataclass(frozen=True)
class Job:
    """What is to be done over each connection."""

    connections: dict[str, dict[str, Any]]
    calls: list[tuple[str, dict[str, Any]]]
    uris: list[str]
    prompts: dict[str, dict[str, str]]
    watch: str

    async def use(self, name: str) -> dict[str, Any]:
        """Do it over one connection."""
        updates = Updates()
        given = {"session_kwargs": {"message_handler": updates.hear}}
        connection = {**self.connections[name], **given}
        client = MultiServerMCPClient({name: connection})
        async with client.session(name) as session:
            tools = {tool.name: tool for tool in await load_mcp_tools(session)}
            await something_of_every_kind(session)
            found = {
                "tools": sorted(tools),
                "calls": [await call(tools[tool], given) for tool, given in self.calls],
                "listed": [shown(each) for each in await load_mcp_resources(session)],
                "read": [
                    shown(each)
                    for each in await load_mcp_resources(session, uris=self.uris)
                ],
                "prompts": {
                    prompt: said(
                        await load_mcp_prompt(session, prompt, arguments=given)
                    )
                    for prompt, given in self.prompts.items()
                },
                "updates": await updates.first(session, self.watch),
            }
        # The client's own methods connect anew for each; there is a campaign now.
        (tool,) = [
            tool
            for tool in await client.get_tools(server_name=name)
            if tool.name == "get_corpus_size"
        ]
        prompt, given = next(iter(self.prompts.items()))
        (resource,) = await client.get_resources(name, uris=self.watch)
        asked = await client.get_prompt(name, prompt, arguments=given)
        return found | {
            "again": {
                "call": await call(tool, {}),
                "read": shown(resource),
                "prompt": said(asked),
            }
        }


async def call(tool: BaseTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool as an agent does; return what a model is shown."""
    given = {"type": "tool_call", "name": tool.name, "args": arguments, "id": "1"}
    try:
        message = await tool.ainvoke(given)
    except Exception as error:  # noqa: BLE001 (how it tells a failed call)
        return {"tool": tool.name, "status": "error", "text": str(error)}
    artifact = message.artifact or {}
    return {
        "tool": tool.name,
        "status": message.status,
        "text": message.text if isinstance(message.text, str) else "",
        "structured": artifact.get("structured_content"),
    }


async def something_of_every_kind(session: ClientSession) -> None:
    """Wait for the first falsified property; there is a corpus by then."""
    found: list[Any] = []
    while not found:
        (events,) = await load_mcp_resources(session, uris=[FALSIFIED])
        found = json.loads(events.as_string())["events"]
        await asyncio.sleep(0.05)


def shown(resource: Blob) -> dict[str, Any]:
    """Return what an application gets of a resource."""
    return {
        "uri": str(resource.metadata["uri"]),
        "mime": resource.mimetype,
        "text": resource.as_string(),
    }


def said(messages: list[Any]) -> list[tuple[str, str]]:
    """Return who says what in a prompt."""
    return [
        (message.type, str(message.content))
        for message in messages
        if isinstance(message, BaseMessage)
    ]


async def main() -> None:
    """Use every connection."""
    job = Job(**json.load(sys.stdin))
    async with asyncio.timeout(SECONDS * len(job.connections)):
        found = {name: await job.use(name) for name in job.connections}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())

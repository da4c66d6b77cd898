"""The campaign as its tools show it: what the agent asks without its model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from fastmcp import Client
from langchain.mcp import MCPAdapter
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

Function: TypeAlias = tuple[str, str]
"""Contract and signature."""

_POLL_SECONDS = 0.2


class CampaignError(Exception):
    """The server refused what it should not have refused."""


class Campaign:
    """A campaign, reached through its tools.

    Args:
        tools: as LangChain has them from the server.

    """

    def __init__(self, tools: Iterable[BaseTool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def tool(self, name: str) -> BaseTool:
        """Return a tool for a model to call."""
        return self._tools[name]

    async def ask(self, name: str, **arguments: Any) -> Any:  # noqa: ANN401 (JSON)
        """Call a tool.

        Returns:
            Its structured result, or the text if it has none.

        Raises:
            CampaignError: the call failed.

        """
        call = {"type": "tool_call", "name": name, "args": arguments, "id": name}
        message = await self._tools[name].ainvoke(call)
        if message.status == "error":
            raise CampaignError(f"{name}: {message.text}")
        structured = (message.artifact or {}).get("structured_content")
        return message.text if structured is None else structured

    async def coverage(self) -> dict[Function, float]:
        """Return the line coverage of every function, in percent."""
        shown = await self.ask("show_coverage")
        return {
            (contract["name"], function["signature"]): function["lineCoverage"]
            for contract in shown["contracts"]
            for function in contract.get("functions", ())
            # Constants and the like have no arguments and can't be called.
            if function["signature"].endswith(")")
        }

    async def lines(self) -> dict[str, dict[int, bool]]:
        """Return, for each source file, the lines with code and whether they ran."""
        found: dict[str, dict[int, bool]] = {}
        file: dict[int, bool] = {}
        for line in (await self.ask("dump_lcov")).splitlines():
            tag, _, value = line.partition(":")
            if tag == "SF":
                file = found.setdefault(value, {})
            elif tag == "DA":
                number, _, count = value.partition(",")
                file[int(number)] = int(count) > 0
        return found

    async def corpus_size(self) -> int:
        """Return how many transactions the corpus has."""
        size = (await self.ask("get_corpus_size"))["size"]
        return int(size)

    async def wait_for(self, call: str, since: int) -> None:
        """Wait until an injected call has run.

        Args:
            call: as it was written.
            since: size of the corpus before it was injected.

        Raises:
            TimeoutError: it was not there in time; set a limit with asyncio.timeout.

        """
        name = call.partition("(")[0].strip()
        while True:
            found = await self.ask("find_transaction_in_corpus", functionSignature=name)
            if any(
                match["injected"] and match["index"] >= since
                for match in found["matches"]
            ):
                return
            await asyncio.sleep(_POLL_SECONDS)


def refusal(message: ToolMessage) -> str:
    """Return what a failed call says, in one sentence if it is as we know it."""
    try:
        error: Mapping[str, Any] = json.loads(message.text)["error"]
        return f"{error['code']}: {error['message']}"
    except (ValueError, KeyError, TypeError):
        return message.text


@asynccontextmanager
async def connect(url: str, token: str | None = None) -> AsyncIterator[Campaign]:
    """Connect to a server.

    Args:
        url: of Streamable HTTP or of the older event stream.
        token: that the server asks for.

    """
    async with MCPAdapter(Client(url, auth=token)) as adapter:
        yield Campaign(await adapter.list_tools())

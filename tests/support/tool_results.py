"""What the required schemas say about an answer of the official client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, FormatChecker
from mcp import Client
from mcp.types import CallToolResult, TextContent

_TESTS = Path(__file__).parents[1]
_REQUIRED = json.loads(
    (_TESTS / "contracts" / "required_schemas.json").read_text("utf-8")
)
TOOLS = sorted(_REQUIRED["tools"])
_OUTPUTS = {
    name: Draft7Validator(schemas["output"], format_checker=FormatChecker())
    for name, schemas in _REQUIRED["tools"].items()
}
# The requirement's error schema, with the two codes of its own edge cases.
_ERROR = Draft7Validator(
    json.loads((_TESTS.parent / "contracts" / "error.json").read_text("utf-8"))
)


def text_of(result: CallToolResult) -> str:
    """Return the text, which is all that some clients read."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def output_of(tool: str, result: CallToolResult) -> Any:
    """Return the output of a call that succeeded, checked against its schema."""
    text = text_of(result)
    assert not result.is_error, text
    if tool == "dump_lcov":  # plain text, not JSON, says its schema
        assert result.structured_content is None
        output: Any = text
    else:
        output = result.structured_content
        assert json.loads(text) == output
    _OUTPUTS[tool].validate(output)
    return output


def check_error(envelope: Any) -> dict[str, Any]:
    """Return the error of an ErrorResponse, checked against its schema."""
    _ERROR.validate(envelope)
    assert envelope["error"]["message"]
    body = envelope["error"]
    assert isinstance(body, dict)
    return body


def error_of(result: CallToolResult) -> dict[str, Any]:
    """Return the error of a call that failed, checked against its schema."""
    assert result.is_error, result
    assert result.structured_content is None
    return check_error(json.loads(text_of(result)))


class Agent:
    """An agent that believes only what fits the required schemas."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that must succeed; return its output."""
        return output_of(tool, await self.client.call_tool(tool, arguments))

    async def fail(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail; return the error."""
        return error_of(await self.client.call_tool(tool, arguments))


@asynccontextmanager
async def agent_at(target: Any, **options: Any) -> AsyncIterator[Agent]:
    """Connect an agent to what `mcp.Client` takes; leave no priorities behind."""
    async with Client(target, **options) as client:
        agent = Agent(client)
        try:
            yield agent
        finally:
            await client.call_tool("clear_priorities")

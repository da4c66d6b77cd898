"""LangChain as a client of our server: its tools, and a chat model without any key.

LangChain is in a dependency group of its own, which `nox -s agents` installs.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft7Validator, FormatChecker
from tool_results import check_error

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.tools import BaseTool

_REQUIRED = Path(__file__).parents[1] / "contracts" / "required_schemas.json"
_TOOLS = json.loads(_REQUIRED.read_text("utf-8"))["tools"]


def require_langchain() -> None:
    """Fail if LangChain is missing; modules call it before they import that."""
    if importlib.util.find_spec("langchain") and importlib.util.find_spec("fastmcp"):
        # The first import says that it is in beta, whatever the filters are.
        with warnings.catch_warnings(record=True):
            importlib.import_module("langchain.mcp")
        return
    message = "LangChain is missing: run `nox -s agents`, or install the group agents"
    pytest.fail(message, pytrace=False)


class LangChainAgent:
    """Calls tools as an agent of LangChain does, and believes only valid results."""

    def __init__(self, tools: Sequence[BaseTool]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def message(self, name: str, arguments: dict[str, Any]) -> ToolMessage:
        """Return what a model is shown of a call."""
        call = {"type": "tool_call", "name": name, "args": arguments, "id": "1"}
        message: ToolMessage = await self.tools[name].ainvoke(call)
        return message

    async def ask(self, name: str, **arguments: Any) -> Any:
        """Call a tool that must succeed; return its output."""
        message = await self.message(name, arguments)
        assert message.status == "success", message
        return output_of(name, message)

    async def fail(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail; return the error."""
        return error_of(await self.message(name, arguments))


def output_of(name: str, message: ToolMessage) -> Any:
    """Return the output of a call, which is the same as text and as an artifact."""
    structured = (message.artifact or {}).get("structured_content")
    if name == "dump_lcov":  # plain text, not JSON, says its schema
        assert structured is None
        output: Any = message.text
    else:
        output = structured
        assert json.loads(message.text) == output
    schema = _TOOLS[name]["output"]
    Draft7Validator(schema, format_checker=FormatChecker()).validate(output)
    return output


def error_of(message: ToolMessage) -> dict[str, Any]:
    """Return the error of a call that failed, as a model reads it."""
    assert message.status == "error", message
    return check_error(json.loads(message.text))


@asynccontextmanager
async def langchain_agent(target: Any) -> AsyncIterator[LangChainAgent]:
    """Connect to what `MCPAdapter` takes; leave no priorities behind."""
    from langchain.mcp import MCPAdapter  # noqa: PLC0415

    async with MCPAdapter(target) as adapter:
        agent = LangChainAgent(await adapter.list_tools())
        try:
            yield agent
        finally:
            await agent.message("clear_priorities", {})


Turn = Callable[[Sequence["BaseMessage"]], "AIMessage"]
"""What a scripted model answers to all that was said so far."""


def scripted_model(turns: Sequence[Turn]) -> BaseChatModel:
    """Return a chat model that takes these turns, one after the other.

    It can be given tools, as `create_agent` does; their names are in `bound`.
    """
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415
    from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: PLC0415
    from pydantic import Field  # noqa: PLC0415

    class ScriptedModel(BaseChatModel):
        turns: list[Any]
        bound: list[str] = Field(default_factory=list)

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            self.bound.extend(tool.name for tool in tools)
            return self

        def _generate(
            self, messages: list[BaseMessage], *_: Any, **__: Any
        ) -> ChatResult:
            assert self.turns, f"the script has ended; asked {messages[-1]}"
            message = self.turns.pop(0)(messages)
            return ChatResult(generations=[ChatGeneration(message=message)])

        @property
        def _llm_type(self) -> str:
            return "scripted"

    return ScriptedModel(turns=list(turns))


def calling(name: str, **arguments: Any) -> AIMessage:
    """Return the message of a model that calls a tool."""
    from langchain_core.messages import AIMessage  # noqa: PLC0415

    call = {"name": name, "args": arguments, "id": name, "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def saying(text: str) -> AIMessage:
    """Return the message of a model that calls no tool."""
    from langchain_core.messages import AIMessage  # noqa: PLC0415

    return AIMessage(text)

"""What a fixture tool is, and the contents of which answers are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import mcp.types as wire
from mcp.server.context import ServerRequestContext

Context: TypeAlias = ServerRequestContext[dict[str, Any]]
Answer: TypeAlias = wire.CallToolResult | wire.InputRequiredResult

# A picture of one red dot, and a sound of no samples.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAA"
    "AABJRU5ErkJggg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="


def arguments(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments that are all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class FixtureTool:
    """A tool that the suite calls by name.

    Attributes:
        name: as the suite knows it.
        answer: handles a call.
        schema: of its arguments; none by default.
    """

    name: str
    answer: Callable[[Context, wire.CallToolRequestParams], Awaitable[Answer]]
    schema: Mapping[str, Any] = field(default_factory=arguments)

    def listed(self) -> wire.Tool:
        """Return what `tools/list` shows."""
        about = f"Fixture of the conformance suite: {self.name}."
        return wire.Tool(
            name=self.name, description=about, input_schema=dict(self.schema)
        )


def text(words: str) -> wire.TextContent:
    """Return a block of text."""
    return wire.TextContent(type="text", text=words)


def image() -> wire.ImageContent:
    """Return a picture."""
    return wire.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, mime_type: str, words: str) -> wire.EmbeddedResource:
    """Return a resource that is part of an answer."""
    resource = wire.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return wire.EmbeddedResource(type="resource", resource=resource)


def said(words: str) -> wire.CallToolResult:
    """Return the answer of a call that is one block of text."""
    return wire.CallToolResult(content=[text(words)])

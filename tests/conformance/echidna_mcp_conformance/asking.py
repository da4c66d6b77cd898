"""Tools that ask the client, as the revisions with a handshake do: by own requests."""

from __future__ import annotations

import json
import warnings
from typing import Any

import mcp.types as wire
from mcp.shared.exceptions import MCPDeprecationWarning

from echidna_mcp_conformance.fixture import (
    Context,
    FixtureTool,
    arguments,
    said,
    text,
)

_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
_TITLED = [{"const": "v1", "title": "First"}, {"const": "v2", "title": "Second"}]
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["o1", "o2"],
        "enumNames": ["One", "Two"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}


async def _sample(
    context: Context, params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    prompt = text((params.arguments or {})["prompt"])
    with warnings.catch_warnings():
        # Sampling is deprecated since 2026-07-28, and tested until it is gone.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        asking = context.session.create_message(
            messages=[wire.SamplingMessage(role="user", content=prompt)],
            max_tokens=100,
            related_request_id=context.request_id,
        )
    content = (await asking).content
    words = content.text if isinstance(content, wire.TextContent) else content.type
    return said(f"LLM response: {words}")


async def _elicit(
    context: Context, message: str, schema: dict[str, Any]
) -> wire.CallToolResult:
    answer = await context.session.elicit_form(
        message, schema, related_request_id=context.request_id
    )
    given = json.dumps(answer.content or {})
    return said(f"User response: action={answer.action}, content={given}")


async def _elicit_message(
    context: Context, params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    message = (params.arguments or {})["message"]
    field = {"type": "string", "description": "User's response"}
    schema = {
        "type": "object",
        "properties": {"response": field},
        "required": ["response"],
    }
    return await _elicit(context, message, schema)


async def _elicit_defaults(
    context: Context, _params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    schema = {"type": "object", "properties": _DEFAULTS, "required": []}
    return await _elicit(context, "Please provide user information", schema)


async def _elicit_enums(
    context: Context, _params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    schema = {"type": "object", "properties": _ENUMS, "required": []}
    return await _elicit(context, "Please select", schema)


TOOLS = (
    FixtureTool("test_sampling", _sample, arguments(prompt={"type": "string"})),
    FixtureTool(
        "test_elicitation", _elicit_message, arguments(message={"type": "string"})
    ),
    FixtureTool("test_elicitation_sep1034_defaults", _elicit_defaults),
    FixtureTool("test_elicitation_sep1330_enums", _elicit_enums),
)

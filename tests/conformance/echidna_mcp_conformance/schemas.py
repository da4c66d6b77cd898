"""Tools with schemas that must arrive unchanged."""

from __future__ import annotations

import json

import mcp.types as wire

from echidna_mcp_conformance.fixture import Context, FixtureTool, said

_STRING = {"type": "string"}
_KEYWORDS_OF_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": _STRING, "city": _STRING},
        }
    },
    "properties": {
        "name": _STRING,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": _STRING,
        "email": _STRING,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
        "properties": {"contactMethod": {"const": "phone"}},
        "required": ["contactMethod"],
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_MIRRORED_IN_A_HEADER = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}


async def _repeat(
    _context: Context, params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    return said(json.dumps(params.arguments or {}))


TOOLS = (
    FixtureTool("json_schema_2020_12_tool", _repeat, _KEYWORDS_OF_2020_12),
    FixtureTool("test_x_mcp_header", _repeat, _MIRRORED_IN_A_HEADER),
)

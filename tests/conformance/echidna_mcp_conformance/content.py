"""Tools that answer with each kind of content."""

from __future__ import annotations

import mcp.types as wire

from echidna_mcp_conformance.fixture import (
    WAV,
    Context,
    FixtureTool,
    embedded,
    image,
    said,
    text,
)


async def _text(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    return said("This is a simple text response for testing.")


async def _image(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    return wire.CallToolResult(content=[image()])


async def _audio(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    sound = wire.AudioContent(type="audio", data=WAV, mime_type="audio/wav")
    return wire.CallToolResult(content=[sound])


async def _embedded(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    words = "This is an embedded resource content."
    resource = embedded("test://embedded-resource", "text/plain", words)
    return wire.CallToolResult(content=[resource])


async def _mixed(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    data = '{"test":"data","value":123}'
    resource = embedded("test://mixed-content-resource", "application/json", data)
    return wire.CallToolResult(
        content=[text("Multiple content types test:"), image(), resource]
    )


async def _error(_c: Context, _p: wire.CallToolRequestParams) -> wire.CallToolResult:
    message = text("This tool intentionally returns an error for testing")
    return wire.CallToolResult(content=[message], is_error=True)


TOOLS = (
    FixtureTool("test_simple_text", _text),
    FixtureTool("test_image_content", _image),
    FixtureTool("test_audio_content", _audio),
    FixtureTool("test_embedded_resource", _embedded),
    FixtureTool("test_multiple_content_types", _mixed),
    FixtureTool("test_error_handling", _error),
)

"""Resources that the suite reads."""

from __future__ import annotations

import json
import re

import mcp.types as wire

from echidna_mcp_conformance.fixture import PNG

_TEXT = "text/plain"
_TEXTS = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "Watched",
}
_BINARY = "test://static-binary"
_MEMBER = re.compile("test://template/([^/]+)/data")

RESOURCES = (
    wire.Resource(uri="test://static-text", name="static-text", mime_type=_TEXT),
    wire.Resource(uri="test://watched-resource", name="watched", mime_type=_TEXT),
    wire.Resource(uri=_BINARY, name="static-binary", mime_type="image/png"),
)
TEMPLATE = wire.ResourceTemplate(
    uri_template="test://template/{id}/data",
    name="template",
    mime_type="application/json",
)


def read(uri: str) -> wire.ReadResourceResult | None:
    """Return a fixture, or None if there is none of that URI."""
    contents: wire.TextResourceContents | wire.BlobResourceContents
    if uri in _TEXTS:
        contents = wire.TextResourceContents(uri=uri, mime_type=_TEXT, text=_TEXTS[uri])
    elif uri == _BINARY:
        contents = wire.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif found := _MEMBER.fullmatch(uri):
        data = {
            "id": found[1],
            "templateTest": True,
            "data": f"Data for ID: {found[1]}",
        }
        contents = wire.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(data)
        )
    else:
        return None
    return wire.ReadResourceResult(contents=[contents])

"""A wrong contract document is refused with its name and the field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echidna_mcp.contracts import load_bundle, load_tool
from echidna_mcp.contracts.bundle import meta_schemas
from echidna_mcp.contracts.document import parse_event, read_document
from echidna_mcp.errors import ContractDocumentError
from echidna_mcp_plugins.dialects.echidna import echidna_dialect

CONTRACTS = Path(__file__).parents[2] / "contracts"


def tool_document():
    return json.loads((CONTRACTS / "read_logs.json").read_text(encoding="utf-8"))


def parsed(document):
    return echidna_dialect(meta_schemas()["tool"]).parse(document, "hello.json")


def test_a_document_becomes_a_neutral_spec():
    document = tool_document()
    spec = parsed(document)
    assert spec == load_bundle().tools["read_logs"]
    assert spec == load_tool("echidna_mcp._generated", "read_logs")
    assert spec.input_schema == {
        key: value for key, value in document["inputSchema"].items() if key != "$schema"
    }
    assert spec.examples[0].input == document["examples"][0]["input"]
    assert spec.read_only
    assert not spec.destructive


def removed(key):
    return lambda document: document.pop(key)


def replaced(key, value):
    return lambda document: document.__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (removed("name"), ["document", "'name' is a required"]),
        (replaced("name", "readLogs"), ["/name:", "^[a-z_]+$"]),
        (replaced("name", 5), ["/name:", "5 is not of type 'string'"]),
        (replaced("safetyLevel", "harmless"), ["/safetyLevel:", "harmless"]),
        (replaced("timeoutMs", 0), ["/timeoutMs:", "minimum"]),
        (replaced("colour", "red"), ["document", "colour"]),
        (replaced("errors", ["oops"]), ["/errors/0:", "oops"]),
        (
            lambda d: d["inputSchema"]["properties"].__setitem__("a", {"type": "int"}),
            ["/inputSchema/properties/a", "not a draft-07 schema", "int"],
        ),
        (
            lambda d: d["outputSchema"]["properties"].__setitem__(
                "a", {"$ref": "#/definitions/Nowhere"}
            ),
            ["/outputSchema/properties/a:", "#/definitions/Nowhere"],
        ),
        (
            lambda d: d["inputSchema"].__setitem__(
                "not", {"$ref": "http://example.org/schema"}
            ),
            ["/inputSchema/not:", "http://example.org/schema"],
        ),
        (
            lambda d: d["examples"][0]["input"].__setitem__("count", 0),
            ["/examples/0/input/count:", "less than the minimum"],
        ),
        (
            lambda d: d["examples"][0]["output"].pop("totalCount"),
            ["/examples/0/output:", "totalCount"],
        ),
    ],
)
def test_the_message_names_document_and_field(change, words):
    document = tool_document()
    change(document)
    with pytest.raises(ContractDocumentError) as caught:
        parsed(document)
    message = caught.value.message
    assert message.startswith("hello.json: ")
    for word in words:
        assert word in message


def test_an_event_example_must_be_a_valid_payload():
    document = {
        "type": "Waved",
        "version": 1,
        "description": "Somebody waved.",
        "payloadSchema": {
            "type": "object",
            "title": "Waved",
            "required": ["hand"],
        },
        "examples": [{}],
    }
    with pytest.raises(ContractDocumentError, match="/examples/0: 'hand'"):
        parse_event(document, "waved.json", meta_schemas()["event"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "can't be read"),
        ("[]", "must hold a JSON object"),
        ('{"name": "a", "name": "b"}', "'name' is given twice"),
        (b"\xff", "can't be read"),
        (None, "can't be read"),
    ],
)
def test_an_unreadable_file_is_named(tmp_path, text, words):
    path = tmp_path / "hello.json"
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ContractDocumentError) as caught:
        read_document(path)
    assert str(path) in caught.value.message
    assert words in caught.value.message


def test_a_package_without_a_bundle_is_named():
    with pytest.raises(ContractDocumentError, match=r"echidna_mcp\.tools has no read"):
        load_bundle("echidna_mcp.tools")
    with pytest.raises(ContractDocumentError, match="no_such_package"):
        load_bundle("no_such_package")


def test_an_unknown_tool_of_a_bundle_is_refused_with_the_known_ones():
    with pytest.raises(ContractDocumentError, match="'hello'; it has clear_priorities"):
        load_tool("echidna_mcp._generated", "hello")


def test_a_bundle_of_another_format_is_refused(tmp_path, monkeypatch):
    package = tmp_path / "future_bundle"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "contracts.json").write_text('{"format": 3}', encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ContractDocumentError, match="another format"):
        load_bundle("future_bundle")

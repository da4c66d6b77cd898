"""The dialect of Circular: each of its rules, broken alone, is told alone."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_documents import JSON, mangle

from echidna_mcp.contracts.dialect import dialect_of
from echidna_mcp_plugins.dialects.circular import CIRCULAR
from echidna_mcp_plugins.dialects.circular.contract import STATUS
from echidna_mcp_plugins.dialects.editor import EDITOR

CONTRACT = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "stamp_data",
    "description": "Stamps data.",
    "type": "object",
    "properties": {
        "data": {
            "type": "string",
            "description": "What is stamped",
            "minLength": 1,
            "x-redact": True,
        },
        "network": {
            "type": "string",
            "enum": ["testnet", "mainnet"],
            "default": "testnet",
            "description": "Where",
        },
    },
    "required": ["data", "network"],
    "additionalProperties": False,
    "examples": [{"data": "hello", "network": "testnet"}],
    "output": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Of the stamp"}},
        "required": ["id"],
    },
    "errors": [
        {
            "type": "API_UNAVAILABLE",
            "status_code": 503,
            "message": "The network does not answer.",
            "retry": True,
            "retry_suggestion": "Retry after 30 seconds",
        },
        {
            "type": "INVALID_INPUT",
            "status_code": 400,
            "message": "The data is too long.",
            "retry": False,
        },
    ],
    "notes": ["It costs a little."],
}


def contract():
    return copy.deepcopy(CONTRACT)


def findings(document):
    return [
        (each.pointer, each.is_error, each.message) for each in CIRCULAR.check(document)
    ]


def edited(*path, value=None, delete=False):
    def apply(document):
        inner = document
        for part in path[:-1]:
            inner = inner[part]
        if delete:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value

    return apply


def at(*path, to):
    return edited(*path, value=to)


def without(*path):
    return edited(*path, delete=True)


ERROR, WARNING = True, False
BROKEN = [
    (without("$schema"), "/$schema", ERROR, "draft-07"),
    (at("$schema", to="x"), "/$schema", ERROR, "draft-07"),
    (without("title"), "/title", ERROR, "name of the tool"),
    (at("title", to="Stamp data"), "/title", ERROR, "name of the tool"),
    (without("description"), "/description", ERROR, "must be there"),
    (without("type"), "/type", ERROR, "must be 'object'"),
    (at("type", to=["object"]), "/type", ERROR, "must be 'object'"),
    (without("properties", "network", "description"),
     "/properties/network/description", ERROR, "must be there"),
    (at("properties", "data", "x-redact", to="yes"),
     "/properties/data/x-redact", ERROR, "true or false"),
    (at("properties", "data", "minLength", to="1"),
     "/properties/data/minLength", ERROR, "not a draft-07 schema"),
    (at("properties", "data", "type", to="text"),
     "/properties/data/type", ERROR, "not a draft-07 schema"),
    (without("required"), "/required", ERROR, "must be there"),
    (at("required", 1, to="networks"), "/required/1", ERROR, "did you mean network?"),
    (without("additionalProperties"), "/additionalProperties", ERROR, "be false"),
    (at("additionalProperties", to=True), "/additionalProperties", ERROR, "be false"),
    (without("examples"), "/examples", ERROR, "one set of arguments or more"),
    (at("examples", to=[]), "/examples", ERROR, "one set of arguments or more"),
    (at("examples", 0, "data", to=""), "/examples/0/data", ERROR, "''"),
    (at("examples", 0, "network", to="devnet"),
     "/examples/0/network", ERROR, "is not one of"),
    (without("examples", 0, "data"), "/examples/0", ERROR, "'data' is a required"),
    (at("examples", 0, "more", to=1), "/examples/0", ERROR, "'more' was unexpected"),
    (without("output"), "/output", ERROR, "schema of the result"),
    (at("output", to=[]), "/output", ERROR, "schema of the result"),
    (at("output", "type", to="array"), "/output/type", ERROR, "must be 'object'"),
    (without("output", "properties", "id", "description"),
     "/output/properties/id/description", ERROR, "must be there"),
    (without("output", "properties", "id", "type"),
     "/output/properties/id", ERROR, "has no 'type'"),
    (without("output", "required"), "/output/required", ERROR, "must be there"),
    (at("output", "required", 0, to="ident"),
     "/output/required/0", ERROR, "'ident' is no property"),
    (without("errors"), "/errors", ERROR, "list of the errors"),
    (at("errors", to=[]), "/errors", ERROR, "list of the errors"),
    (at("errors", 1, to="INVALID_INPUT"), "/errors/1", ERROR, "must be an object"),
    (at("errors", 1, "type", to="BAD"), "/errors/1/type", ERROR, "no type of error"),
    (at("errors", 1, "status_code", to=404), "/errors/1/status_code", ERROR, "400"),
    (without("errors", 1, "status_code"), "/errors/1/status_code", ERROR, "400"),
    (without("errors", 1, "message"), "/errors/1/message", ERROR, "must be there"),
    (without("errors", 1, "retry"), "/errors/1/retry", ERROR, "true or false"),
    (at("errors", 1, "retry", to="no"), "/errors/1/retry", ERROR, "true or false"),
    (at("errors", 0, "retry_suggestion", to=30),
     "/errors/0/retry_suggestion", ERROR, "must be text"),
    (without("errors", 0, "retry_suggestion"), "/errors/0", WARNING, "say when"),
    (at("errors", 0, "code", to=1), "/errors/0/code", WARNING, "no field of an error"),
    (without("errors", 0), "/errors", WARNING, "lacks 'API_UNAVAILABLE'"),
    (at("notes", to="one"), "/notes", ERROR, "list of texts"),
    (at("notes", to=[1]), "/notes", ERROR, "list of texts"),
]  # fmt: skip


def test_a_contract_without_fault_has_no_finding():
    assert findings(CONTRACT) == []
    assert findings({key: v for key, v in CONTRACT.items() if key != "notes"}) == []


@pytest.mark.parametrize(("change", "pointer", "is_error", "words"), BROKEN)
def test_a_broken_rule_is_told_where_it_is_broken(change, pointer, is_error, words):
    document = contract()
    change(document)
    [(place, error, message)] = findings(document)
    assert (place, error) == (pointer, is_error)
    assert words in message


@pytest.mark.parametrize("kind", STATUS)
def test_each_type_of_error_has_its_own_status(kind):
    document = contract()
    document["errors"].append(
        {"type": kind, "status_code": STATUS[kind], "message": "No.", "retry": False}
    )
    assert findings(document) == []
    document["errors"][-1]["status_code"] = 200
    [(place, error, message)] = findings(document)
    assert (place, error) == ("/errors/2/status_code", True)
    assert f"{STATUS[kind]}, that of {kind}" in message


def test_a_contract_becomes_a_tool_for_clients():
    spec = CIRCULAR.parse(CONTRACT, "stamp_data.json")
    assert (spec.name, spec.title) == ("stamp_data", "Stamp Data")
    assert spec.redacted == ("data",)
    assert spec.input_schema["title"] == "StampDataInput"
    assert "x-redact" not in json.dumps(spec.input_schema)
    assert spec.input_schema.keys().isdisjoint({"output", "errors", "notes", "$schema"})
    assert spec.safety_level == "safe-write"
    assert spec.open_world
    assert not spec.needs_campaign
    assert set(spec.errors) == {"API_UNAVAILABLE", "INVALID_INPUT", "NETWORK_ERROR"}
    assert spec.meta == {"errors": CONTRACT["errors"], "notes": CONTRACT["notes"]}
    assert type(spec).from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_a_tool_that_gets_something_changes_nothing():
    spec = CIRCULAR.parse(contract() | {"title": "get_stamp"}, "x")
    assert spec.read_only
    assert spec.idempotent


def test_a_tool_that_can_wait_has_more_time():
    document = contract()
    document["properties"]["wait_for_execution"] = {
        "type": "boolean",
        "description": "Wait",
    }
    assert CIRCULAR.parse(document, "x").timeout_ms == 65_000


def test_a_contract_is_known_as_one():
    assert dialect_of(CONTRACT, [EDITOR, CIRCULAR]) is CIRCULAR


@given(key=st.sampled_from(sorted(CONTRACT)), value=JSON)
def test_whatever_stands_in_a_field_is_told_and_never_a_crash(key, value):
    assert all(each.message for each in CIRCULAR.check(contract() | {key: value}))


@pytest.mark.parametrize("seed", range(300))
def test_a_document_that_was_mangled_is_told_or_read_and_never_a_crash(seed):
    document = contract()
    mangle(document, seed)
    if not any(each.is_error for each in CIRCULAR.check(document)):
        spec = CIRCULAR.read(document)
        assert type(spec).from_json(json.loads(json.dumps(spec.to_json()))) == spec

"""The contract documents say what the requirement says, and nothing less."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from echidna_mcp.contracts import load_bundle
from echidna_mcp.events.payloads import EventType
from echidna_mcp.tools.envelope import CODES

CONTRACTS = Path(__file__).parents[2] / "contracts"
REQUIRED = json.loads(
    (Path(__file__).parent / "required_schemas.json").read_text(encoding="utf-8")
)
TOOLS = sorted(REQUIRED["tools"])
OLD_CALL = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_]*\([^)]*\)\Z")


def document(path: str):
    return json.loads((CONTRACTS / path).read_text(encoding="utf-8"))


def pattern_owners(schemas):
    """Return the two schemas whose pattern is wider than required."""
    return (
        schemas["inject_transaction"]["properties"]["sequence"]["items"],
        schemas["prioritize_function"]["properties"]["functionSignature"],
    )


def assert_extends(ours, required, path="output"):
    """Assert that a schema demands what is required and otherwise only offers more."""
    for key, value in required.items():
        if key == "properties":
            for name, inner in value.items():
                assert_extends(ours["properties"][name], inner, f"{path}.{name}")
        elif key == "items":
            assert_extends(ours["items"], value, f"{path}[]")
        else:
            assert ours[key] == value, f"{path}: {key}"
    extra = set(ours) - set(required)
    assert extra <= {"title", "description"}, f"{path}: {extra}"


def test_there_is_one_document_for_each_of_the_nine_tools():
    names = sorted(path.stem for path in CONTRACTS.glob("*.json"))
    assert names == sorted([*TOOLS, "error"])
    assert len(TOOLS) == 9
    assert sorted(load_bundle().tools) == TOOLS


def test_input_schemas_are_the_required_ones_but_for_two_wider_patterns_and_a_default():
    ours = {name: document(f"{name}.json")["inputSchema"] for name in TOOLS}
    required = copy.deepcopy({n: REQUIRED["tools"][n]["input"] for n in TOOLS})
    for mine, theirs in zip(
        pattern_owners(ours), pattern_owners(required), strict=True
    ):
        assert mine.pop("pattern") != theirs.pop("pattern")
    # A sender that is none of the campaign's would show other things than its own do.
    sender = required["inject_transaction"]["properties"]["sender"]
    assert sender.pop("default") == f"0x{0x10000:040x}"
    assert ours == required


@pytest.mark.parametrize("name", TOOLS)
def test_output_schemas_demand_what_is_required_and_no_more(name):
    ours = document(f"{name}.json")["outputSchema"]
    assert_extends(ours, REQUIRED["tools"][name]["output"])


def test_the_error_schema_adds_three_codes():
    ours = copy.deepcopy(document("error.json"))
    codes = ours["properties"]["error"]["properties"]["code"]["enum"]
    assert codes[-3:] == ["PARSE_ERROR", "CAMPAIGN_TERMINATED", "PERMISSION_DENIED"]
    assert set(codes) == CODES
    del codes[-3:]
    assert ours["properties"]["error"].pop("title") == "ErrorBody"
    assert ours == REQUIRED["error"]


@settings(max_examples=100, deadline=None)
@given(st.from_regex(OLD_CALL))
def test_every_call_that_the_required_pattern_accepts_is_accepted(text):
    for owner in pattern_owners(
        {name: document(f"{name}.json")["inputSchema"] for name in TOOLS}
    ):
        assert re.search(owner["pattern"], text)


@pytest.mark.parametrize(
    "text",
    [
        "f((uint256,address)[],bytes)",
        "set((1,0x1234567890abcdef1234567890abcdef12345678),[1,2])",
        'name("a)b")',
        "name('(', ?)",
        "transfer(?, ?)",
        'note(unicode"\n")',
        "Vault.deposit(1)",
        "Vault@0x1234567890abcdef1234567890abcdef12345678.deposit(?)",
        "Pair#2.mint(0x01)",
    ],
)
def test_calls_with_nested_brackets_and_placeholders_are_accepted(text):
    for owner in pattern_owners(
        {name: document(f"{name}.json")["inputSchema"] for name in TOOLS}
    ):
        assert re.search(owner["pattern"], text)


@pytest.mark.parametrize("text", ["", "f", "f(", "f)", "(1)", "1f()", "f() + 1"])
def test_what_is_no_call_is_refused(text):
    for owner in pattern_owners(
        {name: document(f"{name}.json")["inputSchema"] for name in TOOLS}
    ):
        assert not re.search(owner["pattern"], text)


def test_annotations_follow_from_safety_level():
    specs = load_bundle().tools
    reading = {name for name, spec in specs.items() if spec.read_only}
    assert reading == {
        "read_logs",
        "show_coverage",
        "get_corpus_size",
        "inspect_corpus_transactions",
        "find_transaction_in_corpus",
    }
    assert {n for n, spec in specs.items() if spec.destructive} == {"clear_priorities"}
    assert {n for n, spec in specs.items() if not spec.idempotent} == {
        "inject_transaction"
    }
    assert not any(spec.open_world for spec in specs.values())
    # A control tool waits until its command is safe on the disk.
    assert {name: spec.timeout_ms for name, spec in specs.items()} == {
        name: 100 if spec.category == "observe" else 1000
        for name, spec in specs.items()
    }


def test_schemas_on_the_wire_mean_the_same_to_both_dialects():
    for spec in load_bundle().tools.values():
        for schema, values in (
            (spec.input_schema, [example.input for example in spec.examples]),
            (spec.output_schema, [example.output for example in spec.examples]),
        ):
            assert "$schema" not in schema
            for dialect in (Draft7Validator, Draft202012Validator):
                dialect.check_schema(schema)
                for value in values:
                    dialect(schema).validate(value)


def test_the_tool_list_costs_an_agent_little():
    specs = load_bundle().tools.values()
    assert sum(len(spec.description) for spec in specs) < 3000
    for spec in specs:
        assert spec.errors
        assert set(spec.errors) <= CODES - {"TOOL_NOT_FOUND"}


def test_each_event_type_has_one_document():
    events = load_bundle().events
    assert sorted(events) == sorted(get_args(EventType))
    assert {event.version for event in events.values()} == {1}


def test_documents_obey_their_meta_schemas():
    paths = {
        "tool": [path for path in CONTRACTS.glob("*.json") if path.stem in TOOLS],
        "event": list((CONTRACTS / "events").glob("*.json")),
    }
    for kind, found in paths.items():
        schema = document(f"schema/{kind}.schema.json")
        Draft7Validator.check_schema(schema)
        for path in found:
            Draft7Validator(schema).validate(json.loads(path.read_text("utf-8")))
            target = json.loads(path.read_text("utf-8"))["$schema"]
            assert (path.parent / target).resolve() == (
                CONTRACTS / "schema" / f"{kind}.schema.json"
            )


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("CorpusExtended", {"entry": -1}),
        ("CorpusExtended", {"calls": [{"function": "f()"}]}),
        ("WorkerStarted", {"reason": "bored"}),
        ("TransactionExecuted", {"sender": "0xABC"}),
        ("TransactionExecuted", {"value": 1}),
        ("CoverageIncreased", {"visited": [["1f", 0]]}),
        ("CoverageIncreased", {"results": [["1f", 0, "MAYBE"]]}),
        ("RoundCommitted", {"surprise": 1}),
    ],
)
def test_event_payloads_that_say_something_else_are_refused(event, change):
    spec = load_bundle().events[event]
    validator = Draft7Validator(spec.payload_schema)
    good = dict(spec.examples[0])
    assert validator.is_valid(good)
    assert not validator.is_valid({**good, **change})

"""SC-008: whatever a client sends to a tool, it gets an ErrorResponse."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from no_campaign import empty_context

from echidna_mcp._generated.tools import INPUT_TYPES
from echidna_mcp.contracts import load_bundle
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import Tool

SPECS = load_bundle().tools
ERROR = Draft7Validator(
    json.loads(
        (Path(__file__).parents[2] / "contracts" / "error.json").read_text("utf-8")
    )
)
ANY_TEXT = st.text(st.characters(), max_size=30)  # unpaired surrogates, too
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(5000, 6000).map(lambda digits: -(10**digits))
    | st.floats()
    | ANY_TEXT
    | st.binary(max_size=3)
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)


def nested(depth, container):
    value = 1
    for _ in range(depth):
        value = [value] if container is list else {"a": value}
    return value


BUILDERS = (
    lambda: nested(50_000, list),
    lambda: nested(50_000, dict),
    lambda: ["x"] * 200_000,
    lambda: "(" * 100_000,
    lambda: "a(" + "(" * 100_000,
    lambda: {"x" * 100_000: 1},
    lambda: {"count": nested(5_000, dict)},
    lambda: {"sequence": ["f()"] * 90_000},
    lambda: {"sequence": ["f" * 100_000]},
    lambda: {1: 2},
)
EXTREMES = st.sampled_from(range(len(BUILDERS))).map(lambda index: BUILDERS[index]())


def around(spec):
    """Return arguments near valid ones: a real example with parts spoilt."""
    names = [*spec.input_schema.get("properties", {}), "extra"]
    example = dict(spec.examples[0].input)
    return st.dictionaries(st.sampled_from(names), JUNK, min_size=1).map(
        lambda junk: {**example, **junk}
    )


def malformed(spec):
    valid = Draft7Validator(spec.input_schema)

    def is_malformed(arguments):
        try:
            text = json.dumps(arguments, allow_nan=False, ensure_ascii=False)
            text.encode()
            if len(text) > 4000:
                return True
            return arguments is not None and not valid.is_valid(arguments)
        except (TypeError, ValueError, RecursionError):
            return True  # not JSON, or not Unicode

    # Extremes once in sixteen: they are few, and slow to print and to copy.
    usual = st.integers(0, 15).flatmap(
        lambda n: EXTREMES if n == 0 else around(spec) if n % 2 else JUNK
    )
    return usual.filter(is_malformed)


async def trivial(_args, _context):
    return {"accepted": True}


@pytest.fixture(scope="module")
def service():
    tools = [Tool(spec, INPUT_TYPES[name], trivial) for name, spec in SPECS.items()]
    return ToolService(tools, Stage(empty_context()))


@pytest.mark.parametrize("name", sorted(SPECS))
def test_malformed_input_always_gives_an_error_envelope(service, name):
    @settings(
        max_examples=200,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(malformed(SPECS[name]))
    def answered(arguments):
        outcome = asyncio.run(service.call(name, arguments))
        assert outcome.is_error, arguments
        ERROR.validate(outcome.error)
        assert outcome.error["error"]["code"] == "INVALID_INPUT"
        assert json.loads(outcome.text, parse_constant=pytest.fail) == outcome.error
        assert len(outcome.text.encode()) < 4000
        answers.append(outcome)

    answers: list[Any] = []
    answered()
    assert len(answers) >= 200


@pytest.mark.parametrize("name", sorted(SPECS))
def test_examples_of_the_documents_are_not_malformed(service, name):
    for example in SPECS[name].examples:
        outcome = asyncio.run(service.call(name, dict(example.input)))
        assert outcome.content == {"accepted": True}


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, JUNK)
def test_any_name_and_arguments_are_answered(name, arguments):
    service = ToolService([], Stage(empty_context()))
    outcome = asyncio.run(service.call(name, arguments))
    ERROR.validate(outcome.error)
    assert outcome.error["error"]["code"] == "TOOL_NOT_FOUND"
    outcome.text.encode()

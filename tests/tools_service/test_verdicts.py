"""Arguments are accepted exactly when the reference validator accepts them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator
from no_campaign import empty_context

from echidna_mcp._generated.tools import INPUT_TYPES
from echidna_mcp.contracts import ToolSpec, load_bundle
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import Tool, ToolContext

SPECS = load_bundle().tools
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**70), 2**70),
    st.text(st.characters(codec="utf-8"), max_size=8),
    st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.text("ab", max_size=2), st.integers(0, 3), max_size=2),
)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that the schema of one argument allows, and their neighbours."""
    found: list[st.SearchStrategy[Any]] = [ODD]
    if "enum" in schema:
        found.append(st.sampled_from([*schema["enum"], "Enum", ""]))
    match schema.get("type"):
        case "integer":
            edges = [schema.get("minimum", 0), schema.get("maximum", 100)]
            near = [edge + step for edge in edges for step in (-1, 0, 1)]
            found += [st.sampled_from([*near, *map(float, near), 2.5])]
        case "string":
            found.append(
                st.sampled_from(
                    [
                        *("f()", "f(1)", "f", "transfer(address,uint256)", "0x", ""),
                        *("0x" + "a" * 40, "0x" + "A" * 39, "0x" + "g" * 40, "12"),
                        *("f(\n)", " f()", "1f()", "_f()", "f()x", "-1", "1e3", "ü()"),
                    ]
                )
            )
        case "array":
            most = schema.get("maxItems", 5) + 1
            items = values(schema["items"])
            found.append(st.lists(items, max_size=4))
            found.append(items.map(lambda item: [item] * most))
            found.append(items.map(lambda item: [item] * (most - 1)))
    return st.one_of(found)


def arguments(spec: ToolSpec) -> st.SearchStrategy[Any]:
    """Return objects with some of the arguments, every second one over an example."""
    known = spec.input_schema.get("properties", {}).items()
    some = {name: values(schema) for name, schema in known}
    drawn = st.fixed_dictionaries({}, optional={**some, "other": ODD})
    example = dict(spec.examples[0].input)
    return drawn | drawn.map(lambda given_: {**example, **given_})


async def accept(_args: Any, _context: ToolContext) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("name", sorted(SPECS))
def test_a_verdict_is_that_of_the_reference(name: str) -> None:
    spec = SPECS[name]
    tool = Tool(spec, INPUT_TYPES[name], accept)
    service = ToolService([tool], Stage(empty_context()))
    draft_07 = Draft7Validator(spec.input_schema)
    latest = Draft202012Validator(spec.input_schema)
    seen = {True: 0, False: 0}

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(arguments(spec))
    def judged(given_: dict[str, Any]) -> None:
        outcome = asyncio.run(service.call(name, given_))
        expected = draft_07.is_valid(given_)
        assert outcome.is_error != expected, (given_, outcome.text)
        assert latest.is_valid(given_) == expected
        seen[expected] += 1

    judged()
    assert seen[True] >= 1
    assert seen[False] >= 20

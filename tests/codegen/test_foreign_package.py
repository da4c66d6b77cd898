"""Another package generates stubs for its own documents with the same command."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import FrozenInstanceError

import pytest
from no_campaign import empty_context

from echidna_mcp.contracts import load_bundle
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp_codegen.__main__ import main

DOCUMENT = {
    "name": "plan_route",
    "title": "Plan a route",
    "description": 'Plans. Says "when" and uses \\ too.',
    "category": "observe",
    "safetyLevel": "read-only",
    "tier": "core",
    "timeoutMs": 500,
    "inputSchema": {
        "type": "object",
        "title": "PlanRouteInput",
        "properties": {
            "from": {"$ref": "#/definitions/Place"},
            "viaPlaces": {"type": "array", "items": {"$ref": "#/definitions/Place"}},
            "maxCost": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
            "modes": {
                "type": "array",
                "items": {"type": "string"},
                "default": ["foot"],
            },
        },
        "required": ["from"],
        "additionalProperties": False,
        "definitions": {
            "Place": {
                "type": "object",
                "properties": {
                    "postCode": {"type": "integer"},
                    "note": {"type": "string", "default": "none"},
                },
                "required": ["postCode"],
                "additionalProperties": False,
            }
        },
    },
    "outputSchema": {
        "type": "array",
        "title": "PlanRouteOutput",
        "items": {"type": "string"},
    },
    "errors": ["INVALID_INPUT", "NO_ROUTE"],
    "examples": [{"input": {"from": {"postCode": 1}}, "output": ["1"]}],
}


@pytest.fixture
def route(tmp_path, monkeypatch):
    contracts = tmp_path / "contracts"
    contracts.mkdir()
    (contracts / "plan_route.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    package = tmp_path / "routes"
    package.mkdir()
    (package / "__init__.py").touch()
    options = ["--contracts", str(contracts), "--output", str(package / "generated")]
    assert main([*options, "--package", "routes.generated"]) == 0
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("routes.generated.tools")
    for name in [name for name in sys.modules if name.split(".")[0] == "routes"]:
        del sys.modules[name]


@pytest.fixture
def context():
    return empty_context()


async def test_a_tool_of_another_package_is_called_with_its_own_types(route, context):
    seen = []

    async def plan(args, _context):
        seen.append(args)
        return [
            str(place.post_code) for place in (args.from_, *(args.via_places or ()))
        ]

    service = ToolService(
        [route.plan_route_tool(plan)], Stage(context), strict_output=True
    )
    outcome = await service.call(
        "plan_route",
        {
            "from": {"postCode": 8000.0},
            "viaPlaces": [{"postCode": 3000, "note": "lunch"}],
            "maxCost": 12.0,
            "labels": {"aB": 1, "c_d": 2.0},
        },
    )
    assert outcome.content == ["8000", "3000"]
    assert outcome.text == '["8000","3000"]'
    (args,) = seen
    assert type(args.from_).__name__ == "Place"
    assert args.from_.note == "none"
    assert args.via_places[0].note == "lunch"
    assert isinstance(args.via_places, tuple)
    assert args.labels == {"aB": 1, "c_d": 2}
    assert [type(value) for value in args.labels.values()] == [int, int]
    assert type(args.max_cost) is int
    assert args.modes == ["foot"]
    with pytest.raises(FrozenInstanceError):
        args.max_cost = 1


async def test_its_own_arguments_are_checked_and_named(route, context):
    async def plan(_args, _context):
        return []

    service = ToolService([route.plan_route_tool(plan)], Stage(context))
    outcome = await service.call("plan_route", {"from": {"postcode": 1}})
    error = outcome.error["error"]
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["path"] == "from.postcode"
    assert "did you mean 'postCode'?" in error["message"]
    outcome = await service.call("plan_route", {"from": {}})
    assert outcome.error["error"]["details"]["path"] == "from.postCode"


def test_its_bundle_is_read_from_its_own_package(route):
    bundle = load_bundle("routes.generated")
    assert list(bundle.tools) == ["plan_route"]
    assert bundle.events == {}
    assert bundle.error is None
    assert route.FIELD_NAMES["plan_route"]["from"] == "from_"
    assert route.INPUT_TYPES["plan_route"].__name__ == "PlanRouteInput"
    assert 'Says "when" and uses \\ too.' in route.PlanRoute.__call__.__doc__

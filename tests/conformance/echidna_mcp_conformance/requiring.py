"""Tools that ask the client as revision 2026-07-28 does: by results that need input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import mcp.types as wire
from mcp.shared.exceptions import MCPError

from echidna_mcp_conformance.fixture import Answer, Context, FixtureTool, said, text

_PREFIX = "test_input_required_result_"


def form(message: str, **types: str) -> wire.ElicitRequest:
    """Return a request for a form with required fields of simple types."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in types.items()},
        "required": list(types),
    }
    return wire.ElicitRequest(
        params=wire.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def filled(params: wire.InputResponseRequestParams, key: str) -> Mapping[str, Any]:
    """Return the fields of a form that came back; nothing if it did not."""
    response = (params.input_responses or {}).get(key)
    if isinstance(response, wire.ElicitResult) and response.content:
        return response.content
    return {}


def _sample(words: str, tokens: int) -> wire.CreateMessageRequest:
    message = wire.SamplingMessage(role="user", content=text(words))
    return wire.CreateMessageRequest(
        params=wire.CreateMessageRequestParams(messages=[message], max_tokens=tokens)
    )


async def _elicitation(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    given = filled(params, "user_name")
    if "name" in given:
        return said(f"Hello, {given['name']}!")
    question = form("What is your name?", name="string")
    return wire.InputRequiredResult(input_requests={"user_name": question})


async def _sampling(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    response = (params.input_responses or {}).get("capital_question")
    if isinstance(response, wire.CreateMessageResult):
        content = response.content
        assert isinstance(content, wire.TextContent)
        return said(f"The model said: {content.text}")
    question = _sample("What is the capital of France?", 100)
    return wire.InputRequiredResult(input_requests={"capital_question": question})


async def _list_roots(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    response = (params.input_responses or {}).get("client_roots")
    if isinstance(response, wire.ListRootsResult):
        return said(f"{len(response.roots)} roots")
    return wire.InputRequiredResult(
        input_requests={"client_roots": wire.ListRootsRequest()}
    )


async def _request_state(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    if filled(params, "confirm") and params.request_state == "nonce":
        return said("state-ok: confirmed")
    return wire.InputRequiredResult(
        input_requests={"confirm": form("Please confirm", ok="boolean")},
        request_state="nonce",
    )


async def _multiple_inputs(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    questions: dict[str, wire.InputRequest] = {
        "user_name": form("What is your name?", name="string"),
        "greeting": _sample("Generate a greeting", 50),
        "client_roots": wire.ListRootsRequest(),
    }
    if questions.keys() <= (params.input_responses or {}).keys():
        return said("All inputs received.")
    return wire.InputRequiredResult(input_requests=questions, request_state="multi")


async def _multi_round(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    state = json.loads(params.request_state) if params.request_state else {"round": 0}
    if state["round"] == 1 and (given := filled(params, "step1")):
        state = {"round": 2, "name": given["name"]}
        question = {"step2": form("Step 2: which color?", color="string")}
    elif state["round"] == 2 and (given := filled(params, "step2")):
        return said(f"{state['name']} likes {given['color']}.")
    else:
        state = {"round": 1}
        question = {"step1": form("Step 1: what is your name?", name="string")}
    return wire.InputRequiredResult(
        input_requests=dict(question), request_state=json.dumps(state)
    )


async def _tampered_state(_c: Context, params: wire.CallToolRequestParams) -> Answer:
    """The boundary refuses a state that is not ours before this is called."""
    if params.request_state is not None:
        return said(f"state-ok: {params.request_state}")
    return wire.InputRequiredResult(
        input_requests={"confirm": form("Please confirm", ok="boolean")},
        request_state="round-1",
    )


async def _capabilities(
    context: Context, _params: wire.CallToolRequestParams
) -> Answer:
    """Ask only for what the client has declared."""
    declared = context.session.client_capabilities
    questions: dict[str, wire.InputRequest] = {}
    if declared is None or declared.sampling is not None:
        questions["sample"] = _sample("Say hello", 50)
    if declared is None or declared.elicitation is not None:
        questions["ask"] = form("What is your name?", name="string")
    return wire.InputRequiredResult(input_requests=questions, request_state="asked")


async def _missing_capability(
    context: Context, _params: wire.CallToolRequestParams
) -> Answer:
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            wire.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs sampling.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return said("ok")


TOOLS = (
    FixtureTool(_PREFIX + "elicitation", _elicitation),
    FixtureTool(_PREFIX + "sampling", _sampling),
    FixtureTool(_PREFIX + "list_roots", _list_roots),
    FixtureTool(_PREFIX + "request_state", _request_state),
    FixtureTool(_PREFIX + "multiple_inputs", _multiple_inputs),
    FixtureTool(_PREFIX + "multi_round", _multi_round),
    FixtureTool(_PREFIX + "tampered_state", _tampered_state),
    FixtureTool(_PREFIX + "capabilities", _capabilities),
    FixtureTool("test_streaming_elicitation", _elicitation),
    FixtureTool("test_missing_capability", _missing_capability),
)

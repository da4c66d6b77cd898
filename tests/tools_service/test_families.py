"""Families of tools: error bodies, redaction, handlers that need no campaign."""

from __future__ import annotations

import hashlib
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from no_campaign import empty_context

from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import EchidnaMcpError, PluginError
from echidna_mcp.tools.redaction import Redaction
from echidna_mcp.tools.rendering import ErrorRenderer
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CallContext, Tool

SECRET = "the text that nobody may keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    data: str
    times: int = 1


class TooMuchError(EchidnaMcpError):
    code = "TOO_MUCH"


def renderer(seen):
    def render(failure):
        seen.append(failure)
        return {"oops": failure.message, "code": failure.code}

    return ErrorRenderer("mine", render)


def spec(**more: Any):
    return ToolSpec(
        **{
            "name": "keep_data",
            "title": "Keep data",
            "description": "Keeps data.",
            "category": "test",
            "safety_level": "safe-write",
            "tier": "core",
            "input_schema": {
                "type": "object",
                "properties": {
                    "data": {"type": "string", "maxLength": 60},
                    "times": {"type": "integer"},
                },
                "required": ["data"],
                "additionalProperties": False,
            },
            "output_schema": {"type": "object"},
            "errors": ("TOO_MUCH",),
            "timeout_ms": 5000,
            "family": "mine",
            "redacted": ("data", "kept"),
            "needs_campaign": False,
            **more,
        }
    )


async def keep(given, context):
    if given.times > 9:
        raise TooMuchError("Nine times at most.", times=given.times)
    context.meta["backend"] = "memory"
    return {"kept": given.data, "times": given.times}


def service(handler=keep, seen=None, base=None, **more: Any):
    return ToolService(
        [Tool(spec(**more), Given, handler)],
        Stage(),
        renderers={"mine": renderer([] if seen is None else seen)},
        base=base,
    )


async def test_a_tool_without_a_campaign_is_called_at_once_and_says_more():
    outcome = await service().call("keep_data", {"data": SECRET})
    assert outcome.content == {"kept": SECRET, "times": 1}
    assert outcome.meta == {"backend": "memory"}


async def test_its_family_says_how_its_failures_look():
    seen = []
    outcome = await service(seen=seen).call("keep_data", {"data": "x", "times": 10})
    assert outcome.error == {"oops": "Nine times at most.", "code": "TOO_MUCH"}
    assert json.loads(outcome.text) == outcome.error
    assert seen[0].details == {"times": 10}
    outcome = await service().call("keep_data", {})
    assert outcome.error["code"] == "INVALID_INPUT"
    outcome = await service().call("keep", {})
    assert outcome.error["code"] == "TOOL_NOT_FOUND"


def test_a_family_whose_errors_nobody_renders_is_refused():
    tools = [Tool(spec(), Given, keep)]
    with pytest.raises(PluginError, match="keep_data, which is of the family 'mine'"):
        ToolService(tools, Stage())


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": SECRET},
        {"data": SECRET, "times": 10},
        {"data": SECRET * 3},
        {"data": [SECRET]},
        {"Data": SECRET},
        {"data": "x", "payload": {"inner": SECRET}},
        SECRET,
        [SECRET],
    ],
)
async def test_what_may_not_be_recorded_is_in_no_record_and_no_error(arguments):
    calls = service()
    outcome = await calls.call("keep_data", arguments)
    if outcome.error is not None:
        assert SECRET not in outcome.text
    (execution,) = calls.executions.recent()
    assert SECRET not in repr(execution)
    assert "sha256" in execution.description


async def test_a_tool_answers_to_its_alias_as_well():
    calls = service(name="data.keep", aliases=("data_keep",))
    for name in ("data.keep", "data_keep"):
        outcome = await calls.call(name, {"data": "x"})
        assert outcome.error is None
    assert [each.name for each in calls.specs()] == ["data.keep"]


async def test_what_a_handler_opens_lasts_until_the_tools_are_closed():
    told = []

    @asynccontextmanager
    async def opened():
        told.append("opened")
        yield
        told.append("closed")

    async def handler(_given, context):
        await context.lifetime.enter_async_context(opened())
        return {}

    calls = service(handler, base=CallContext())
    await calls.call("keep_data", {"data": "x"})
    assert told == ["opened"]
    await calls.close()
    assert told == ["opened", "closed"]


async def test_the_name_that_a_client_gives_a_call_reaches_the_handler():
    async def handler(_given, context):
        return {"key": context.key}

    outcome = await service(handler).call("keep_data", {"data": "x"}, key="k1")
    assert outcome.content == {"key": "k1"}


def test_hash_and_size_stand_for_what_may_not_be_recorded():
    redaction = Redaction(spec())
    digest = hashlib.sha256("é".encode()).hexdigest()
    assert redaction.of_arguments({"times": 1, "data": "é"}) == {
        "times": 1,
        "data": {"sha256": digest, "size": 2},
    }
    value = {"times": 1}
    assert redaction.of_arguments(value) is value
    assert redaction.of_result({"other": "é"}) == {"other": "é"}
    plain = Redaction(spec(redacted=()))
    assert plain.of_arguments({"what": "ever"}) == {"what": "ever"}


async def test_tools_of_campaigns_have_directories_and_a_lifetime_as_well():
    seen = []

    async def handler(_given, context):
        seen.append((dict(context.directories), context.lifetime))
        return {}

    base = CallContext(directories={"data": Path("here")})
    tool = Tool(spec(needs_campaign=True), Given, handler)
    calls = ToolService(
        [tool], Stage(empty_context()), renderers={"mine": renderer([])}, base=base
    )
    await calls.call("keep_data", {"data": "x"})
    assert seen == [({"data": Path("here")}, base.lifetime)]


def test_two_tools_that_answer_to_one_name_are_refused():
    def tools(*names):
        return [
            Tool(
                spec(name=name, aliases=(name.replace(".", "_").replace("-", "_"),)),
                Given,
                keep,
            )
            for name in names
        ]

    renderers = {"mine": renderer([])}
    for names in (("b.c.d", "b.c-d"), ("b.c", "b_c")):
        with pytest.raises(PluginError, match="both answer to 'b_c"):
            ToolService(tools(*names), Stage(), renderers=renderers)

"""Calls that come before the campaign runs."""

from __future__ import annotations

import asyncio

import pytest
from handmade_campaign import HandmadeCampaign

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.news import Change
from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp.catalogue.resource import Resource
from echidna_mcp.errors import CampaignNotStartedError, TargetError, ToolTimeoutError
from echidna_mcp.tools import stage as stages
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp_plugins.tools import get_corpus_size, read_logs


@pytest.fixture
def context(tmp_path):
    return HandmadeCampaign().context(tmp_path)


@pytest.fixture
def stage():
    return Stage()


def tools_on(stage: Stage) -> ToolService:
    offered = [*get_corpus_size.register_tools(), *read_logs.register_tools()]
    return ToolService(offered, stage, strict_output=True)


def catalogue_on(stage: Stage) -> Catalogue:
    async def read(_values, context):
        return context.views.target.program.main

    resources = [
        Resource(
            name=uri,
            uri=uri,
            title="",
            description="",
            mime_type="text/plain",
            read=read,
            listed=lambda _context: [{"name": "first"}],
            values={"name": lambda _context: ["first"]},
        )
        for uri in ("x://one", "x://of/{name}")
    ]
    prompt = Prompt(
        name="greet",
        title="",
        description="",
        arguments=(
            PromptArgument(name="a", description="", values=lambda _context: ["b"]),
        ),
        render=lambda _given, context: context.views.target.program.main,
    )
    return Catalogue(tools_on(stage), stage, resources, [prompt])


async def test_a_call_waits_for_the_campaign(stage, context):
    call = asyncio.create_task(tools_on(stage).call("get_corpus_size", {}))
    await asyncio.sleep(0.05)
    assert not call.done()
    stage.open(context)
    assert (await call).content == {"size": 0}


async def test_the_wait_does_not_count_towards_the_deadline_of_the_tool(stage, context):
    call = asyncio.create_task(tools_on(stage).call("get_corpus_size", {}))
    await asyncio.sleep(0.3)  # The deadline is 0.1 s.
    stage.open(context)
    assert not (await call).is_error


async def test_a_wrong_call_is_refused_without_a_wait(stage):
    outcome = await tools_on(stage).call("read_logs", {"count": -1})
    assert outcome.error["error"]["code"] == "INVALID_INPUT"


async def test_who_waits_is_told_every_second_for_what(stage, context, monkeypatch):
    heard = []

    async def progress(done, total, message):
        heard.append((done, total, message))
        if len(heard) == 2:
            stage.open(context)

    monkeypatch.setattr(stages, "PATIENCE_SECONDS", 5)
    stage.doing = "A.sol is being compiled"
    outcome = await tools_on(stage).call("get_corpus_size", {}, progress)
    assert outcome.content == {"size": 0}
    assert heard == [
        (second, None, "The campaign starts: A.sol is being compiled.")
        for second in (0, 1)
    ]


async def test_nobody_waits_for_ever(stage, monkeypatch):
    monkeypatch.setattr(stages, "PATIENCE_SECONDS", 1)
    stage.doing = "A.sol is being compiled"
    outcome = await tools_on(stage).call("get_corpus_size", {})
    assert outcome.error["error"] == {
        "code": "EXECUTION_TIMEOUT",
        "message": "The campaign has not started yet: A.sol is being compiled; "
        "call again in half a minute.",
        "details": {"status": 504},
    }
    with pytest.raises(ToolTimeoutError, match="has not started yet"):
        await catalogue_on(stage).resources.read("x://one")


async def test_all_calls_are_told_why_there_is_no_campaign(stage):
    catalogue = catalogue_on(stage)
    early = asyncio.create_task(catalogue.tools.call("get_corpus_size", {}))
    await asyncio.sleep(0.01)
    stage.fail(TargetError("A.sol has no contract."))
    for outcome in (await early, await catalogue.tools.call("get_corpus_size", {})):
        assert outcome.error["error"]["code"] == "CAMPAIGN_TERMINATED"
        assert outcome.error["error"]["message"] == (
            "The campaign could not be started: A.sol has no contract. "
            "When that is mended, restart this server."
        )
    with pytest.raises(CampaignNotStartedError):
        await catalogue.resources.read("x://of/first")
    with pytest.raises(CampaignNotStartedError):
        await catalogue.prompts.render("greet", {})


async def test_what_only_the_campaign_knows_comes_with_it(stage, context):
    catalogue = catalogue_on(stage)
    heard: list[Change] = []
    catalogue.news.subscribe(heard.append)
    assert [uri for uri, _ in catalogue.resources.listed()] == ["x://one"]
    assert catalogue.prompts.complete("greet", "a", "").values == ()
    assert catalogue.resources.complete("x://of/{name}", "name", "").values == ()
    catalogue.open(context)
    assert heard == [Change(("x://of/first", "x://one"), listing=True)]
    assert "x://of/first" in [uri for uri, _ in catalogue.resources.listed()]
    assert catalogue.prompts.complete("greet", "a", "").values == ("b",)
    assert catalogue.resources.complete("x://of/{name}", "name", "").values == (
        "first",
    )
    assert await catalogue.prompts.render("greet", {}) == "src/Vault.sol:Vault"

"""The plugins on a small, real campaign: the demo contract of echidna-mcp."""

from __future__ import annotations

import asyncio
import json

import pytest
from click.testing import CliRunner
from echidna_mcp.cli.main import cli
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CommandPort, Receipt, ToolContext
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.event_log import EventLog

from echidna_mcp_campaign_summary.findings_file import (
    FINDINGS_VARIABLE,
    events_committed,
)
from echidna_mcp_campaign_summary.tool import register_tools


class NoCommands(CommandPort):
    """A tool that only observes must not write."""

    async def submit(self, tool, args, message) -> Receipt:
        raise AssertionError((tool, args, message))


@pytest.fixture(scope="session")
def campaign(tmp_path_factory):
    """A campaign that ran until its limit; its directory."""
    directory = tmp_path_factory.mktemp("campaign") / "corpus"
    options = ["--seed", "1", "--test-limit", "300", "--round-budget", "20000"]
    options += ["--workers", "2", "--executor", "inline", "--format", "none"]
    done = CliRunner().invoke(cli, ["run", *options, "--corpus-dir", str(directory)])
    assert done.exit_code in (0, 1), done.output
    return directory


@pytest.fixture
def service(campaign):
    with EventStore.read_only(store_path(campaign)) as store:
        started, *rest = store.read()
    views = CampaignViews.from_started(started)
    for event in rest:
        views.apply(event)
    context = ToolContext.create(views, NoCommands(), EventLog(), campaign)
    # Strict: the result must fit the output schema of the contract document.
    return ToolService(register_tools(), Stage(context), strict_output=True)


async def call(service, arguments):
    outcome = await service.call("campaign_summary", arguments)
    assert outcome.error is None
    return outcome.content


def test_the_summary_agrees_with_the_campaign(service, campaign):
    summary = asyncio.run(call(service, {"top": 100}))
    with EventStore.read_only(store_path(campaign)) as store:
        events = list(store.read())
    last = [event for event in events if event.type == "RoundCommitted"][-1]
    assert summary["contract"] == "Vault.sol:Vault"
    assert summary["state"] == "ended"
    assert summary["reason"] == "TestLimitReached"
    assert summary["round"] == last.round
    assert summary["calls"] == last.payload["totalCalls"] >= 300
    assert sum(f["calls"] for f in summary["functions"]) == summary["calls"]
    assert {p["name"] for p in summary["properties"]} == {
        "echidna_solvent",
        "echidna_fee_is_bounded",
    }
    assert summary["coverage"]["linePercent"] > 0
    assert summary["corpus"]["sequences"] == sum(
        event.type == "CorpusExtended" for event in events
    )


def test_functions_with_the_fewest_calls_come_first(service):
    every = asyncio.run(call(service, {"top": 100}))["functions"]
    assert every == sorted(every, key=lambda f: (f["calls"], f["signature"]))
    assert asyncio.run(call(service, {"top": 3}))["functions"] == every[:3]
    assert asyncio.run(call(service, {"top": 0}))["functions"] == []
    assert asyncio.run(call(service, {}))["functions"] == every[:10]


def test_arguments_that_break_the_contract_document_are_refused(service):
    outcome = asyncio.run(service.call("campaign_summary", {"top": 101}))
    assert outcome.error["error"]["code"] == "INVALID_INPUT"


def test_findings_are_written_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "findings.jsonl"
    monkeypatch.setenv(FINDINGS_VARIABLE, str(path))
    payload = {"property": "echidna_solvent", "counterexample": ["deposit()"]}
    events_committed(
        [
            event("RoundCommitted", {}),
            event("PropertyFalsified", payload),
            event("ReproducerShrunk", {**payload, "done": False}),
            event("ReproducerShrunk", {**payload, "done": True}),
        ]
    )
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [finding["shrunk"] for finding in found] == [False, True]
    assert found[0]["calls"] == ["deposit()"]


def event(kind, payload):
    return Event(
        seq=1,
        type=kind,
        version=1,
        round=4,
        worker=0,
        at="2026-01-01T00:00:00.000000Z",
        payload=payload,
        digest=b"",
    )

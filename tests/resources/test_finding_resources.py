"""Findings and traces to read: the same as `show` and `export` say."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import invoke
from live_server import stored
from solc import require_solc

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.cli.stored.campaign import StoredCampaign
from echidna_mcp.errors import ResourceNotFoundError, ToolTimeoutError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.size import ANSWER_BYTES
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import ToolContext
from echidna_mcp.views.event_log import EventLog
from echidna_mcp_plugins import resources

pytestmark = pytest.mark.solc

ROOT = "echidna://campaign"

SOURCE = """\
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Many {
    uint256 public best;
    event Step(uint256 number);

    function twice(uint256 x) external {
        assert(x != 1);
        if (best == 3) {
            assert(x % 2 == 0);
        }
        best = 3;
    }

    function raise(uint256 x) external {
        require(x < 50, "too high");
        best = x;
    }

    function deep(uint256 n) external {
        for (uint256 i; i < 150; i++) {
            if (n == 0 && i < 3) this.deep(1);
            emit Step(i);
        }
        assert(n > 0);
    }

    function optimize_best() external view returns (int256) {
        return int256(best);
    }
}
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with several findings of one test, a value, and calls that failed."""
    require_solc()
    place = tmp_path_factory.mktemp("many")
    source = place / "Many.sol"
    source.write_text(SOURCE, "utf-8")
    outcome = invoke(
        *("run", source, "--test-mode", "assertion,optimization"),
        *("--executor", "inline", "--workers", "2", "--round-budget", "4000"),
        *("--test-limit", "3000", "--seq-len", "6", "--seed", "3"),
        *("--format", "none", "--corpus-dir", place / "campaigns"),
    )
    assert outcome.code == 1, outcome
    return place / "campaigns"


Read = Callable[..., Any]


def context_of(campaign: Path) -> ToolContext:
    """Return what readers may use of a stored campaign."""
    found = StoredCampaign.read(campaign)
    backend = PluginManager.load("default").backends[found.backend]
    no_commands: Any = None
    context = ToolContext.create(
        found.views, no_commands, EventLog(), campaign, backend=backend
    )
    with EventStore.read_only(store_path(found.place)) as store:
        for event in store.read():
            context.history.apply(event)
    return context


@pytest.fixture
def read(campaign: Path) -> Read:
    """Read resources, each time from one server that has just opened the campaign."""

    async def read_all(uris: tuple[str, ...]) -> list[str]:
        stage = Stage(context_of(campaign))
        catalogue = Catalogue(
            ToolService([], stage), stage, resources.register_resources()
        )
        return [
            str((await catalogue.resources.read(f"{ROOT}{uri}")).data) for uri in uris
        ]

    def read(*uris: str) -> Any:
        texts = asyncio.run(read_all(uris))
        values = [json.loads(each) if each[0] == "{" else each for each in texts]
        return values[0] if len(values) == 1 else values

    return read


def command(campaign: Path, *arguments: object) -> str:
    verb, *rest = arguments
    outcome = invoke(verb, campaign, *rest)
    assert outcome.code == 0, outcome
    return outcome.out


def test_findings_of_one_test_are_told_apart(campaign, read):
    found = read("/findings")
    titles = [each["title"] for each in found["findings"]]
    assert found["total"] == len(titles) == 4
    assert sum(title.startswith("assert(x") for title in titles) == 2
    assert len({each["id"] for each in found["findings"]}) == 4
    events = stored(StoredCampaign.read(campaign).place, "PropertyFalsified")
    ids = {event.payload["finding"] for event in events}
    assert ids < {each["id"] for each in found["findings"]}
    best = found["findings"][-1]
    assert (best["verdict"], best["value"]) == ("maximized", "49")
    for each in found["findings"][:-1]:
        assert each["verdict"] == "failed"
        assert SOURCE.splitlines()[each["line"] - 1].strip().startswith("assert(")


def without_bytes(shown: Any) -> Any:
    """Return a trace of `show` as an answer has it, which needs its room."""
    if isinstance(shown, list):
        return [without_bytes(each) for each in shown]
    if not isinstance(shown, dict):
        return shown
    raw = {"data", "output", "topics", "slot", "words"} if "kind" in shown else set()
    return {k: without_bytes(v) for k, v in shown.items() if k not in raw}


def test_a_finding_has_the_trace_of_show_and_the_test_of_export(campaign, read):
    for each in read("/findings")["findings"]:
        if each["test"].startswith("deep"):
            continue
        finding = read(f"/findings/{each['id']}")
        shown = json.loads(command(campaign, "show", each["name"], "--json"))
        (trace,) = shown["traces"]
        assert finding["trace"] == {**without_bytes(trace), "leftOut": None}
        written = command(campaign, "export", each["name"], "--as", "foundry")
        assert finding["foundry"]["text"] == written
        assert read(f"/findings/{each['id']}/foundry") == written
        told = command(campaign, "export", each["name"], "--as", "text")
        lines = [call["line"] for call in finding["calls"]]
        assert [line.strip() for line in told.splitlines()[2:]] == lines
        assert finding["length"] == len(lines) > 0
        assert finding["confirmation"]["text"] == trace["confirmed"]
        assert len(finding["confirmation"]["calls"]) == len(lines)
        assert finding["remarks"] == []


def test_a_trace_that_is_too_long_says_what_is_left_out(campaign, read):
    (each,) = [
        each
        for each in read("/findings")["findings"]
        if each["test"].startswith("deep")
    ]
    finding = read(f"/findings/{each['id']}")
    assert len(json.dumps(finding)) < ANSWER_BYTES
    trace = finding["trace"]
    assert "things that calls did are left out." in trace["leftOut"]
    # Where it fails is told all the same.
    assert trace["calls"][-1]["failure"][0]["line"] == each["line"]
    assert finding["foundry"]["text"].startswith("// SPDX")


def test_a_corpus_sequence_has_the_trace_of_show(campaign, read):
    views = StoredCampaign.read(campaign).views
    failing = [
        (index, call)
        for index, entry in enumerate(views.corpus.entries)
        for call in entry.calls
        if call["result"] == "REVERT" and call["function"].startswith("raise(")
    ]
    index, _ = failing[0]
    trace = read(f"/corpus/{index}/trace")
    shown = json.loads(command(campaign, "show", "corpus", index, "--json"))
    assert trace == {**without_bytes(shown["traces"][0]), "leftOut": None}
    reasons = [each["trace"]["reason"] for each in trace["calls"]]
    assert "too high" in str(reasons)


def test_values_are_told_with_the_rounds_in_which_they_rose(campaign, read):
    events = stored(StoredCampaign.read(campaign).place, "ValueRaised")
    (value,) = read("/values")["values"]
    assert (value["test"], value["value"]) == ("optimize_best", "49")
    assert value["rises"] == [
        {"round": event.round, "value": event.payload["value"]} for event in events
    ]


def test_functions_are_told_with_calls_reasons_and_gas(campaign, read):
    (target,) = read("")["targets"]
    assert target["contract"].endswith("Many.sol:Many")
    functions = {each["function"]: each for each in read("/functions")["functions"]}
    assert target["functions"] == len(functions)
    raises = functions["raise(uint256)"]
    assert 0 < raises["reverts"] < raises["calls"]
    (reason,) = raises["reasons"]
    assert "too high" in reason["reason"]
    assert 21_000 < raises["gas"]["least"] <= raises["gas"]["most"]
    # Variants that were undone are calls of no function.
    assert sum(each["calls"] for each in functions.values()) <= read("")["calls"]


def test_failed_findings_of_one_test_stand_together_before_all_others(read):
    tests = read("")["tests"]
    assert [each["name"] for each in tests[:4]] == [
        *("deep(uint256)", "twice(uint256)", "twice(uint256) #2", "optimize_best"),
    ]
    assert [each.get("test") for each in tests[:4]] == [
        *(None, None, "twice(uint256)", None),
    ]
    assert all(each["state"] == "open" for each in tests[4:])


def test_what_was_not_found_is_refused(read):
    for uri in ("/findings/00000000", "/findings/x/foundry", "/corpus/999/trace"):
        with pytest.raises(ResourceNotFoundError):
            read(uri)


def test_reading_changes_nothing_of_the_campaign(campaign, read):
    place = store_path(StoredCampaign.read(campaign).place)
    with EventStore.read_only(place) as store:
        before = [*store.read()]
    read("/findings")
    read(f"/findings/{read('/findings')['findings'][0]['id']}", "/corpus/0/trace")
    with EventStore.read_only(place) as store:
        assert [*store.read()] == before


async def test_a_sequence_is_executed_once_until_it_is_another(campaign):
    context = context_of(campaign)
    (name, *_) = context.views.properties.records
    retold = context.retelling.retold
    first, second = await asyncio.gather(retold(name), retold(name))
    assert first is second is await retold(name)
    record = context.views.properties.records[name]
    record.calls = [*record.sequence, *record.sequence]
    longer = await retold(name)
    assert len(longer.trace["calls"]) == 2 * len(first.trace["calls"])


async def test_a_reader_who_gives_up_stops_nobody_else(campaign):
    context = context_of(campaign)
    (name, *_) = context.views.properties.records
    impatient = asyncio.create_task(context.retelling.retold(name))
    patient = asyncio.create_task(context.retelling.retold(name))
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient).foundry is not None
    assert impatient.cancelled()


async def test_more_than_the_server_can_execute_is_refused_at_once(campaign):
    context = context_of(campaign)
    entries = context.views.corpus.entries
    entries += entries[:1] * 40
    asked = [context.retelling.retold(number) for number in range(len(entries))]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [each for each in answers if isinstance(each, ToolTimeoutError)]
    assert len(refused) == len(entries) - 16
    assert "try again" in refused[0].message


async def test_a_campaign_that_nobody_can_execute_still_has_its_sequences(campaign):
    found = StoredCampaign.read(campaign)
    no_commands: Any = None
    context = ToolContext.create(found.views, no_commands, EventLog(), campaign)
    stage = Stage(context)
    catalogue = Catalogue(ToolService([], stage), stage, resources.register_resources())
    uris = [uri for uri, each in catalogue.resources.listed() if each.name == "finding"]
    assert len(uris) == 4
    finding = json.loads((await catalogue.resources.read(uris[0])).data)
    assert finding["calls"]
    assert finding["trace"] is finding["foundry"] is None
    assert finding["remarks"] == [
        "There is no trace: There is no EVM here that could execute it again."
    ]
    for uri in uris:
        name = json.loads((await catalogue.resources.read(uri)).data)["name"]
        event = next(
            event
            for event in stored(found.place, "PropertyFalsified", "ValueRaised")
            if event.payload["property"] == name
        )
        assert {uri, f"{ROOT}/findings"} < set(catalogue.resources.touched([event]))


def workers() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "retelling"]


def test_a_server_that_ends_meanwhile_says_nothing_of_it(campaign, monkeypatch, caplog):
    context = context_of(campaign)
    (name, *_) = context.views.properties.records
    raised: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)

    async def ask_and_leave() -> None:
        asked = asyncio.create_task(context.retelling.retold(name))
        while not (asked.done() or workers()):  # noqa: ASYNC110 (no event tells it)
            await asyncio.sleep(0)

    asyncio.run(ask_and_leave())
    for thread in workers():
        thread.join()
    assert (raised, caplog.records) == ([], [])

"""What the resources and prompts of the campaign say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import ALICE, BOB, SOURCE, HandmadeCampaign
from jsonschema import Draft7Validator
from tool_plugins import make_service

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.errors import InvalidInputError, ResourceNotFoundError
from echidna_mcp.reports.machines import ExecutorStatistics, NodeStatistics
from echidna_mcp.rounds.failures.sites import finding_id
from echidna_mcp.tools.stage import Stage
from echidna_mcp_plugins import prompts, resources

ROOT = "echidna://campaign"
LIMIT = 42_500
"""Bytes: 25,000 tokens of 1.7 hexadecimal digits, the worst of what we send."""


@pytest.fixture
def campaign() -> HandmadeCampaign:
    return HandmadeCampaign()


def catalogue_of(
    campaign: HandmadeCampaign,
    directory: Path,
    machines: Callable[[], ExecutorStatistics | None] = lambda: None,
) -> Catalogue:
    service = make_service(campaign, directory)
    context = campaign.context(directory)
    for event in campaign.events:
        context.history.apply(event)
    context = replace(context, tools=service.specs(), machines=machines)
    return Catalogue(
        service,
        Stage(context),
        resources.register_resources(),
        prompts.register_prompts(),
    )


@pytest.fixture
def read(campaign: HandmadeCampaign, tmp_path: Path) -> Any:
    async def read(uri: str) -> Any:
        catalogue = catalogue_of(campaign, tmp_path)
        content = await catalogue.resources.read(ROOT + uri)
        assert isinstance(content.data, str)
        if content.resource.mime_type == "application/json":
            return json.loads(content.data)
        return content.data

    return read


async def test_the_campaign_tells_its_state(campaign, read):
    campaign.cover([0, 2])
    campaign.extend([campaign.call("deposit()", value=9)])
    campaign.falsify("echidna_true", "deposit()")
    campaign.run_round(calls=7)
    state = await read("")
    assert state["contract"] == "src/Vault.sol:Vault"
    assert state["round"] == 1
    assert state["calls"] == 7
    assert state["coverage"]["points"] == 2
    assert state["corpus"] == {"sequences": 1, "transactions": 1}
    assert state["workers"]["running"] == state["workers"]["total"] == 3
    assert state["stopped"] is None
    falsified, passing = sorted(state["tests"], key=lambda test: test["name"])[::-1]
    assert passing == {"name": "echidna_solvent", "state": "open"}
    assert falsified["reproducer"] == f"{ROOT}/reproducers/echidna_true"
    assert falsified["length"] == 1


async def test_the_campaign_tells_its_machines(campaign, read, tmp_path):
    assert "machines" not in await read(""), "it runs on one"
    nodes = {
        "alpha (node 1)": NodeStatistics(tasks=40, seconds=8.0, calls=800, workers=4),
        "beta (node 2)": NodeStatistics(tasks=3, seconds=0.0),
    }
    told = ExecutorStatistics(nodes=nodes, lost=2, compared=1)
    catalogue = catalogue_of(campaign, tmp_path, lambda: told)
    content = await catalogue.resources.read(ROOT)
    assert json.loads(content.data)["machines"] == {
        "total": 2,
        "nodes": [
            {
                "name": "alpha (node 1)",
                "workers": 4,
                "tasks": 40,
                "callsPerSecond": 400,
            },
            {"name": "beta (node 2)", "workers": 0, "tasks": 3, "callsPerSecond": 0},
        ],
        "lostWorkers": 2,
        "comparedTasks": 1,
    }


async def test_a_thousand_machines_fit_into_an_answer(campaign, tmp_path):
    node = NodeStatistics(tasks=40, seconds=8.0, calls=800, workers=4)
    nodes = {f"{'h' * 60}{number} (node 01234567)": node for number in range(1000)}
    told = ExecutorStatistics(nodes=nodes)
    catalogue = catalogue_of(campaign, tmp_path, lambda: told)
    content = await catalogue.resources.read(ROOT)
    machines = json.loads(content.data)["machines"]
    assert machines["total"] == 1000
    assert 10 < len(machines["nodes"]) < 100


async def test_failed_tests_are_told_first(campaign, read):
    names = [test["name"] for test in (await read(""))["tests"]]
    assert len(names) > 1
    campaign.falsify(names[-1], "deposit()")
    first, *others = (await read(""))["tests"]
    assert [first["name"], *(test["name"] for test in others)] == [
        names[-1],
        *names[:-1],
    ]
    assert first["finding"] == finding_id("Vault", names[-1])
    assert (await read(f"/findings/{first['finding']}"))["name"] == names[-1]


async def test_a_test_that_was_not_exercised_is_told_with_its_reason(campaign, read):
    assert all("notExercised" not in test for test in (await read(""))["tests"])
    campaign.run_round()
    for test in (await read(""))["tests"]:
        assert (test["state"], test["notExercised"]) == ("open", "there were no calls")
    campaign.run_round(calls=3)
    assert all("notExercised" not in test for test in (await read(""))["tests"])


async def test_a_reproducer_tells_sender_value_and_delays(campaign, read):
    campaign.falsify("echidna_true", "deposit()", sender=BOB, value=5, time_delay=3)
    campaign.shrink("echidna_true", "pause()", sender=ALICE, block_delay=4)
    found = await read("/reproducers/echidna_true")
    assert found["state"] == "solved"
    assert found["calls"] == [
        {
            "call": "pause()",
            "sender": ALICE,
            "value": "0",
            "timeDelay": 0,
            "blockDelay": 4,
        }
    ]


async def test_a_test_that_holds_has_no_calls(read):
    found = await read("/reproducers/echidna_true")
    assert (found["state"], found["calls"], found["reason"]) == ("open", [], None)


async def test_a_disputed_test_shows_the_sequence(campaign, read):
    campaign.dispute("echidna_true", "deposit()")
    found = await read("/reproducers/echidna_true")
    assert found["state"] == "disputed"
    assert [call["call"] for call in found["calls"]] == ["deposit()"]


async def test_a_corpus_sequence_is_told_call_by_call(campaign, read):
    campaign.extend([campaign.call("pause()")])
    campaign.extend(
        [campaign.call(f"transfer({BOB}, 7)", sender=BOB), campaign.call("deposit()")]
    )
    found = await read("/corpus/1")
    assert (found["sequence"], found["total"], found["length"]) == (1, 2, 2)
    assert found["calls"][0]["call"].startswith("transfer(0xbbbb")
    assert found["calls"][0]["sender"] == BOB
    assert found["calls"][1]["result"] == "STOP"


@pytest.mark.parametrize(
    "uri",
    [
        *("/corpus/0", "/corpus/-1", "/corpus/1e3", "/corpus/²", f"/corpus/{'9' * 99}"),
        *("/sources/9/0", "/sources/0/1", "/reproducers/none", "/contracts/none"),
    ],
)
async def test_what_does_not_exist_is_refused(read, uri):
    with pytest.raises(ResourceNotFoundError):
        await read(uri)


async def test_coverage_names_the_lines_that_are_missing(campaign, read):
    campaign.cover([0, 2])
    found = await read("/coverage")
    (vault,) = [c for c in found["contracts"] if c["name"].endswith(":Vault")]
    assert vault["uncoveredLines"] == {"src/Vault.sol": "3-4"}
    assert (vault["coveredLines"], vault["lines"]) == (1, 3)
    (source,) = found["sources"]
    assert (source["file"], source["path"], source["pages"]) == (0, "src/Vault.sol", 1)
    # The branch of the line that was reached was not taken.
    assert (source["firstGap"], source["pagesWithGaps"]) == (2, [0])


async def test_a_source_page_marks_lines_and_branches(campaign, read):
    campaign.cover([0, 2, 4, 5])
    page = await read("/sources/0/0")
    assert [line["text"] for line in page["lines"]] == SOURCE.split("\n")
    marks = {line["line"]: line.get("covered") for line in page["lines"]}
    assert marks == {1: None, 2: True, 3: False, 4: False} | dict.fromkeys(range(5, 9))
    assert page["lines"][1]["branches"] == [[True, False]]


async def test_lcov_is_what_the_tool_gives(campaign, read, tmp_path):
    campaign.cover([0, 2])
    outcome = await make_service(campaign, tmp_path).call("dump_lcov", {})
    assert await read("/coverage.lcov") == outcome.content


async def test_history_and_events_tell_what_happened(campaign, read):
    campaign.cover([0, 2])
    campaign.run_round(calls=5)
    campaign.run_round(calls=6)
    samples = (await read("/history"))["samples"]
    assert [(s["round"], s["calls"], s["points"]) for s in samples] == [
        (1, 5, 2),
        (2, 11, 2),
    ]
    events = await read("/events")
    assert events["events"][0]["eventType"] == "RoundCommitted"
    assert events["totalCount"] == len(campaign.events)


async def test_documents_declare_their_dialect_and_are_valid(read, campaign, tmp_path):
    for spec in make_service(campaign, tmp_path).specs():
        document = await read(f"/contracts/{spec.name}")
        for key in ("inputSchema", "outputSchema"):
            assert document[key]["$schema"] == "http://json-schema.org/draft-07/schema#"
            Draft7Validator.check_schema(document[key])
        for example in document["examples"]:
            Draft7Validator(document["inputSchema"]).validate(example["input"])
            Draft7Validator(document["outputSchema"]).validate(example["output"])


async def test_no_answer_passes_25000_tokens(campaign, tmp_path):
    text = "x" * 30_000
    for number in range(300):
        calls = [campaign.call(f"transfer({BOB}, {number})") for _ in range(100)]
        campaign.extend([campaign.call(f'note("{text}")'), *calls])
        campaign.cover([0, 2, 4])
        campaign.run_round(calls=1)
    campaign.falsify("echidna_true", *[f'note("{text}")'] * 100)
    catalogue = catalogue_of(campaign, tmp_path)
    uris = [uri for uri, _ in catalogue.resources.listed()]
    for uri in [*uris, f"{ROOT}/corpus/0", f"{ROOT}/sources/0/0"]:
        content = await catalogue.resources.read(uri)
        assert len(content.data.encode()) < LIMIT, uri
    for name in ("triage_property", "raise_coverage", "write_handler"):
        assert len((await catalogue.prompts.render(name, {})).encode()) < LIMIT


def test_subscribers_hear_of_what_a_commit_changed(campaign, tmp_path):
    catalogue = catalogue_of(campaign, tmp_path)
    events = [
        campaign.cover([0]),
        campaign.extend([campaign.call("pause()")]),
        campaign.falsify("echidna_true", "pause()"),
        *campaign.run_round(),
    ]
    finding = f"findings/{finding_id('Vault', 'echidna_true')}"
    assert set(catalogue.resources.touched(events)) == {
        ROOT,
        *(f"{ROOT}/{name}" for name in ("events", "coverage", "coverage.lcov")),
        *(f"{ROOT}/{name}" for name in ("history", "executions", "corpus/0")),
        f"{ROOT}/functions",
        f"{ROOT}/reproducers/echidna_true",
        *(f"{ROOT}/{name}" for name in ("findings", finding, f"{finding}/foundry")),
        *(f"{ROOT}/events/{name}" for name in ("CoverageIncreased", "CorpusExtended")),
        *(f"{ROOT}/events/{name}" for name in ("PropertyFalsified", "RoundCommitted")),
    }


def test_completions_offer_what_the_campaign_has(campaign, tmp_path):
    campaign.extend([campaign.call("pause()")])
    campaign.falsify("echidna_true", "pause()")
    catalogue = catalogue_of(campaign, tmp_path)
    complete = catalogue.resources.complete
    assert complete(f"{ROOT}/corpus/{{index}}", "index", "").values == ("0",)
    tests = complete(f"{ROOT}/reproducers/{{property}}", "property", "").values
    assert tests == ("echidna_true", "echidna_solvent")
    tools = complete(f"{ROOT}/contracts/{{tool}}", "tool", "lcov").values
    assert tools == ("dump_lcov",)
    complete = catalogue.prompts.complete
    assert set(complete("raise_coverage", "function", "transfer").values) == {
        "transfer(address,uint256)",
        "transfer(address,uint256,bytes)",
    }
    assert complete("write_handler", "contract", "").values == ("Vault", "Helper")
    assert complete("triage_property", "property", "").values == tests


async def test_raise_coverage_begins_with_the_least_covered_function(
    campaign, tmp_path
):
    campaign.cover([0, 2])
    render = catalogue_of(campaign, tmp_path).prompts.render
    text = await render("raise_coverage", {})
    assert "Raise the coverage of never()" in text or "pause()" in text
    text = await render("raise_coverage", {"function": "deposit"})
    assert "deposit() in Vault" in text
    assert "1 of its 1 lines" in text
    with pytest.raises(InvalidInputError, match="it may be transfer"):
        await render("raise_coverage", {"function": "transfer"})
    with pytest.raises(InvalidInputError, match="sequences call"):
        await render("raise_coverage", {"function": "nothing"})


async def test_triage_tells_the_reproducer_call_by_call(campaign, tmp_path):
    render = catalogue_of(campaign, tmp_path).prompts.render
    assert "No test has been falsified" in await render("triage_property", {})
    campaign.falsify("echidna_true", "deposit()", value=5, time_delay=9, sender=BOB)
    text = await render("triage_property", {})
    assert f"1. deposit()  from {BOB}, value 5 wei, 9 s later" in text
    assert "returned false" in text
    assert "echidna_solvent has not been" in await render(
        "triage_property", {"property": "echidna_solvent"}
    )
    with pytest.raises(InvalidInputError, match="there are echidna_solvent and"):
        await render("triage_property", {"property": "echidna"})


async def test_a_handler_is_asked_for_with_the_functions_of_the_contract(
    campaign, tmp_path
):
    render = catalogue_of(campaign, tmp_path).prompts.render
    text = await render("write_handler", {})
    assert "- deposit() payable" in text
    assert "echidna_true" not in text
    assert "- help() nonpayable" in await render(
        "write_handler", {"contract": "Helper"}
    )
    with pytest.raises(InvalidInputError, match="there are Vault and Helper"):
        await render("write_handler", {"contract": "Token"})

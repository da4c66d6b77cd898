"""Tools answer whatever the campaign has collected; benchmarks tell how fast."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import BOB, HandmadeCampaign
from tool_plugins import make_service

from echidna_mcp.tools.service import ToolService

LIMIT = 42_500
"""Bytes: 25,000 tokens of 1.7 hexadecimal digits, the worst of what we send."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> ToolService:
    campaign = HandmadeCampaign()
    for number in range(200):
        campaign.extend(
            [
                campaign.call(f"transfer({BOB}, {number * 50 + at}, 0x00ff)", value=at)
                for at in range(50)
            ]
        )
    for _ in range(2500):
        campaign.cover([0, 2, 4])
    return make_service(campaign, tmp_path_factory.mktemp("corpus"), strict=False)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_logs", {}),
        ("read_logs", {"count": 100}),
        ("read_logs", {"eventType": "PropertyFalsified"}),
        ("show_coverage", {}),
        ("dump_lcov", {"outputPath": "out.info"}),
        ("get_corpus_size", {}),
        ("inspect_corpus_transactions", {"offset": 9_900, "limit": 100}),
        ("find_transaction_in_corpus", {"functionSignature": "transfer"}),
        ("find_transaction_in_corpus", {"minValue": "49"}),
        ("find_transaction_in_corpus", {"functionSignature": "absent"}),
        ("inject_transaction", {"sequence": [f"transfer({BOB}, 1)"] * 100}),
        ("prioritize_function", {"functionSignature": "transfer()"}),
        ("clear_priorities", {}),
    ],
)
async def test_a_tool_answers_on_a_large_campaign(
    large: ToolService, tool: str, arguments: dict[str, Any]
) -> None:
    outcome = await large.call(tool, arguments)
    assert outcome.error is None
    assert outcome.content is not None
    assert len(outcome.text.encode()) < LIMIT


async def test_as_many_events_are_given_as_are_asked_for(large: ToolService) -> None:
    """FR-001: 2,500 in one answer, which no client refuses."""
    outcome = await large.call("read_logs", {"count": 2500})
    events = outcome.content["events"]
    assert len(events) == outcome.content["totalCount"] == 2500
    seqs = [event["seq"] for event in events]
    assert seqs == list(range(seqs[0], seqs[0] - 2500, -1))
    assert outcome.next_cursor is None
    assert "in short" in outcome.warnings[0]
    structured = len(outcome.text.encode())
    assert structured + len(json.dumps(outcome.text)) < 1 << 20


async def test_what_one_answer_can_not_carry_follows_in_the_next(
    tmp_path: Path,
) -> None:
    campaign = HandmadeCampaign()
    for number in range(2600):
        text = f"set({number}, 0x{'ab' * 500})"
        executed = {"call": text, "function": "set(uint256,bytes)", "gasUsed": 21_000}
        campaign.add("TransactionExecuted", {**executed, "result": "STOP"})
    service = make_service(campaign, tmp_path, strict=False)
    asked = {"count": 2000, "eventType": "TransactionExecuted"}
    calls: list[str] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        outcome = await service.call("read_logs", asked, cursor=cursor)
        assert len(outcome.text.encode()) + len(json.dumps(outcome.text)) < 1 << 20
        calls += [event["data"]["call"] for event in outcome.content["events"]]
        cursor, pages = outcome.next_cursor, pages + 1
    assert pages > 3
    assert calls == [f"set({n}, 0x{'ab' * 500})" for n in range(2599, 599, -1)]


@pytest.mark.parametrize(
    "cursor", ["", "x", "1", "1.", "1.0", "0.5", "1.2501", "-1.5", "9" * 5000, 7, []]
)
async def test_a_cursor_that_no_answer_gave_is_refused(
    large: ToolService, cursor: object
) -> None:
    outcome = await large.call("read_logs", {}, cursor=cursor)
    assert outcome.error is not None
    assert outcome.error["error"]["code"] == "INVALID_INPUT"
    assert "cursor" in outcome.error["error"]["message"]


async def test_a_search_decodes_no_call_that_does_not_match(tmp_path: Path) -> None:
    campaign = HandmadeCampaign()
    broken = {**campaign.call("deposit()"), "calldata": "0x00"}
    campaign.extend([broken, campaign.call("pause()")])
    outcome = await make_service(campaign, tmp_path).call(
        "find_transaction_in_corpus", {"functionSignature": "pause()"}
    )
    assert outcome.content["count"] == 1

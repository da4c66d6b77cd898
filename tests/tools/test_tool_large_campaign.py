"""Tools answer whatever the campaign has collected; benchmarks tell how fast."""

from __future__ import annotations

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
        ("read_logs", {"count": 2500}),
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


async def test_a_search_decodes_no_call_that_does_not_match(tmp_path: Path) -> None:
    campaign = HandmadeCampaign()
    broken = {**campaign.call("deposit()"), "calldata": "0x00"}
    campaign.extend([broken, campaign.call("pause()")])
    outcome = await make_service(campaign, tmp_path).call(
        "find_transaction_in_corpus", {"functionSignature": "pause()"}
    )
    assert outcome.content["count"] == 1

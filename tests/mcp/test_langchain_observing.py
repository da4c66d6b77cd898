"""FR-016, observability: the tools that only look, as LangChain sees them."""

from __future__ import annotations

import pytest
from lab_contract import FUNCTIONS, UNLOCK
from langchain_tools import langchain_agent, require_langchain
from lcov_reader import parse
from tool_results import TOOLS

require_langchain()

pytestmark = pytest.mark.solc
CONTROL = {"inject_transaction", "prioritize_function", "clear_priorities"}


async def test_langchain_is_offered_the_nine_tools_with_their_schemas(lab):
    async with langchain_agent(lab.url) as agent:
        assert sorted(agent.tools) == TOOLS
        assert len(TOOLS) == 9
        for name, tool in agent.tools.items():
            assert tool.description
            hints = tool.metadata["mcp"]["tool"]["annotations"]
            assert hints["read_only_hint"] is (name not in {*CONTROL, "dump_lcov"})
        assert "sequence" in agent.tools["inject_transaction"].args


async def test_the_log_is_read_newest_first_and_filtered(lab):
    async with langchain_agent(lab.url) as agent:
        logs = await agent.ask("read_logs", count=50)
        assert 0 < len(logs["events"]) <= 50
        order = [event["seq"] for event in logs["events"]]
        assert order == sorted(order, reverse=True)
        wanted = {"eventType": "TransactionExecuted", "workerId": 2}
        executed = await agent.ask("read_logs", **wanted)
        assert {(e["eventType"], e["workerId"]) for e in executed["events"]} == {
            ("TransactionExecuted", 2)
        }


async def test_coverage_is_the_same_in_both_tools_that_show_it(lab):
    async with langchain_agent(lab.url) as agent:
        shown = await agent.ask("show_coverage", contract="Lab")
        (contract,) = shown["contracts"]
        signatures = {function["signature"] for function in contract["functions"]}
        assert {UNLOCK, *FUNCTIONS} <= signatures
        record = parse(await agent.ask("dump_lcov"))["Lab.sol"]
        assert record.totals["LF"] == contract["totalLines"]
        assert record.totals["LH"] >= contract["coveredLines"] > 0


async def test_a_report_is_written_beside_the_campaign(lab):
    async with langchain_agent(lab.url) as agent:
        text = await agent.ask("dump_lcov", outputPath="langchain.info")
    assert (lab.directory / "langchain.info").read_text("utf-8") == text


async def test_the_corpus_is_counted_paged_and_searched(lab):
    async with langchain_agent(lab.url) as agent:
        size = (await agent.ask("get_corpus_size"))["size"]
        assert size > 2
        page = await agent.ask("inspect_corpus_transactions", offset=1, limit=2)
        assert [call["index"] for call in page["transactions"]] == [1, 2]
        assert page["total"] >= size
        call = page["transactions"][0]
        found = await agent.ask("find_transaction_in_corpus", sender=call["sender"])
        assert call in found["matches"]
        assert {match["sender"] for match in found["matches"]} == {call["sender"]}

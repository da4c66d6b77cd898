"""FR-016, control and integration: what an agent changes, and how it sees that."""

from __future__ import annotations

import asyncio
import time

import pytest
from lab_contract import KEY, UNLOCK
from langchain_tools import langchain_agent, require_langchain

require_langchain()

pytestmark = pytest.mark.solc
VISIBLE_SECONDS = 5.0
"""Within which an injected sequence must be in the corpus (SC-002)."""
MEASURED_CALLS = 3_000
SENDER = "0x00000000000000000000000000000000DeaDBeef"


async def coverage_of(agent, signature):
    shown = await agent.ask("show_coverage", contract="Lab")
    (found,) = [
        function["lineCoverage"]
        for function in shown["contracts"][0]["functions"]
        if function["signature"] == signature
    ]
    return found


async def injected(agent, call, after=0, **criteria):
    """Wait for the last transaction of an injected sequence; return it.

    Args:
        after: its least index: what the corpus held before.
    """
    deadline = time.monotonic() + VISIBLE_SECONDS
    while True:
        found = await agent.ask("find_transaction_in_corpus", **criteria)
        for match in reversed(found["matches"]):
            wanted = match["injected"] and match["call"] == call
            if wanted and match["index"] >= after:
                return match
        assert time.monotonic() < deadline, f"{call} is not in the corpus"
        await asyncio.sleep(0.02)


async def share_of(agent, function, first):
    """Return the share of a function in the calls since priorities changed."""
    while True:
        corpus = await agent.ask("inspect_corpus_transactions", limit=1)
        counts = {each["signature"]: each["calls"] for each in corpus["functionCalls"]}
        total = sum(counts.values())
        if corpus["functionCallsSince"] == first and total >= MEASURED_CALLS:
            return counts[function] / total
        await asyncio.sleep(0.1)


async def test_an_injected_sequence_is_in_the_corpus_and_raises_coverage(lab):
    async with langchain_agent(lab.url) as agent:
        before = await coverage_of(agent, UNLOCK)
        size = (await agent.ask("get_corpus_size"))["size"]
        calls = ["deposit()", f"unlock({KEY})"]
        answer = await agent.ask(
            "inject_transaction", sequence=calls, sender=SENDER, value="5000"
        )
        assert (answer["success"], answer["injectedCount"]) == (True, 2)

        last = await injected(agent, calls[1], size, functionSignature="unlock")
        assert last["sender"].lower() == SENDER.lower()
        page = await agent.ask(
            "inspect_corpus_transactions", offset=last["index"] - 1, limit=2
        )
        assert [call["call"] for call in page["transactions"]] == calls
        assert [call["value"] for call in page["transactions"]] == ["5000", "0"]
        assert (await agent.ask("get_corpus_size"))["size"] >= size + 2
        assert await coverage_of(agent, UNLOCK) == 100 > before


async def test_a_prioritized_function_gets_nine_calls_in_ten_until_it_is_cleared(lab):
    async with langchain_agent(lab.url) as agent:
        name = "withdraw(uint256)"
        one = await agent.ask("prioritize_function", functionSignature=name)
        assert one["prioritizedFunctions"] == [name]
        assert 0.88 <= await share_of(agent, name, lab.commands[-1]["round"]) <= 0.93

        two = await agent.ask("prioritize_function", functionSignature="deposit()")
        assert two["prioritizedFunctions"] == [name, "deposit()"]
        cleared = await agent.ask("clear_priorities")
        assert (cleared["success"], cleared["clearedCount"]) == (True, 2)
        assert await share_of(agent, name, lab.commands[-1]["round"]) < 0.5
        assert (await agent.ask("clear_priorities"))["clearedCount"] == 0


async def test_every_control_call_is_a_line_of_the_command_log(lab):
    written = len(lab.commands)
    async with langchain_agent(lab.url) as agent:
        await agent.ask("prioritize_function", functionSignature="deposit()")
        await agent.ask("inject_transaction", sequence=["add(1, ?)"])
        await agent.ask("clear_priorities")
    lines = lab.commands[written : written + 3]
    assert [line["tool"] for line in lines] == [
        "prioritize_function",
        "inject_transaction",
        "clear_priorities",
    ]
    assert {line["result"] for line in lines} == {"success"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "details"),
    [
        ("read_logs", {"count": 0}, "INVALID_INPUT", {"path": "count"}),
        ("read_logs", {"cuont": 1}, "INVALID_INPUT", {}),
        ("show_coverage", {"contract": "Lob"}, "INVALID_INPUT", {}),
        ("dump_lcov", {"outputPath": "../out.info"}, "INVALID_INPUT", {}),
        ("get_corpus_size", {"deep": True}, "INVALID_INPUT", {}),
        ("inspect_corpus_transactions", {"limit": 101}, "INVALID_INPUT", {}),
        ("find_transaction_in_corpus", {}, "INVALID_INPUT", {}),
        ("inject_transaction", {"sequence": []}, "INVALID_INPUT", {}),
        (
            "inject_transaction",
            {"sequence": ["deposit()", "unlok(1)"]},
            "PARSE_ERROR",
            {"sequenceIndex": 1, "closest": [UNLOCK, "unlocked()"]},
        ),
        (
            "inject_transaction",
            {"sequence": ["add(1, true)"]},
            "PARSE_ERROR",
            {"argument": 2, "expectedType": "uint256"},
        ),
        ("prioritize_function", {"functionSignature": "a b"}, "INVALID_INPUT", {}),
        ("clear_priorities", {"all": True}, "INVALID_INPUT", {}),
    ],
)
async def test_a_wrong_call_is_an_error_that_says_what_to_repair(
    lab, tool, arguments, code, details
):
    written = len(lab.commands)
    async with langchain_agent(lab.url) as agent:
        error = await agent.fail(tool, **arguments)
    assert error["code"] == code
    assert details.items() <= error.get("details", {}).items()
    taken = [(line["tool"], line["args"]) for line in lab.commands[written:]]
    assert (tool, arguments) not in taken

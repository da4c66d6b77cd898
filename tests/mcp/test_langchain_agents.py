"""FR-016, multi-step agents: a model decides from what the tools have answered.

The model is a script, but each turn computes its call from the messages before it, as a
model does: what it can't see in them, it can't use.
"""

from __future__ import annotations

import asyncio
import json

import pytest
from lab_contract import KEY, UNLOCK
from langchain_tools import (
    calling,
    error_of,
    output_of,
    require_langchain,
    saying,
    scripted_model,
)
from tool_results import TOOLS

require_langchain()

# ruff: noqa: E402 (what may be missing is imported after the question whether it is)
from langchain.agents import create_agent
from langchain.mcp import MCPAdapter

pytestmark = pytest.mark.solc


async def work(url, task, *turns):
    """Let an agent with a scripted model work; return model and messages."""
    model = scripted_model(turns)
    async with MCPAdapter(url) as adapter:
        agent = create_agent(model, await adapter.list_tools())
        question = {"role": "user", "content": task}
        end = await agent.ainvoke({"messages": [question]}, {"recursion_limit": 60})
    assert not model.turns, "the agent stopped before its script"
    return model, end["messages"]


def seen(messages):
    """Return the last result as the model reads it: text."""
    return json.loads(messages[-1].text)


def answers(messages):
    return [message for message in messages if message.type == "tool"]


async def test_an_agent_finds_a_gap_fills_it_and_verifies_that(lab):
    def look(_):
        return calling("show_coverage", contract="Lab")

    def focus(messages):
        (contract,) = seen(messages)["contracts"]
        signatures = [function["signature"] for function in contract["functions"]]
        (wanted,) = [each for each in signatures if each.startswith("unlock(")]
        return calling("prioritize_function", functionSignature=wanted)

    def inject(messages):
        (signature,) = seen(messages)["prioritizedFunctions"]
        name = signature.partition("(")[0]
        return calling("inject_transaction", sequence=[f"{name}({KEY})"])

    def find(messages):
        assert seen(messages)["injectedCount"] == 1
        return calling("find_transaction_in_corpus", functionSignature=UNLOCK)

    def release(messages):
        assert seen(messages)["count"] > 0
        return calling("clear_priorities")

    def conclude(messages):
        (contract,) = seen(messages)["contracts"]
        coverage = {f["signature"]: f["lineCoverage"] for f in contract["functions"]}
        return saying(f"{UNLOCK}: {coverage[UNLOCK]} %")

    turns = (look, focus, inject, find, release, look, conclude)
    model, messages = await work(lab.url, "Raise coverage.", *turns)
    assert sorted(set(model.bound)) == TOOLS
    assert [message.status for message in answers(messages)] == ["success"] * 6
    assert messages[-1].text.startswith(f"{UNLOCK}: ")


async def test_an_agent_reads_the_error_and_repairs_its_call(lab):
    def misspelt(_):
        return calling("inject_transaction", sequence=["unlokc(?)"])

    def with_the_name_that_was_proposed(messages):
        closest, *_ = seen(messages)["error"]["details"]["closest"]
        name = closest.partition("(")[0]
        return calling("inject_transaction", sequence=[f"{name}(true)"])

    def with_the_type_that_was_asked_for(messages):
        details = seen(messages)["error"]["details"]
        assert (details["argument"], details["expectedType"]) == (1, "uint256")
        return calling("inject_transaction", sequence=[f"unlock({KEY})"])

    _, messages = await work(
        lab.url,
        "Unlock it.",
        *(misspelt, with_the_name_that_was_proposed, with_the_type_that_was_asked_for),
        lambda messages: saying(seen(messages)["message"]),
    )
    first, second, third = answers(messages)
    assert error_of(first)["code"] == error_of(second)["code"] == "PARSE_ERROR"
    assert output_of("inject_transaction", third)["injectedCount"] == 1
    assert messages[-1].text.startswith("Injected 1 transaction")


async def test_an_agent_pages_through_the_corpus_by_what_it_has_read(lab):
    def page(offset):
        return calling("inspect_corpus_transactions", offset=offset, limit=3)

    def following(messages):
        return page(seen(messages)["transactions"][-1]["index"] + 1)

    _, messages = await work(
        lab.url,
        "What is in the corpus?",
        *(lambda _: page(0), following, following),
        lambda _: saying("done"),
    )
    found = [
        call["index"]
        for message in answers(messages)
        for call in output_of("inspect_corpus_transactions", message)["transactions"]
    ]
    assert found == list(range(len(found)))
    assert len(found) > 3


async def test_an_agent_that_invents_a_tool_is_told_so(lab):
    _, messages = await work(
        lab.url,
        "Stop it.",
        lambda _: calling("stop_campaign"),
        lambda messages: saying(messages[-1].text),
    )
    (answer,) = answers(messages)
    assert answer.status == "error"
    assert "read_logs" in messages[-1].text


async def test_two_agents_work_at_once_and_each_has_its_own_answers(lab):
    async def one(word):
        def check(messages):
            assert seen(messages)["injectedCount"] == 1
            return saying(word)

        turns = (
            lambda _: calling("inject_transaction", sequence=[f'note("{word}")']),
            check,
        )
        _, messages = await work(lab.url, f"Note {word}.", *turns)
        return messages[-1].text

    words = [f"agent {number}" for number in range(3)]
    assert await asyncio.gather(*map(one, words)) == words
    logged = {str(line["args"].get("sequence")) for line in lab.commands}
    assert {str([f'note("{word}")']) for word in words} <= logged

"""Story 3 of the requirements: an agent looks, decides, steers, and sees the effect."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lab_contract import KEY, UNLOCK
from live_server import LiveServer
from tool_results import Agent, agent_at

pytestmark = pytest.mark.solc

MEASURED_CALLS = 3_000
"""At least 1,000 are asked for; with these, chance alone stays well inside the band."""


async def function_coverage(agent: Agent) -> dict[str, float]:
    """Return line coverage by signature, of the functions that can be fuzzed."""
    coverage = await agent.ask("show_coverage", contract="Lab")
    return {
        function["signature"]: function["lineCoverage"]
        for function in coverage["contracts"][0]["functions"]
        if "(" in function["signature"] and "echidna_" not in function["signature"]
    }


async def share_from(agent: Agent, first: int, functions: set[str]) -> float:
    """Return the share of functions in the calls since priorities changed at a round.

    SC-003 measures with this tool.
    """
    while True:
        corpus = await agent.ask("inspect_corpus_transactions", limit=1)
        counts = {each["signature"]: each["calls"] for each in corpus["functionCalls"]}
        total = sum(counts.values())
        if corpus["functionCallsSince"] == first and total >= MEASURED_CALLS:
            return sum(counts[signature] for signature in functions) / total
        await asyncio.sleep(0.1)


async def injected(
    lab: LiveServer, agent: Agent, name: str, start: str, count: int = 1
) -> list[Any]:
    """Wait for `count` calls of injected sequences that begin with `start`.

    They are in the corpus as soon as the round is committed that takes up the command.
    (SC-002 asks for five seconds; rounds are made to last half of one at most.)
    """
    taken_up = lab.commands[-1]["round"]
    while True:
        committed = (await agent.ask("show_coverage"))["round"]
        found = await agent.ask("find_transaction_in_corpus", functionSignature=name)
        calls = [
            call
            for call in found["matches"]
            if call["injected"] and call["call"].startswith(start)
        ]
        if len(calls) >= count:
            return calls
        assert committed < taken_up, f"{count} of {start} not in the corpus"
        await asyncio.sleep(0.02)


async def sequence(agent: Agent, call: dict[str, Any]) -> list[dict[str, Any]]:
    page = await agent.ask(
        "inspect_corpus_transactions",
        offset=call["index"] - call["position"],
        limit=100,
    )
    return [t for t in page["transactions"] if t["sequence"] == call["sequence"]]


async def test_an_agent_reaches_what_the_fuzzer_can_not(lab):
    async with agent_at(lab.url) as agent:
        logs = await agent.ask("read_logs")
        assert "RoundCommitted" in {event["eventType"] for event in logs["events"]}

        before = await function_coverage(agent)
        lowest = min(before, key=lambda signature: before[signature])
        assert lowest == UNLOCK
        assert before[UNLOCK] < 100
        commands = len(lab.commands)

        await agent.ask("prioritize_function", functionSignature=lowest)
        calls = ["deposit()", f"unlock({KEY})"]
        answer = await agent.ask("inject_transaction", sequence=calls, value="5000")
        assert answer["injectedCount"] == 2
        # Soon both have newer ones alone: it is called again and again.
        logs, (unlock,) = await asyncio.gather(
            agent.ask("read_logs", count=2500),
            injected(lab, agent, lowest, f"unlock({KEY})"),
        )
        found = await sequence(agent, unlock)
        assert [call["call"] for call in found] == calls
        assert [call["value"] for call in found] == ["5000", "0"]  # to the payable one
        assert {call["result"] for call in found} == {"STOP"}
        after = await function_coverage(agent)
        assert after[UNLOCK] == 100 > before[UNLOCK]

        written = lab.commands[commands:]
        assert [line["tool"] for line in written] == [
            "prioritize_function",
            "inject_transaction",
        ]
        assert written[1]["args"]["sequence"] == calls
        logged = {
            event["seq"]: event["data"]["tool"]
            for event in logs["events"]
            if event["eventType"] == "CommandAccepted"
        }
        assert {line["seq"]: line["tool"] for line in written}.items() <= logged.items()


async def test_an_injected_sequence_is_kept_although_it_covers_nothing_new(lab):
    async with agent_at(lab.url) as agent:
        calls = ["add(11, 22)", "add(33, 44)", "add(55, 66)"]
        for times in (1, 2):  # the second time it can't be new in any way
            await agent.ask("inject_transaction", sequence=calls)
            found = await injected(lab, agent, "add", calls[0], times)
            assert len({call["sequence"] for call in found}) == times
            kept = await sequence(agent, found[-1])
            assert [call["call"] for call in kept] == calls


async def test_an_argument_left_open_is_chosen_by_the_fuzzer(lab):
    async with agent_at(lab.url) as agent:
        await agent.ask("inject_transaction", sequence=["add(987654321, ?)"])
        # Each worker chooses, and keeps what brings something.
        calls = await injected(lab, agent, "add", "add(987654321, ")
        assert not any("?" in call["call"] for call in calls)


@pytest.mark.parametrize(
    ("request_", "functions"),
    [
        (UNLOCK, {UNLOCK}),
        ("onlyOwner()", {"retire(address)"}),  # the functions with that modifier
    ],
)
async def test_nine_calls_in_ten_go_to_the_prioritized_function(
    lab, request_, functions
):
    async with agent_at(lab.url) as agent:
        await agent.ask("prioritize_function", functionSignature=request_)
        share = await share_from(agent, lab.commands[-1]["round"], functions)
        assert 0.88 <= share <= 0.93
        await agent.ask("clear_priorities")
        share = await share_from(agent, lab.commands[-1]["round"], functions)
        assert share < 0.5


async def test_several_requests_add_up_and_unknown_ones_do_no_harm(lab):
    async with agent_at(lab.url) as agent:
        one = await agent.ask("prioritize_function", functionSignature="deposit()")
        assert one["prioritizedFunctions"] == ["deposit()"]
        two = await agent.ask(
            "prioritize_function", functionSignature="nowhere(uint256)"
        )
        assert two["prioritizedFunctions"] == ["deposit()", "nowhere(uint256)"]
        assert "matches no function" in two["message"]
        again = await agent.ask("prioritize_function", functionSignature="deposit()")
        assert sorted(again["prioritizedFunctions"]) == [
            "deposit()",
            "nowhere(uint256)",
        ]
        assert (await agent.ask("clear_priorities"))["clearedCount"] == 2
        assert (await agent.ask("clear_priorities"))["clearedCount"] == 0

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import ALICE, BOB, HandmadeCampaign
from tool_plugins import make_service

from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.rounds.commands import parse_injection


def accepted(campaign: HandmadeCampaign) -> list[Any]:
    return [e.payload for e in campaign.events if e.type == "CommandAccepted"]


# ---------------------------------------------------------- inject_transaction


async def test_an_injection_is_queued_with_all_arguments(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.run_round()
    answer = await ask("inject_transaction", sequence=["deposit()", "pause()"])
    assert answer == {
        "success": True,
        "message": "Injected 2 transactions to 3 workers; they run at round 2.",
        "injectedCount": 2,
    }
    assert accepted(campaign) == [
        {
            "tool": "inject_transaction",
            "args": {"sequence": ["deposit()", "pause()"], "value": "0"},
            "message": "Injected 2 transactions to 3 workers",
        }
    ]


async def test_an_injection_normalises_sender_and_value(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    sender = "0x" + "Ab" * 20
    answer = await ask(
        "inject_transaction", sequence=["deposit()"], sender=sender, value="007"
    )
    assert answer["message"].startswith("Injected 1 transaction to 3 workers; it runs")
    (command,) = accepted(campaign)
    assert command["args"]["sender"] == sender.lower()
    assert command["args"]["value"] == "7"


async def test_who_says_no_sender_means_the_first_of_the_campaign(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    await ask("inject_transaction", sequence=["deposit()"])
    (command,) = campaign.views.progress.pending
    (call,) = parse_injection(command.number, command.args, campaign.target).calls
    assert call.sender == campaign.target.senders[0]


async def test_a_reproducer_is_injected_as_it_is_printed(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    calls = [
        {
            "sender": f"0x{sender:040x}",
            "value": str(value),
            "timeDelay": seconds,
            "blockDelay": blocks,
        }
        for sender, value, seconds, blocks in (
            (7, 5, 60, 0),
            (8, 0, 0, 3),
            (7, 0, 0, 0),
        )
    ]
    texts = ["deposit()", "pause()", "deposit()"]
    printed = sequence_lines(campaign.target, texts, calls)
    await ask("inject_transaction", sequence=printed, value="9")
    (command,) = campaign.views.progress.pending
    injection = parse_injection(command.number, command.args, campaign.target)
    assert [
        (call.sender, call.time_delay, call.block_delay) for call in injection.calls
    ] == [(7, 60, 0), (8, 0, 3), (7, 0, 0)]
    assert [call.value for call in injection.calls] == [5, 0, 9]


async def test_the_engine_reads_what_was_queued(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    await ask(
        "inject_transaction", sequence=[f"transfer({BOB}, ?)", "deposit()"], value="5"
    )
    (command,) = campaign.views.progress.pending
    injection = parse_injection(command.number, command.args, campaign.target)
    assert [call.value for call in injection.calls] == [0, 5]
    assert injection.calls[0].holes == 0b10
    campaign.run_round()
    assert campaign.views.progress.pending == []


@pytest.mark.parametrize(
    ("call", "place"),
    [
        ("transfer(0xZZZ, -100)", (9, 1, "address")),
        (f"transfer({ALICE}, -100)", (53, 2, "uint256")),
        ('plot([(256, "a")])', (7, 1, "uint8")),
    ],
)
async def test_a_bad_call_is_located_and_nothing_is_queued(
    campaign: HandmadeCampaign,
    refused: Any,
    call: str,
    place: tuple[int, int, str],
) -> None:
    error = await refused("inject_transaction", sequence=["deposit()", call])
    assert error["code"] == "PARSE_ERROR"
    details = error["details"]
    assert details["sequenceIndex"] == 1
    found = details["position"], details["argument"], details["expectedType"]
    assert found == place
    assert accepted(campaign) == []


async def test_an_unknown_function_gets_the_closest_names(
    campaign: HandmadeCampaign, refused: Any
) -> None:
    error = await refused("inject_transaction", sequence=["depositt()"])
    assert error["code"] == "PARSE_ERROR"
    assert error["details"]["closest"] == ["deposit()"]
    assert accepted(campaign) == []


@pytest.mark.parametrize("value", [str(2**256), "9" * 5000, "1" + "0" * 78])
async def test_more_wei_than_a_word_holds_is_refused(
    campaign: HandmadeCampaign, refused: Any, value: str
) -> None:
    error = await refused("inject_transaction", sequence=["deposit()"], value=value)
    assert error["code"] == "INVALID_INPUT"
    assert accepted(campaign) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"sequence": []},
        {"sequence": ["deposit()"] * 101},
        {"sequence": ["deposit"]},
        {"sequence": ["deposit()"], "sender": "0x1"},
        {"sequence": ["deposit()"], "value": "-1"},
        {"sequence": ["deposit()"], "value": 1},
        {"sequence": ["deposit()"], "gas": "1"},
    ],
)
async def test_what_breaks_the_contract_document_is_refused(
    campaign: HandmadeCampaign, refused: Any, arguments: dict[str, Any]
) -> None:
    assert (await refused("inject_transaction", **arguments))["code"] == "INVALID_INPUT"
    assert accepted(campaign) == []


# --------------------------------------------------------- prioritize_function


async def test_a_request_is_stored_in_canonical_form(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    answer = await ask(
        "prioritize_function", functionSignature="transfer( address, uint )"
    )
    assert answer == {
        "success": True,
        "message": "Prioritized function 'transfer(address,uint256)' from round 1.",
        "prioritizedFunctions": ["transfer(address,uint256)"],
    }
    (command,) = accepted(campaign)
    assert command["args"] == {"functionSignature": "transfer(address,uint256)"}
    assert command["message"] == "Prioritized function 'transfer(address,uint256)'."


@pytest.mark.parametrize(
    ("request_text", "note", "functions"),
    [
        (
            "transfer()",
            (
                " It stands for transfer(address,uint256) and "
                "transfer(address,uint256,bytes)."
            ),
            ("transfer(address,uint256)", "transfer(address,uint256,bytes)"),
        ),
        ("onlyOwner()", " It is a modifier of pause().", ("pause()",)),
        (
            "depositt()",
            " It matches no function that can be called; did you mean deposit()?",
            (),
        ),
        ("qqqq(bool)", " It matches no function that can be called.", ()),
        (
            "echidna_true()",
            " It matches no function that can be called.",
            (),
        ),
    ],
)
async def test_the_message_says_what_a_request_means(
    campaign: HandmadeCampaign,
    ask: Any,
    request_text: str,
    note: str,
    functions: tuple[str, ...],
) -> None:
    answer = await ask("prioritize_function", functionSignature=request_text)
    assert answer["success"] is True
    assert answer["message"].endswith(note)
    assert answer["prioritizedFunctions"] == [request_text]
    campaign.run_round()
    assert campaign.views.priorities.functions == {request_text: functions}


async def test_requests_in_force_include_those_that_wait(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    await ask("prioritize_function", functionSignature="pause()")
    campaign.run_round()
    await ask("prioritize_function", functionSignature="never()")
    again = await ask("prioritize_function", functionSignature="pause()")
    assert again["prioritizedFunctions"] == ["pause()", "never()"]
    cleared = await ask("clear_priorities")
    assert cleared["clearedCount"] == 2
    after = await ask("prioritize_function", functionSignature="deposit()")
    assert after["prioritizedFunctions"] == ["deposit()"]
    campaign.run_round()
    assert campaign.views.priorities.requested == ("deposit()",)


async def test_concurrent_requests_are_all_kept_in_the_order_received(
    campaign: HandmadeCampaign, tmp_path: Path
) -> None:
    service = make_service(campaign, tmp_path)
    names = ["pause()", "never()", "deposit()", "gone()"]
    outcomes = await asyncio.gather(
        *(service.call("prioritize_function", {"functionSignature": n}) for n in names)
    )
    assert all(not outcome.is_error for outcome in outcomes)
    logged = [command["args"]["functionSignature"] for command in accepted(campaign)]
    assert logged == names
    campaign.run_round()
    assert list(campaign.views.priorities.requested) == names


@pytest.mark.parametrize("signature", ["f(uint257)", "f((uint256)", "f(,)", "f( )g()"])
async def test_a_signature_that_cannot_be_read_is_a_parse_error(
    campaign: HandmadeCampaign, refused: Any, signature: str
) -> None:
    error = await refused("prioritize_function", functionSignature=signature)
    assert error["code"] == "PARSE_ERROR"
    assert accepted(campaign) == []


async def test_an_endless_signature_is_refused(
    campaign: HandmadeCampaign, refused: Any
) -> None:
    error = await refused("prioritize_function", functionSignature="f" * 9999 + "()")
    assert error["code"] == "INVALID_INPUT"
    assert accepted(campaign) == []


# ------------------------------------------------------------ clear_priorities


async def test_clearing_nothing_is_fine(campaign: HandmadeCampaign, ask: Any) -> None:
    assert await ask("clear_priorities") == {
        "success": True,
        "message": "Cleared 0 prioritized functions; "
        "from round 1 all are equally likely.",
        "clearedCount": 0,
    }
    assert accepted(campaign)[0]["args"] == {}


async def test_clearing_ends_the_priorities(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    for name in ("pause()", "never()"):
        await ask("prioritize_function", functionSignature=name)
    campaign.run_round()
    assert (await ask("clear_priorities"))["clearedCount"] == 2
    campaign.run_round()
    assert campaign.views.priorities.requested == ()


# --------------------------------------------------------------------- the end

CONTROL: list[tuple[str, dict[str, Any]]] = [
    ("inject_transaction", {"sequence": ["deposit()"]}),
    ("prioritize_function", {"functionSignature": "pause()"}),
    ("clear_priorities", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), CONTROL)
async def test_after_the_end_nothing_can_be_changed(
    campaign: HandmadeCampaign, refused: Any, tool: str, arguments: dict[str, Any]
) -> None:
    campaign.stop()
    error = await refused(tool, **arguments)
    assert error["code"] == "CAMPAIGN_TERMINATED"
    assert error["details"]["reason"] == "TestLimitReached"
    assert accepted(campaign) == []


@pytest.mark.parametrize(("tool", "arguments"), CONTROL)
async def test_without_an_active_worker_nothing_can_be_changed(
    campaign: HandmadeCampaign, refused: Any, tool: str, arguments: dict[str, Any]
) -> None:
    for worker in range(3):
        campaign.add("WorkerStopped", {"reason": "Killed"}, worker)
    assert (await refused(tool, **arguments))["code"] == "CAMPAIGN_TERMINATED"
    assert accepted(campaign) == []


async def test_a_command_goes_to_the_workers_that_are_active(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.add("WorkerStopped", {"reason": "Killed"}, 1)
    answer = await ask("inject_transaction", sequence=["deposit()"])
    assert "to 2 workers" in answer["message"]

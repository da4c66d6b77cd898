from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import (
    ALICE,
    BOB,
    HELPER,
    TOKEN,
    VAULT,
    HandmadeCampaign,
    make_program,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_plugins import PLUGINS, make_service

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.program.model import Contract
from echidna_mcp_plugins.tools.find_transaction_in_corpus import MATCH_LIMIT


def test_each_plugin_offers_the_tool_it_is_named_after() -> None:
    names = [tool.spec.name for plugin in PLUGINS for tool in plugin.register_tools()]
    assert names == [plugin.__name__.rpartition(".")[2] for plugin in PLUGINS]
    assert len(names) == 9


UNCALLED = [
    {"signature": signature, "calls": 0, "share": 0.0}
    for signature in sorted(
        f.signature for f in HandmadeCampaign().views.target.functions
    )
]


# ------------------------------------------------------------------- read_logs


async def test_logs_come_newest_first_and_count_the_whole_buffer(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.falsify("echidna_solvent", "deposit()", worker=2)
    campaign.run_round(calls=7)
    answer = await ask("read_logs", count=2)
    assert [e["eventType"] for e in answer["events"]] == [
        "RoundCommitted",
        "PropertyFalsified",
    ]
    assert answer["events"][1]["workerId"] == 2
    assert answer["events"][1]["data"]["counterexample"] == ["deposit()"]
    assert answer["totalCount"] == len(campaign.events)


async def test_logs_default_to_a_hundred_events_a_page_of_them_at_once(
    campaign: HandmadeCampaign, tmp_path: Path
) -> None:
    service = make_service(campaign, tmp_path)
    for _ in range(130):
        campaign.run_round()
    newest = campaign.events[-1].seq
    seqs: list[int] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        outcome = await service.call("read_logs", {}, cursor=cursor)
        assert len(outcome.text) < 10_000
        seqs += [event["seq"] for event in outcome.content["events"]]
        cursor, pages = outcome.next_cursor, pages + 1
    assert pages > 1
    assert seqs == list(range(newest, newest - 100, -1))


async def test_logs_leave_out_samples_rather_than_fill_pages_with_them(
    campaign: HandmadeCampaign, tmp_path: Path
) -> None:
    service = make_service(campaign, tmp_path, strict=False)
    campaign.cover([0], worker=1)
    for number in range(80):
        executed = {"call": f"set({number})", "function": "set(uint256)", "gasUsed": 9}
        campaign.add("TransactionExecuted", {**executed, "result": "STOP"})
    campaign.falsify("echidna_solvent", "deposit()", worker=2)
    outcome = await service.call("read_logs", {})
    types = [event["eventType"] for event in outcome.content["events"]]
    assert "TransactionExecuted" not in types
    assert {"PropertyFalsified", "CoverageIncreased"} <= set(types)
    assert "80 samples of executed calls" in outcome.warnings[0]
    assert outcome.next_cursor is None
    few = await service.call("read_logs", {"count": 5})
    assert len(few.content["events"]) == 5  # These fit.
    # Who asks for more has all of them, down to the last page.
    newest = campaign.events[-1].seq
    rest = await service.call("read_logs", {"count": 2500}, cursor=f"{newest + 1}.80")
    assert len(rest.content["events"]) == 80


async def test_logs_filter_by_type_and_worker(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.cover([0], worker=1)
    campaign.cover([2], worker=2)
    answer = await ask("read_logs", eventType="CoverageIncreased", workerId=2)
    assert [(e["eventType"], e["workerId"]) for e in answer["events"]] == [
        ("CoverageIncreased", 2)
    ]
    assert (await ask("read_logs", workerId=99))["events"] == []


async def test_logs_tell_what_a_falsification_has_been_shrunk_to(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.falsify("echidna_true", "deposit()", "deposit()", "deposit()")
    (found,) = (await ask("read_logs", eventType="PropertyFalsified"))["events"]
    assert found["data"]["reproducer"]["state"] == "shrinking"
    assert found["data"]["reproducer"]["length"] == 3
    campaign.shrink("echidna_true", "deposit()", value="7")
    campaign.run_round()
    (found,) = (await ask("read_logs", eventType="PropertyFalsified"))["events"]
    assert len(found["data"]["counterexample"]) == 3  # as it was found
    reproducer = found["data"]["reproducer"]
    assert reproducer["state"] == "solved"
    assert reproducer["round"] == campaign.views.progress.round
    (call,) = reproducer["calls"]
    assert call["call"] == "deposit()"
    assert call["value"] == "7"
    assert {"sender", "timeDelay", "blockDelay"} < set(call)


async def test_logs_refuse_a_count_beyond_the_buffer(refused: Any) -> None:
    for count in (0, 2501):
        assert (await refused("read_logs", count=count))["code"] == "INVALID_INPUT"


async def test_logs_show_accepted_commands_when_unfiltered(ask: Any) -> None:
    await ask("clear_priorities")
    (newest,) = (await ask("read_logs", count=1))["events"]
    assert newest["eventType"] == "CommandAccepted"
    assert newest["data"]["tool"] == "clear_priorities"


# --------------------------------------------------------------- show_coverage


async def test_coverage_leaves_out_contracts_that_take_no_part(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.cover([0, 2, 4, 5])
    campaign.run_round()
    answer = await ask("show_coverage")
    assert answer == {
        "contracts": [
            {
                "name": "Vault",
                "lineCoverage": 33.3,
                "branchCoverage": 50.0,
                "file": "src/Vault.sol",
                "coveredLines": 1,
                "totalLines": 3,
                "coveredBranches": 1,
                "totalBranches": 2,
                "bytecodeCoverage": 57.1,
                "coveredInstructions": 4,
                "totalInstructions": 7,
                "functions": [
                    {
                        "signature": "deposit()",
                        "lineCoverage": 100.0,
                        "coveredLines": 1,
                        "totalLines": 1,
                    }
                ],
            }
        ],
        "overallCoverage": 33.3,
        "bytecodeCoverage": 57.1,
        "points": 4,
        "codes": 1,
        "round": 1,
        "functionCalls": UNCALLED,
        "functionCallsSince": 0,
    }


async def test_coverage_is_that_of_the_last_event(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    before = await ask("show_coverage")
    campaign.cover([0, 2, 4, 5, 6, 7, 8])
    after = await ask("show_coverage")
    assert before["overallCoverage"] == 0.0
    assert after["overallCoverage"] == 100.0


async def test_overall_coverage_is_weighted_by_lines(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.cover([0], f"{HELPER.qualified_name}/runtime")
    answer = await ask("show_coverage")
    assert [c["name"] for c in answer["contracts"]] == ["Helper", "Vault"]
    assert [c["totalLines"] for c in answer["contracts"]] == [1, 3]
    assert answer["overallCoverage"] == 25.0


@pytest.mark.parametrize("name", ["Vault", "src/Vault.sol:Vault"])
async def test_coverage_filters_by_name_and_by_path(
    campaign: HandmadeCampaign, ask: Any, name: str
) -> None:
    campaign.cover([0], f"{HELPER.qualified_name}/runtime")
    answer = await ask("show_coverage", contract=name)
    assert [c["name"] for c in answer["contracts"]] == ["Vault"]
    assert answer["overallCoverage"] == 25.0


async def test_coverage_of_a_contract_that_never_ran_is_zero(ask: Any) -> None:
    (helper,) = (await ask("show_coverage", contract="Helper"))["contracts"]
    assert helper["lineCoverage"] == 0.0
    assert helper["totalLines"] == 1


@pytest.mark.parametrize("name", ["Token", "vault", "", "x" * 5000])
async def test_coverage_of_no_contract_names_those_there_are(
    refused: Any, name: str
) -> None:
    error = await refused("show_coverage", contract=name)
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["contracts"] == ["Vault"]
    assert len(error["message"]) < 500


async def test_contracts_of_one_name_are_told_apart_by_path(tmp_path: Path) -> None:
    twin = Contract(
        name="Vault",
        source="lib/Vault.sol",
        abi=(),
        creation_code=b"\x60\x00\x60\x01\x02",
        runtime_code=b"\x60\x00\x02",
    )
    campaign = HandmadeCampaign(make_program(twin, HELPER, TOKEN, VAULT))
    campaign.cover([0], f"{twin.qualified_name}/runtime")
    service = make_service(campaign, tmp_path)
    outcome = await service.call("show_coverage", {"contract": "Vault"})
    assert [c["name"] for c in outcome.content["contracts"]] == [
        "lib/Vault.sol:Vault",
        "src/Vault.sol:Vault",
    ]


# ------------------------------------------- get_corpus_size, inspect, find


async def test_an_empty_corpus_is_an_answer(ask: Any) -> None:
    assert await ask("get_corpus_size") == {"size": 0}
    assert await ask("inspect_corpus_transactions") == {
        "transactions": [],
        "total": 0,
        "sequences": 0,
        "averageSequenceLength": 0.0,
        "maxSequenceLength": 0,
        "coveragePoints": 0,
        "functionCalls": UNCALLED,
        "functionCallsSince": 0,
    }
    assert await ask("find_transaction_in_corpus", sender=ALICE) == {
        "matches": [],
        "count": 0,
    }


async def test_inspection_shows_calls_and_their_sequences(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.run_round()
    campaign.extend([campaign.call("deposit()", value=10**18, time_delay=3)])
    campaign.extend(
        [
            campaign.call("pause()", sender=BOB, result="REVERT"),
            campaign.call('plot([(1, "a\\"b"), (255, "")])', block_delay=4),
        ],
        worker=2,
        command=1,
    )
    answer = await ask("inspect_corpus_transactions", offset=1, limit=20)
    assert answer["total"] == 3
    assert answer["sequences"] == 2
    assert answer["averageSequenceLength"] == 1.5
    assert answer["maxSequenceLength"] == 2
    assert answer["transactions"] == [
        {
            "index": 1,
            "call": "pause()",
            "sender": BOB,
            "value": "0",
            "gasUsed": 30_000,
            "sequence": 1,
            "position": 0,
            "injected": True,
            "result": "REVERT",
            "timeDelay": 0,
            "blockDelay": 0,
            "round": 1,
            "worker": 2,
            "sequenceLength": 2,
            "coverageDelta": 1,
            "source": "injected",
        },
        {
            "index": 2,
            "call": 'plot([(1, "a\\"b"), (255, "")])',
            "sender": ALICE,
            "value": "0",
            "gasUsed": 30_000,
            "sequence": 1,
            "position": 1,
            "injected": True,
            "result": "STOP",
            "timeDelay": 0,
            "blockDelay": 4,
            "round": 1,
            "worker": 2,
            "sequenceLength": 2,
            "coverageDelta": 1,
            "source": "injected",
        },
    ]


async def test_a_page_past_the_end_is_empty(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.extend([campaign.call("deposit()")])
    for offset in (1, 999, 10**30):
        answer = await ask("inspect_corpus_transactions", offset=offset)
        assert answer["transactions"] == []
        assert answer["total"] == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(1, 5), max_size=8),
    offset=st.integers(0, 45),
    limit=st.integers(1, 100),
)
async def test_pages_are_slices_of_the_corpus(
    tmp_path: Path, lengths: list[int], offset: int, limit: int
) -> None:
    campaign = HandmadeCampaign()
    for number, length in enumerate(lengths):
        amounts = [10 * number + at for at in range(length)]
        campaign.extend([campaign.call("deposit()", value=a) for a in amounts])
    service = make_service(campaign, tmp_path)
    outcome = await service.call(
        "inspect_corpus_transactions", {"offset": offset, "limit": limit}
    )
    values = [str(10 * n + at) for n, size in enumerate(lengths) for at in range(size)]
    page = outcome.content["transactions"]
    assert [t["value"] for t in page] == values[offset : offset + limit]
    assert [t["index"] for t in page] == list(range(len(values)))[offset:][:limit]


async def test_a_shown_call_can_be_injected_again(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    calls = [
        campaign.call(f"transfer({BOB}, 5, 0x00ff)"),
        campaign.call('note("line\\nfeed \\x1b[31m")'),
        campaign.call('plot([(7, "x, y)")])'),
    ]
    campaign.extend(calls)
    page = (await ask("inspect_corpus_transactions"))["transactions"]
    for shown, call in zip(page, calls, strict=True):
        parsed = parse_call(shown["call"], campaign.target.functions)
        arguments: Any = parsed.arguments
        calldata = encode_call(parsed.function, arguments)
        assert call["calldata"] == "0x" + calldata.hex()
    injected = await ask("inject_transaction", sequence=[t["call"] for t in page])
    assert injected["injectedCount"] == 3


@pytest.fixture
def searched(campaign: HandmadeCampaign) -> HandmadeCampaign:
    campaign.extend(
        [
            campaign.call(f"transfer({BOB}, 5)"),
            campaign.call(f"transfer({BOB}, 6, 0x)", sender=BOB),
            campaign.call("deposit()", value=10, sender=BOB),
        ]
    )
    campaign.extend([campaign.call("deposit()", value=9), campaign.call("never()")])
    return campaign


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"functionSignature": "transfer"}, [0, 1]),
        ({"functionSignature": "transfer(address,uint256)"}, [0]),
        ({"functionSignature": " transfer ( address , uint ) "}, [0]),
        ({"functionSignature": "transfer()"}, []),
        ({"functionSignature": "trans"}, []),
        ({"functionSignature": "unknown(uint256)"}, []),
        ({"sender": "0x" + "BB" * 20}, [1, 2]),
        ({"minValue": "9"}, [2, 3]),
        ({"minValue": "0000000010"}, [2]),
        ({"minValue": "0"}, [0, 1, 2, 3, 4]),
        ({"functionSignature": "deposit", "sender": ALICE}, [3]),
        ({"functionSignature": "deposit", "sender": ALICE, "minValue": "10"}, []),
    ],
)
async def test_search_joins_all_criteria(
    ask: Any, criteria: dict[str, str], expected: list[int]
) -> None:
    answer = await ask("find_transaction_in_corpus", **criteria)
    assert [match["index"] for match in answer["matches"]] == expected
    assert answer["count"] == len(expected)


@pytest.mark.parametrize("value", ["", "-1", "0x10", "1.5", "1 ether", "٣", "9" * 9999])
async def test_search_refuses_a_value_that_is_no_decimal_number(
    refused: Any, value: str
) -> None:
    error = await refused("find_transaction_in_corpus", minValue=value)
    assert error["code"] == "INVALID_INPUT"
    assert error["details"]["argument"] == "minValue"


@pytest.mark.parametrize("signature", ["", "f(", "f(uint257)", "1f", "f()g", "f\0"])
async def test_search_refuses_what_is_no_signature(
    refused: Any, signature: str
) -> None:
    error = await refused("find_transaction_in_corpus", functionSignature=signature)
    assert error["code"] == "PARSE_ERROR"


async def test_search_needs_a_criterion(refused: Any) -> None:
    assert (await refused("find_transaction_in_corpus"))["code"] == "INVALID_INPUT"


async def test_search_counts_all_and_shows_the_newest(
    campaign: HandmadeCampaign, tmp_path: Path
) -> None:
    calls = [campaign.call("deposit()", value=v) for v in range(MATCH_LIMIT + 3)]
    campaign.extend(calls)
    outcome = await make_service(campaign, tmp_path).call(
        "find_transaction_in_corpus", {"functionSignature": "deposit()"}
    )
    assert outcome.content["count"] == MATCH_LIMIT + 3
    indices = [match["index"] for match in outcome.content["matches"]]
    assert 100 <= len(indices) <= MATCH_LIMIT
    assert indices == list(range(MATCH_LIMIT + 3 - len(indices), MATCH_LIMIT + 3))
    assert f"the newest {len(indices)} of" in outcome.warnings[0]


@pytest.mark.parametrize(
    ("signature", "hint"),
    [("depsit", "did you mean deposit()?"), ("zzzzzz()", "they call ")],
)
async def test_search_tells_that_there_is_no_such_function(
    campaign: HandmadeCampaign, tmp_path: Path, signature: str, hint: str
) -> None:
    outcome = await make_service(campaign, tmp_path).call(
        "find_transaction_in_corpus", {"functionSignature": signature}
    )
    assert outcome.content["count"] == 0
    (warning,) = outcome.warnings
    assert "Sequences call no function" in warning
    assert hint in warning


async def test_observing_goes_on_after_the_end(
    campaign: HandmadeCampaign, ask: Any
) -> None:
    campaign.extend([campaign.call("deposit()")])
    campaign.cover([0])
    campaign.stop()
    assert (await ask("get_corpus_size"))["size"] == 1
    assert len((await ask("inspect_corpus_transactions"))["transactions"]) == 1
    assert (await ask("find_transaction_in_corpus", minValue="0"))["count"] == 1
    assert (await ask("show_coverage"))["points"] == 1
    assert "end_of_record" in await ask("dump_lcov")
    newest = (await ask("read_logs", count=1))["events"][0]
    assert newest["eventType"] == "CampaignStopped"

from __future__ import annotations

import json

import pytest
from handmade_campaign import ALICE, BOB, HandmadeCampaign

from echidna_mcp.cli.display.report import FAILED
from echidna_mcp.cli.display.reporter import final_report


@pytest.fixture
def campaign() -> HandmadeCampaign:
    campaign = HandmadeCampaign()
    campaign.cover([0, 2, 4, 5])
    campaign.extend([campaign.call("deposit()"), campaign.call("pause()")])
    campaign.run_round(calls=99)
    return campaign


def test_the_text_has_each_test_and_the_figures(campaign: HandmadeCampaign) -> None:
    event = campaign.falsify("echidna_solvent", "deposit()", f"transfer({BOB}, 1)")
    event.payload["calls"][0].update(value="5", timeDelay=3)
    event.payload["calls"][1].update(sender=BOB, blockDelay=4)
    assert final_report("text", campaign.views) == (
        f"""\
echidna_solvent: {FAILED}
  Reason: returned false
  Call sequence, shrinking 0/5000:
    Vault.deposit() from: {ALICE} Value: 5 Time delay: 3 seconds
    Vault.transfer({BOB}, 1) from: {BOB} Block delay: 4

echidna_true: passing

Unique instructions: 4
Unique codehashes: 1
Covered lines: 1 of 3 (33.3%)
Corpus size: 1
Corpus transactions: 2
Seed: 42
Total calls: 99
Total gas: 0
Rounds: 1
State digest: {campaign.views.progress.state_digest}
"""
    )


def test_the_text_says_when_shrinking_is_done_and_why_it_ended(
    campaign: HandmadeCampaign,
) -> None:
    campaign.falsify("echidna_true", "deposit()")
    campaign.shrink("echidna_true")
    campaign.stop()
    report = final_report(None, campaign.views)
    assert "  Call sequence:\n    No transactions were needed" in report
    assert report.endswith("The test limit was reached.\n")


def test_a_reproducer_that_the_limit_left_is_not_called_shrunk(
    campaign: HandmadeCampaign,
) -> None:
    campaign.falsify("echidna_true", "deposit()", "pause()")
    limit = campaign.views.target.config.shrink_limit
    campaign.shrink("echidna_true", "pause()", attempts=limit)
    report = final_report("text", campaign.views)
    assert "  Call sequence, as far as shrinkLimit let it be shrunk:\n" in report
    tests = json.loads(final_report("json", campaign.views))["tests"]
    assert [test["shrunk"] for test in tests] == [False, False]


def test_a_disputed_test_is_none_that_passes(campaign: HandmadeCampaign) -> None:
    campaign.dispute("echidna_solvent", "deposit()", "pause()")
    campaign.dispute("echidna_true", "pause()")
    campaign.falsify("echidna_true", "pause()")
    report = final_report("text", campaign.views)
    assert report.startswith(
        """\
echidna_solvent: disputed!
  Test echidna_solvent: two EVMs disagree, so one has a bug. \
fast: the test fails: returned false (700 gas); slow: the test passes
  Call sequence:
    Vault.deposit()
    Vault.pause()

echidna_true: """
        f"{FAILED}\n"
    )
    solvent, _ = json.loads(final_report("json", campaign.views))["tests"]
    assert (solvent["status"], solvent["shrunk"]) == ("disputed", False)
    assert [call["call"] for call in solvent["transactions"]] == [
        "deposit()",
        "pause()",
    ]


def test_an_unknown_reason_is_told_as_it_is(campaign: HandmadeCampaign) -> None:
    campaign.stop("Eclipse\x1b[1m")
    report = final_report("text", campaign.views)
    assert report.endswith("The campaign stopped: Eclipse\\x1b[1m.\n")


def test_no_text_of_a_contract_can_move_the_cursor(campaign: HandmadeCampaign) -> None:
    campaign.falsify("echidna_true", "pause()")
    record = campaign.views.properties.records["echidna_true"]
    record.reason = "\x1b[2J\n\u202e"
    record.counterexample = ('note("\x9b")',)
    report = final_report("text", campaign.views)
    assert all(line.isprintable() for line in report.split("\n"))
    assert "  Reason: \\x1b[2J\\n\\u202e\n" in report


def test_the_json_document_holds_everything(campaign: HandmadeCampaign) -> None:
    campaign.falsify("echidna_solvent", 'note("é\\x1b")', value=5, time_delay=1)
    campaign.shrink("echidna_solvent", 'note("é\\x1b")', value=5, time_delay=1)
    campaign.stop()
    text = final_report("json", campaign.views)
    assert text.isascii()
    document = json.loads(text)
    functions = {each["function"]: each for each in document.pop("functions")}
    assert functions["deposit()"] == {
        "function": "deposit()",
        "calls": functions["deposit()"]["calls"],
        "reverts": 0,
        "discards": 0,
        "reasons": [],
        "gas": None,
    }
    assert document == {
        "version": 1,
        "contract": "src/Vault.sol:Vault",
        "seed": 42,
        "tests": [
            {
                "name": "echidna_solvent",
                "status": "falsified",
                "reason": "returned false",
                "shrunk": True,
                "transactions": [
                    {
                        "function": "note(string)",
                        "call": 'note("é\\x1b")',
                        "sender": ALICE,
                        "value": "5",
                        "timeDelay": 1,
                        "blockDelay": 0,
                    }
                ],
            },
            {
                "name": "echidna_true",
                "status": "passing",
                "reason": None,
                "shrunk": False,
                "transactions": None,
            },
        ],
        "coverage": {
            "points": 4,
            "codes": 1,
            "lineCoverage": 33.3,
            "contracts": [
                {
                    "name": "src/Vault.sol:Vault",
                    "lineCoverage": 33.3,
                    "branchCoverage": 50.0,
                }
            ],
            "missing": [{"path": "src/Vault.sol", "lines": [[3, 4]]}],
        },
        "corpus": {"sequences": 1, "transactions": 2},
        "calls": 99,
        "gas": campaign.views.progress.gas,
        "rounds": 1,
        "stateDigest": campaign.views.progress.state_digest,
        "reason": "TestLimitReached",
        "neverSucceeded": [],
        "notHonoured": [],
    }


def test_before_the_end_a_test_is_open(campaign: HandmadeCampaign) -> None:
    document = json.loads(final_report("json", campaign.views))
    assert {test["status"] for test in document["tests"]} == {"open"}
    assert document["reason"] is None


def test_none_prints_nothing(campaign: HandmadeCampaign) -> None:
    assert final_report("none", campaign.views) == ""


def test_a_campaign_without_tests_has_a_report() -> None:
    campaign = HandmadeCampaign(test_mode="exploration")
    assert final_report(None, campaign.views).startswith("Unique instructions: 0\n")
    assert json.loads(final_report("json", campaign.views))["tests"] == []

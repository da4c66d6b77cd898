"""`run`: exit codes, reports, and campaigns that go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import (
    HOLDS,
    POKE,
    RETURN_FALSE,
    SMALL,
    Outcome,
    artifact,
    invoke,
)

from echidna_mcp.events.store import EventStore, store_path


def run(*arguments: object) -> Outcome:
    return invoke("run", *arguments, *SMALL)


def report(outcome: Outcome) -> dict[str, Any]:
    """Return the one JSON document on standard output."""
    document = json.loads(outcome.out)
    assert outcome.out.endswith("}\n")
    return document


@pytest.fixture
def bad(here: Path) -> Path:
    """A contract with a property that is false."""
    return artifact(here / "Bad.json", runtime=RETURN_FALSE)


@pytest.mark.parametrize("form", ["text", "json", "none"])
def test_0_when_every_test_passes(target, form):
    assert run(target, "--format", form).code == 0


@pytest.mark.parametrize("form", ["text", "json", "none"])
def test_1_when_a_test_is_falsified(bad, form):
    assert run(bad, "--format", form).code == 1


def test_1_when_an_assertion_fails(here):
    artifact(here / "C.json", [POKE], runtime=b"\xfe")
    assert run("C.json", "--test-mode", "assertion").code == 1


def test_json_is_one_document_and_nothing_else(bad):
    done = run(bad, "--format", "json", "--seed", 3)
    document = report(done)
    assert done.err == ""
    assert document["seed"] == 3
    (test,) = document["tests"]
    assert (test["name"], test["status"]) == ("echidna_holds", "falsified")


def test_none_is_silent_but_for_the_place_of_the_campaign(target):
    done = run(target, "--format", "none", "--corpus-dir", "s")
    assert (done.out, done.err) == ("", "Campaign: s\n")


def test_quiet_leaves_only_the_report(target):
    Path("c.yaml").write_text("quiet: true\nsymExecMaxIters: 6\n")
    done = run(target, "--config", "c.yaml", "--corpus-dir", "s")
    assert done.out.startswith("echidna_holds: passing\n")
    # Also who wants to hear little hears what was not honoured.
    sentence = (
        "c.yaml, line 2: `symExecMaxIters` is not supported yet and does nothing."
    )
    assert f"\nNot honoured: {sentence}\n" in done.out
    assert done.err == "Campaign: s\n"


def test_a_campaign_lands_in_a_new_directory_each_time(target):
    for _ in range(2):
        assert run(target).code == 0
    assert len(list(Path("echidna-corpus").iterdir())) == 2


@pytest.mark.parametrize("first", ["json", "none"])
def test_an_ended_campaign_tells_its_result_again(bad, first):
    one = run(bad, "--corpus-dir", "s", "--format", first)
    with EventStore.read_only(store_path(Path("s"))) as store:
        events = store.count
    again = run(bad, "--corpus-dir", "s", "--format", "json")
    assert (one.code, again.code) == (1, 1)
    assert report(again)["tests"][0]["status"] == "falsified"
    with EventStore.read_only(store_path(Path("s"))) as store:
        assert store.count == events


def test_a_campaign_at_its_limit_is_followed_by_another_and_stays_as_it_is(target):
    runs, stores = [], []
    for _ in "ab":
        runs.append(run(target, "--corpus-dir", "s", "--format", "json"))
        stores.append(invoke("verify", "s").out.splitlines())
    assert [done.code for done in runs] == [0, 0]
    assert stores[1][:1] == stores[0]
    assert len(stores[1]) == 2


def test_a_limit_of_nothing_ends_at_once(target):
    done = invoke("run", target, "--executor", "inline", "--test-limit", 0)
    assert done.code == 4
    assert "echidna_holds: not exercised!\n  Reason: there were no calls\n" in done.out
    assert "Total calls: 0\n" in done.out


@pytest.mark.parametrize("budget", [0, 1])
def test_the_smallest_budgets_work(target, budget):
    done = run(target, "--round-budget", budget, "--format", "json")
    assert (done.code, report(done)["calls"] >= 40) == (0, True)


def test_a_time_limit_ends_a_campaign_without_another(here):
    Path("c.yaml").write_text("testLimit: null\n")
    artifact(here / "C.json", [POKE, HOLDS])
    done = invoke(
        *("run", "C.json", "--config", "c.yaml", "--timeout", 1, "--format", "json"),
        *("--executor", "inline", "--round-budget", 2000),
    )
    assert (done.code, report(done)["reason"]) == (0, "TimeLimitReached")

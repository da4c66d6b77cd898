"""Which rules a campaign follows, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import SMALL, artifact, invoke

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evm.fork import FORKS, NEWEST, OLDER, rules_for
from echidna_mcp.program.model import Program


def compiled_for(path: Path, fork: str) -> Path:
    """Write an artifact of foundry whose metadata name a fork."""
    artifact(path)
    data = json.loads(path.read_text("utf-8"))
    data["metadata"] = {"settings": {"evmVersion": fork}}
    path.write_text(json.dumps(data), "utf-8")
    return path


def started(*arguments: object) -> dict[str, Any]:
    """Run a campaign; return the payload of its first event."""
    outcome = invoke("run", *arguments, *SMALL, "--corpus-dir", "out")
    assert outcome.code == 0, outcome
    with EventStore.open(store_path(Path("out"))) as store:
        return next(iter(store.read())).payload


@pytest.mark.parametrize(
    ("fork", "rules"), [("london", "shanghai"), *((fork, fork) for fork in FORKS)]
)
def test_the_rules_are_those_that_the_artifact_was_compiled_for(here, fork, rules):
    payload = started(compiled_for(here / "C.json", fork))
    assert payload["config"]["evm_version"] == rules
    assert payload["program"]["evmVersion"] == fork


def test_the_newest_rules_hold_if_nobody_knows(target):
    assert started(target)["config"]["evm_version"] == NEWEST


def test_the_option_wins_over_the_artifact_and_the_file(here):
    (here / "e.yaml").write_text("evmVersion: cancun\n")
    file = compiled_for(here / "C.json", "shanghai")
    payload = started(file, "--config", "e.yaml", "--evm-version", "prague")
    assert payload["config"]["evm_version"] == "prague"


def test_code_for_a_newer_fork_is_refused(here):
    file = compiled_for(here / "C.json", "osaka")
    assert invoke("run", file, "--evm-version", "cancun", *SMALL).refusal() == (
        "C was compiled for osaka, which is newer than the rules of this campaign, "
        "cancun (evmVersion); choose --evm-version osaka or compile it for cancun."
    )


@pytest.mark.parametrize("asked", [(), ("--evm-version", "prague")])
def test_code_for_a_fork_that_nobody_here_knows_is_refused(here, asked):
    file = compiled_for(here / "C.json", "amsterdam")
    rules = asked[1] if asked else NEWEST
    assert invoke("run", file, *asked, *SMALL).refusal() == (
        "C was compiled for amsterdam, which is newer than the rules of this campaign, "
        f"{rules} (evmVersion); compile it for {rules}."
    )


def test_a_fork_that_does_not_exist_is_refused(target):
    assert invoke("run", target, "--evm-version", "berlin", *SMALL).refusal() == (
        "--evm-version must be one of shanghai, cancun, prague, osaka, not `berlin`."
    )


def test_more_gas_than_a_transaction_can_have_is_refused(target, here):
    (here / "e.yaml").write_text("testMaxGas: 16777217\n")
    ask = ("run", target, "--config", "e.yaml", *SMALL)
    assert invoke(*ask).refusal() == (
        "testMaxGas is 16777217, but by the rules of osaka a transaction has at most "
        "16777216 gas (EIP-7825); lower it, or choose evmVersion prague."
    )
    assert invoke(*ask, "--evm-version", "prague").code == 0


def test_as_much_gas_as_a_transaction_can_have_and_more_for_properties_is_fine(
    target, here
):
    (here / "e.yaml").write_text("testMaxGas: 16777216\npropMaxGas: 99000000\n")
    started(target, "--config", "e.yaml")


def test_the_campaign_goes_on_whatever_is_newest_by_then(target):
    first = started(target, "--evm-version", "prague", "--seed", 1)
    again = started(target, "--seed", 1)
    assert again == first


# ------------------------------------------------------------------------ what is old


def test_campaigns_that_do_not_say_so_follow_the_rules_of_cancun():
    stored = CampaignConfig().to_json()
    assert CampaignConfig.from_json(stored).evm_version == NEWEST
    del stored["evm_version"]
    assert CampaignConfig.from_json(stored).evm_version == "cancun"


def test_programs_that_do_not_say_so_keep_their_digest():
    stored = {"compiler": "", "main": "a:A", "sources": [], "contracts": []}
    old = Program.from_json(stored)
    assert (old.evm_version, old.to_json()) == ("", stored)
    new = Program.from_json({**stored, "evmVersion": "osaka"})
    assert Program.from_json(new.to_json()) == new
    assert new.digest != old.digest


def test_older_code_follows_the_oldest_rules_and_newer_code_none():
    assert {rules_for(fork) for fork in OLDER} == {FORKS[0]}
    assert [rules_for(fork) for fork in FORKS] == list(FORKS)
    assert rules_for("amsterdam") is None

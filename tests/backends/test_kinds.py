"""Kinds of tests: what each reports of one contract, alike on every EVM."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from campaigns import replayed, small_config, started
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program

pytestmark = [pytest.mark.solc, pytest.mark.digests]

KINDS = "property,assertion,optimization,overflow"
ROUNDS = 40
"""Enough to find all that is there, and to shrink it."""
SOURCE = """
contract Child {
  function die() public { selfdestruct(payable(msg.sender)); }
}
contract Kinds {
  uint256 x;
  uint256 y = 7;
  bool armed;
  bool locked;
  function set(uint256 a) public { x = a % 1000; }
  function bump(uint8 d) public { if (x > 500) y += d; }
  function sub(uint256 a) public { y = y - a; }
  function item(uint8 i) public pure returns (uint256) {
    uint256[3] memory q;
    return q[i];
  }
  function spawn() public { Child c = new Child(); c.die(); }
  function arm(uint256 a) public { armed = a == 4242; }
  function boom() public { if (armed) selfdestruct(payable(msg.sender)); }
  function fails() public { require(locked); }
  function echidna_small() public view returns (bool) { return y < 300; }
  function echidna_best() public view returns (int256) { return int256(x) + int256(y); }
  function optimize_loss() public view returns (int256) { return -int256(x) - 5; }
  function optimize_time() public view returns (int256) {
    return int256(block.timestamp) - 1524785992;
  }
  function optimize_nothing() public view returns (int256) {
    require(locked);
    return 1;
  }
}
"""


@cache
def program() -> Program:
    return compile_solidity(SOURCE, "Kinds", solc_args="--evm-version shanghai")


def config_of(**changes: Any) -> CampaignConfig:
    given: dict[str, Any] = {
        "test_mode": KINDS,
        "test_destruction": True,
        "panic_codes": (1, 0x32),
        "evm_version": "shanghai",
        "round_budget": 100_000,
        "seq_len": 20,
        "workers": 2,
    }
    return small_config(**given | changes)


@cache
def played(backend: str, executor: str = "inline", rounds: int = ROUNDS):
    """Return digests, tests and events; at the end of the whole all is shrunk."""
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory),
            program(),
            config_of(test_limit=3_000),
            executor,
            backend=named(backend),
        ) as running,
    ):
        running.rounds(rounds)
        return running.digests(), running.views.properties, running.events


@pytest.mark.parametrize(
    ("backend", "executor", "rounds"),
    [
        (REFERENCE, "inline", 4),
        ("checked", "inline", 3),
        ("hot", "inline", ROUNDS),
        ("compiled", "threads:2", ROUNDS),
        ("compiled", "processes:2", ROUNDS),
    ],
)
def test_all_kinds_are_searched_alike(backend: str, executor: str, rounds: int):
    found, _, _ = played(backend, executor, rounds)
    assert found == played("compiled")[0][:rounds]


def test_a_replay_reproduces_values():
    digests, _, events = played("compiled")
    assert any(event.type == "ValueRaised" for event in events)
    assert replayed(events, named("compiled")) == digests[-1]


def test_each_kind_reports_what_it_is_about():
    _, properties, _ = played("compiled")
    reasons = {each.name: each.reason for each in properties.falsified}
    assert reasons["item(uint8)"] == "reverted: Panic(0x32): array index out of bounds"
    assert "Panic(0x11)" in reasons["Integer (over/under)flow"]
    assert reasons["No contract can be self-destructed"].startswith("destroyed 0x")
    assert "sub(uint256)" not in reasons  # 0x11 is none of the codes.
    loss = properties.records["optimize_loss"]
    assert (loss.value, loss.calls) == (-5, [])
    assert properties.records["optimize_nothing"].value is None


def test_values_are_raised_step_by_step_and_kept_by_their_shortest_sequence():
    _, properties, events = played("compiled")
    values: dict[str, list[int]] = {}
    for event in events:
        if event.type == "ValueRaised":
            values.setdefault(event.payload["property"], []).append(
                int(event.payload["value"])
            )
    assert all(each == sorted(set(each)) for each in values.values())
    assert len(values["echidna_best"]) > 2
    best = properties.records["echidna_best"]
    assert best.value is not None
    assert best.value >= values["echidna_best"][-1] > 999
    shrunk = [e for e in events if e.type == "ReproducerShrunk"]
    told = [e for e in shrunk if e.payload["property"] == "echidna_best"]
    # Not before the search has ended.
    assert told
    assert told[0].round > max(e.round for e in events if e.type == "ValueRaised")


def test_without_cancun_the_target_itself_can_be_destroyed():
    name = "Target contract is not self-destructed"
    for fork, found in (("shanghai", True), ("cancun", False)):
        config = config_of(test_mode="exploration", evm_version=fork)
        with (
            TemporaryDirectory() as directory,
            started(
                Path(directory), program(), config, backend=named("compiled")
            ) as it,
        ):
            it.rounds(ROUNDS)
            falsified = {each.name for each in it.views.properties.falsified}
            assert (name in falsified) is found

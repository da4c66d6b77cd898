"""Calls with which sequences begin alike, run once: results are as if all were run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from campaigns import small_config, started
from corpus_contracts import NAMES, corpus_program, mode_of
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.replica import Replica
from echidna_mcp_plugins.native.searcher import NativeSearcher

pytestmark = pytest.mark.digests

LONG: Any = {"shortening": False, "echoes": False}
"""Entries have long beginnings then, and what follows is fresh."""
VARIED = ("Clock", "Flags", "Nursery", "Reentrancy", "SelfDestruct", "Token")
"""Contracts that create and destroy others, fail, pay, and look at the clock."""

SOURCE = """
contract Spinner {
    uint256 private total;

    // How long a call takes depends on all that came before.
    function add(uint8 amount) external payable {
        total += amount;
        spin(block.timestamp % 13 + block.number % 11);
    }
    function take(uint8 wei_) external {
        payable(address(0x77)).transfer(wei_ % 4);
        require(total % 3 != 0);
        spin(address(this).balance % 5);
    }
    function echidna_spins() external view returns (bool) {
        return spin(block.timestamp % 7 + block.number % 5 + total % 3);
    }
    function spin(uint256 turns) private pure returns (bool) {
        for (uint256 i = 0; i < turns; i++) {}
        return true;
    }
}
"""


def searching(branching: int, searchers: list[Any], mode: str) -> BackendPlugin:
    """Return the native backend with the switch set; its searchers are collected."""

    def search(replica: Replica) -> NativeSearcher:
        searcher = NativeSearcher(replica)
        cast("Any", searcher)._state.branching = branching
        searchers.append(searcher)
        return searcher

    return replace(named(mode), search=search)


def config_of(name: str, **changes: Any) -> CampaignConfig:
    """Return a campaign of many short sequences, so that there are groups."""
    values: dict[str, Any] = {"workers": 2, "round_budget": 600_000, "seq_len": 12}
    return small_config(test_mode=mode_of(name), **{**values, **changes})


def run(
    directory: Path,
    program: Program,
    backend: BackendPlugin,
    config: CampaignConfig,
    rounds: int = 4,
) -> list[Any]:
    """Return what each round committed: calls, gas, steps, the state digest, ..."""
    directory.mkdir()
    with started(directory, program, config, backend=backend) as running:
        running.rounds(rounds)
        events = running.events
    return [each.payload for each in events if each.type == "RoundCommitted"]


def run_both(
    directory: Path, program: Program, config: CampaignConfig, mode: str = "compiled"
) -> tuple[int, int]:
    """Return how many messages ran without branches and with; all else is the same."""
    results, messages = [], []
    for branching in (0, 1):
        searchers: list[Any] = []
        backend = searching(branching, searchers, mode)
        results.append(run(directory / str(branching), program, backend, config))
        messages.append(sum(each._machine.number for each in searchers))
    assert results[0] == results[1]
    return messages[0], messages[1]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_whether_beginnings_are_run_again(
    tmp_path: Path, name: str
) -> None:
    run_both(tmp_path, corpus_program(name), config_of(name))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", VARIED)
def test_beginnings_that_are_known_are_not_run_again(
    tmp_path: Path, name: str, seed: int
) -> None:
    without, branching = run_both(
        tmp_path,
        corpus_program(name),
        config_of(name, seed=seed, climbing=False, **LONG),
    )
    assert branching < 0.96 * without


@pytest.mark.parametrize("mode", ["compiled", "plain"])
def test_a_sequence_that_branches_finds_clock_storage_and_balances_as_they_were(
    tmp_path: Path, mode: str
) -> None:
    program = compile_solidity(SOURCE, "Spinner")
    budget = 600_000 if mode == "compiled" else 20_000
    config = small_config(round_budget=budget, seq_len=8, workers=2)
    run_both(tmp_path, program, config, mode)
    # What is climbed leaves the beginning now and then.
    directory = tmp_path / "as built"
    directory.mkdir()
    config = replace(config, climbing=False, **LONG)
    without, branching = run_both(directory, program, config, mode)
    assert branching < without


@pytest.mark.parametrize(
    "changes",
    [
        {"climbing": False},
        {"coverage": False},
        {"mut_consts": (400, 400, 400, 400)},
        {"max_time_delay": 0, "max_block_delay": 0},
    ],
    ids=["no climbing", "no coverage", "all mutations", "no delays"],
)
def test_results_are_the_same_in_other_configurations(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    for name in ("Factory", "Token"):
        directory = tmp_path / name
        directory.mkdir()
        run_both(directory, corpus_program(name), config_of(name, **changes))


@pytest.mark.parametrize("budget", [700, 2_500, 4_000])
def test_results_are_the_same_where_sequences_are_cut(
    tmp_path: Path, budget: int
) -> None:
    config = config_of("Token", round_budget=budget, workers=4)
    run_both(tmp_path, corpus_program("Token"), config)


@pytest.mark.parametrize("mode", ["checked", "plain"])
def test_results_are_the_same_however_the_backend_runs(
    tmp_path: Path, mode: str
) -> None:
    config = config_of("Factory", round_budget=20_000, seq_len=6)
    run_both(tmp_path, corpus_program("Factory"), config, mode)


@pytest.mark.parametrize("name", ["Flags", "Token"])
def test_many_short_sequences_give_the_digests_of_the_reference(
    tmp_path: Path, name: str
) -> None:
    config = config_of(name, round_budget=60_000, seq_len=6)
    rounds = [
        run(tmp_path / each, corpus_program(name), named(each), config, rounds=2)
        for each in (REFERENCE, "compiled")
    ]
    assert rounds[0] == rounds[1]

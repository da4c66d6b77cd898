"""Campaigns that climb and solve at once, as they do by default, are always the same.

Everything of the search is on. `Doors` is ours; `SharesVault` is a vault of
OpenZeppelin.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import active_children
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from broken_solvers import lie
from campaigns import small_config, started
from native_backends import REFERENCE, named
from outside import harness_program
from solc import compile_solidity

from echidna_mcp.program.model import Program
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA

pytestmark = pytest.mark.solc
pytest.importorskip("bitwuzla")

DOORS = """
contract Doors {
    bool opened; bool entered;
    function open(uint128 a) external {
        if (uint256(a) * 7 + 5 == 0x7f6e5d4c4) opened = true;
    }
    function enter(uint256 a, uint256 b) external {
        unchecked {
            if (a * 0x9e3779b97f4a7c15 + b * 3 + 11 == 0x1234567890abcdef12345678) {
                if (a ^ (b << 7) == 0xfedcba0987654321) entered = true;
            }
        }
    }
    function echidna_shut() external view returns (bool) { return !opened; }
    function echidna_outside() external view returns (bool) { return !entered; }
}
"""
ROUNDS = {"Doors": 14, "SharesVault": 20}
SEEDS = {"Doors": 1, "SharesVault": 3}
"""Of campaigns in which the solver finds what climbing has not found before."""
MOST_KILLED = 3
"""Processes of one campaign: a job whose process has died four times is given up."""


@cache
def program(name: str) -> Program:
    return compile_solidity(DOORS) if name == "Doors" else harness_program(name)


@dataclass(slots=True)
class Ran:
    """What a campaign was, and what happened in it."""

    digests: list[str]
    told: dict[str, list[Any]]
    """The payloads of all events, by type."""

    @property
    def variants(self) -> int:
        """How many calls were variants of climbing: they are of no function."""
        rounds = self.told["RoundCommitted"]
        return sum(each["calls"] - sum(each["functions"].values()) for each in rounds)


def ran(
    directory: Path,
    name: str,
    backend: str = "compiled",
    executor: str = "inline",
    solver: SolverPlugin = BITWUZLA,
) -> Ran:
    with started(
        directory,
        program(name),
        small_config(seed=SEEDS[name], solver="bitwuzla", round_budget=8_000),
        executor,
        named(backend),
        solvers={"bitwuzla": solver},
    ) as running:
        running.rounds(ROUNDS[name])
        told: dict[str, list[Any]] = {}
        for event in running.events:
            told.setdefault(event.type, []).append(event.payload)
        return Ran(running.digests(), told)


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """What a campaign is on native, in one thread, with a solver that nobody kills."""
    return cache(lambda name: ran(tmp_path_factory.mktemp("left-alone") / name, name))


@contextmanager
def solvers_killed(seed: int) -> Iterator[list[int]]:
    """Kill processes beside this one, at random moments; yield those that were."""
    rng = random.Random(seed)
    killed: list[int] = []
    over = Event()

    def kill() -> None:
        while len(killed) < MOST_KILLED and not over.wait(rng.uniform(0, 0.5)):
            if processes := active_children():
                victim = rng.choice(processes)
                victim.kill()
                killed.append(victim.pid or 0)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize(
    "name", ["Doors", pytest.param("SharesVault", marks=pytest.mark.digests)]
)
def test_a_campaign_that_climbs_and_solves_is_the_same_wherever_it_runs(
    left_alone: Callable[[str], Ran], tmp_path: Path, name: str
) -> None:
    expected = left_alone(name)
    assert any(each["sequences"] for each in expected.told["SolverAnswered"])
    assert expected.variants > 0
    assert ran(tmp_path / "again", name) == expected
    assert ran(tmp_path / "reference", name, backend=REFERENCE) == expected
    for executor in ("threads:2", "processes:2"):
        place = tmp_path / executor.partition(":")[0]
        assert ran(place, name, executor=executor) == expected


def test_each_finds_what_the_other_does_not(
    left_alone: Callable[[str], Ran],
) -> None:
    told = left_alone("Doors").told
    assert told["ComparisonsSolved"]
    falsified = {each["property"] for each in told["PropertyFalsified"]}
    assert falsified == {"echidna_shut", "echidna_outside"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_processes_that_are_killed_at_random_change_nothing(
    left_alone: Callable[[str], Ran], tmp_path: Path, seed: int
) -> None:
    expected = left_alone("Doors")
    with solvers_killed(seed) as killed:
        assert ran(tmp_path, "Doors") == expected
    assert len(killed) == MOST_KILLED


def test_nonsense_wastes_work_and_nothing_else(tmp_path: Path) -> None:
    liar = replace(BITWUZLA, solve=lie)
    expected = ran(tmp_path / "first", "Doors", solver=liar)
    assert not any(each["sequences"] for each in expected.told["SolverAnswered"])
    assert (
        ran(tmp_path / "again", "Doors", executor="threads:2", solver=liar) == expected
    )

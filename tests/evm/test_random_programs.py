"""What the random programs are worth, and the native backend held against py-evm."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from itertools import compress

import pytest
from block_rules import FACTS
from evm_assembler import OPCODES
from native_backends import named
from random_programs import CLZ
from random_worlds import PROGRAMS_A_WORLD, RandomWorld
from twins import Alone, Twins

from echidna_mcp.evm.backend import NOTHING, CallResult, Message, Status, Watch
from echidna_mcp.evm.cheat_settings import CheatSettings
from echidna_mcp.evm.fork import FORKS, ForkName
from echidna_mcp_plugins.py_evm.backend import create

pytestmark = pytest.mark.digests

FEW, CHECKED, HOT, PLAIN = 40, 20, 8, 4
DEPTHS = 3
"""Deeper frames show no new opcodes."""
PROGRAMS, CHUNKS = 100_000, 40
WORLDS_A_CHUNK = PROGRAMS // PROGRAMS_A_WORLD // CHUNKS


class Watched(Alone):
    """Notes which opcodes run and how many instructions."""

    def __init__(self, world: RandomWorld) -> None:
        super().__init__(create(world.config()))
        self.opcodes: set[int] = set()
        self.steps: list[int] = []

    def call(self, message: Message, watch: Watch = NOTHING) -> CallResult:
        result = super().call(message, watch)
        if result.status.succeeded:
            self.steps.append(result.steps)
        for visit in result.visits:
            if visit.depth < DEPTHS:
                code = self.backend.code_of_hash(visit.code_hash)
                self.opcodes |= set(compress(code, visit.counters))
        return result


def test_most_random_programs_end_well_and_they_use_every_opcode() -> None:
    ends: Counter[Status] = Counter()
    opcodes: set[int] = set()
    steps: list[int] = []
    for fork in FORKS:
        for seed in range(60):
            world = RandomWorld(seed, fork)
            watched = Watched(world)
            world.play(watched, ends)
            opcodes |= watched.opcodes
            steps += watched.steps
    good = sum(count for status, count in ends.items() if status.succeeded)
    assert good * 10 >= ends.total() * 6, ends
    assert set(ends) == set(Status)
    # Wide pushes come from random words, so not each width is sure to be there.
    widths = set(range(OPCODES["PUSH4"], OPCODES["PUSH32"]))
    assert {*FACTS, *CLZ} - opcodes <= widths
    assert sorted(steps)[len(steps) // 2] > 50


def test_a_seed_always_makes_the_same_world() -> None:
    def play() -> tuple[Counter[Status], list[int], int]:
        ends: Counter[Status] = Counter()
        world = RandomWorld(7, "osaka")
        watched = Watched(world)
        world.play(watched, ends)
        return ends, watched.steps, len(watched.opcodes)

    assert play() == play()


def compare(mode: str, fork: ForkName, seeds: range) -> None:
    ends: Counter[Status] = Counter()
    edges = trails = 0
    second = named(mode).create
    for seed in seeds:
        world = RandomWorld(seed, fork)
        try:
            # Programs that know nothing of cheatcodes do the same where there are some.
            cheats = CheatSettings(dialect="foundry") if seed % 2 == 0 else None
            twins = Twins(replace(world.config(), cheats=cheats), create, second)
            world.play(twins, ends)
            edges += twins.edges
            trails += twins.trails
        except AssertionError as error:
            error.add_note(f"RandomWorld({seed}, {fork!r})")
            raise
    assert ends.total() >= len(seeds)
    assert edges > len(seeds)
    assert trails or len(seeds) < FEW


@pytest.mark.parametrize("fork", FORKS)
@pytest.mark.parametrize(
    ("mode", "worlds"),
    [
        ("compiled", FEW),
        ("checked", CHECKED),
        ("plain", PLAIN),
        ("hot", HOT),
        ("hot-checked", PLAIN),
    ],
)
def test_random_programs_do_the_same_on_both_backends(
    mode: str, worlds: int, fork: ForkName
) -> None:
    compare(mode, fork, range(worlds))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_a_hundred_thousand_random_programs_do_the_same(mode: str, chunk: int) -> None:
    fork = FORKS[chunk % len(FORKS)]
    base = int(os.environ.get("ECHIDNA_MCP_SEED", "1000000"))
    start = base + chunk * WORLDS_A_CHUNK
    compare(mode, fork, range(start, start + WORLDS_A_CHUNK))

"""A campaign gives the same digests on every backend (design §4 and §9)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from campaigns import small_config, started
from corpus_contracts import NAMES, SOLIDITY, corpus_program, mode_of
from first_difference import first_difference
from native_backends import REFERENCE, named
from result_difference import result_differences

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program

pytestmark = pytest.mark.digests

FEW, MANY = 60, 2_000
SAMPLE = ("Assembly", "Factory", "GasMeter", "Token", "TryCatch", "VyperToken")
"""What the slow ways to run the native backend are tried on."""


def config_of(name: str, **changes: Any) -> CampaignConfig:
    values: dict[str, Any] = {"workers": 2, "round_budget": 4_000, "seq_len": 40}
    return small_config(test_mode=mode_of(name), **{**values, **changes})


def run(program: Program, config: CampaignConfig, name: str, calls: int) -> list[Any]:
    """Return what each round committed: calls, gas, steps, the state digest, ..."""
    with (
        TemporaryDirectory() as directory,
        started(Path(directory), program, config, backend=named(name)) as running,
    ):
        while running.views.progress.calls < calls:
            running.rounds(1)
        rounds = [e.payload for e in running.events if e.type == "RoundCommitted"]
    assert rounds[-1]["totalCalls"] >= calls
    return rounds


@cache
def reference(name: str, calls: int, solc_args: str) -> list[Any]:
    return run(corpus_program(name, solc_args), config_of(name), REFERENCE, calls)


def compare(name: str, candidate: str, calls: int, solc_args: str = "") -> None:
    program, config = corpus_program(name, solc_args), config_of(name)
    expected = reference(name, calls, solc_args)
    rounds = run(program, config, candidate, calls)
    for number, (one, other) in enumerate(zip(expected, rounds, strict=False), 1):
        if one != other:
            pytest.fail(explain(name, candidate, calls, number, program))
    assert len(rounds) == len(expected)


def explain(
    name: str, candidate: str, calls: int, number: int, program: Program
) -> str:
    """Return the first call that differs; the campaign is run once more for it.

    If no call does, the backend searches in another way than the round: then return
    what differs in the results of the round.
    """
    backends, config = (named(REFERENCE), named(candidate)), config_of(name)
    where = f"{name}: round {number} differs between {REFERENCE} and {candidate}"
    with TemporaryDirectory() as directory:
        calls_apart = first_difference(
            Path(directory), program, config, backends, calls=calls
        )
    if calls_apart is not None:
        return f"{where}\n{calls_apart}"
    with TemporaryDirectory() as directory:
        found = result_differences(Path(directory), program, config, backends, number)
    return "\n".join([f"{where}, though no call does", *found])


@pytest.mark.parametrize("name", NAMES)
def test_a_campaign_is_the_same_on_the_native_backend(name: str) -> None:
    compare(name, "compiled", FEW)


@pytest.mark.parametrize("mode", ["checked", "plain"])
@pytest.mark.parametrize("name", SAMPLE)
def test_a_campaign_is_the_same_however_the_native_backend_runs(
    name: str, mode: str
) -> None:
    compare(name, mode, 20)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["compiled", "checked", "hot", "hot-checked"])
@pytest.mark.parametrize("name", NAMES)
def test_a_long_campaign_is_the_same(name: str, mode: str) -> None:
    compare(name, mode, MANY)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLIDITY)
def test_a_long_campaign_of_optimized_code_is_the_same(name: str) -> None:
    compare(name, "compiled", MANY, "--optimize")

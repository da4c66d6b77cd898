"""Climbing in campaigns: that backends agree, and what it is good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import (
    Commands,
    calls_until_falsified,
    payloads,
    six_rounds,
    small_config,
    started,
)
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named
from solc import compile_solidity

SEQ_LEN = 30


# ------------------------------------------------------------------------- campaigns


def rounds_of(
    directory: Path,
    name: str,
    backend: str,
    commands: Commands | None = None,
    **changes: Any,
) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 30_000, "seq_len": SEQ_LEN, **changes}
    program = compile_corpus((name,))
    events = six_rounds(directory, program, named(backend), commands, **values)
    return payloads(events, "RoundCommitted")


@pytest.mark.parametrize("name", ["MagicNested", "NestedTypes"])
def test_climbing_campaigns_are_the_same_on_every_backend(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode) == expected
    without = rounds_of(tmp_path / "without", name, "compiled", climbing=False)
    assert without != expected


def test_climbing_under_priorities_is_the_same_on_every_backend(tmp_path):
    commands: Commands = {
        2: [("prioritize_function", {"functionSignature": "nested"})],
        4: [("clear_priorities", {})],
        5: [("prioritize_function", {"functionSignature": "plain"})],
    }
    expected = rounds_of(tmp_path / "reference", "Dozen", REFERENCE, commands)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, "Dozen", mode, commands) == expected


def test_a_climbing_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 12_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "MagicNested", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "MagicNested", "plain", **settings) == expected


CLOCKED = """
contract Clocked {
    uint256 start = block.timestamp; uint256 kept;
    function exact(uint8 a) external { require(a == 7); kept = a; }
    function small(uint8 a) external { require(a < 8); kept = a; }
    function echidna_time() external view returns (bool) {
        return block.timestamp - start != 123456789012;
    }
}
"""


@pytest.mark.solc
@pytest.mark.parametrize("seed", [2, 48, 56])
def test_what_a_test_has_compared_is_seen_as_often_by_every_backend(tmp_path, seed):
    """Time comes nearer in calls that fail, too, and first sequences run twice."""
    program = compile_solidity(CLOCKED, "Clocked")
    config = {"round_budget": 60_000, "seq_len": 12, "seed": seed, "workers": 3}
    reference, compiled = (
        six_rounds(tmp_path / backend, program, named(backend), **config)
        for backend in (REFERENCE, "compiled")
    )
    rounds = payloads(reference, "RoundCommitted")
    assert rounds == payloads(compiled, "RoundCommitted")


FOUND = {
    "Flags": {"echidna_second_is_up"},
    "MagicChain": {"echidna_first_is_missing", "echidna_chain_is_incomplete"},
    "MagicNested": {"echidna_outer_is_shut", "echidna_inner_is_shut"},
    "Remainders": {"echidna_bits_do_not_match"},
}


@pytest.mark.parametrize("solc_args", ["", "--optimize", "--optimize --via-ir"])
@pytest.mark.parametrize(
    ("name", "calls", "budget"),
    [
        ("Flags", 10_000, 200_000),
        # A task may climb with an eighth of its calls: fewer end before the answer.
        ("MagicChain", 300_000, 2_000_000),
        ("MagicNested", 40_000, 200_000),
        ("Remainders", 3_000_000, 1_000_000),
    ],
)
def test_magic_values_are_found(tmp_path, name, calls, budget, solc_args):
    for seed in range(3):
        config = small_config(
            seed=seed, seq_len=100, workers=2, round_budget=budget, shrink_limit=0
        )
        with started(
            tmp_path / str(seed),
            compile_corpus((name,), solc_args),
            config,
            backend=named("compiled"),
        ) as running:
            views, found = running.views, set()
            while found != FOUND[name] and views.progress.calls < calls:
                running.rounds(1)
                found = {record.name for record in views.properties.falsified}
            assert found == FOUND[name]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_condition_is_sought_though_its_call_makes_many_others_after_it(
    tmp_path, seed
):
    """An audit of forty levels, say, or the checks of a protocol behind its deposit."""
    most = 2_000_000
    found = calls_until_falsified(
        tmp_path,
        compile_corpus(("Audited",)),
        named("compiled"),
        most,
        seed=seed,
        round_budget=1_000_000,
    )
    assert found < most

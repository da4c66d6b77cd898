"""Mechanisms of the search, each with the contract that shows what it is good for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from campaigns import NARROW, calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A part of the search that can be switched off.

    Attributes:
        field: of `CampaignConfig`.
        contract: what it finds a bug of, and the search without it does not.
        calls: more than any of the seeds needs.
        budget: of a round of the search.
        short_budget: of a round in which backends are compared.
        seeds: of the campaigns that find it.
        beside: what else is switched off, as it finds the same.
    """

    field: str
    contract: str
    calls: int
    budget: int = 4_000_000
    short_budget: int = 40_000
    seeds: tuple[int, ...] = (1, 2)
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.field


MECHANISMS = (
    # What is known by its hash alone.
    Mechanism("literals", "Literals", 300_000, short_budget=20_000),
    # What contracts decode.
    Mechanism("payloads", "Envelope", 150_000),
    # A check that two functions share is to fail in one of them.
    Mechanism("contexts", "Margin", 1_700_000, beside=("follow_ups",)),
    # Settings have many states that lead nowhere.
    Mechanism(
        "favoured",
        "Settings",
        150_000,
        budget=1_000_000,
        seeds=(5, 6),
        beside=("retiring", "follow_ups"),
    ),
    # Numbers that anybody sets have many states, the beacons one each.
    Mechanism("retiring", "Beacons", 300_000, budget=1_000_000, seeds=(2, 4)),
    # Each state leads to the next.
    Mechanism(
        "follow_ups",
        "Ratchet",
        205_000,
        budget=20_000_000,
        seeds=(1, 2, 3, 4),
    ),
    # Each function knows ten of a hundred and twenty numbers.
    Mechanism("function_constants", "Tariffs", 300_000, budget=1_000_000),
    # Books are kept by market and user.
    Mechanism("keys", "Lender", 100_000, budget=1_000_000),
    # What is hashed together is divided in another way.
    Mechanism("shifts", "Handles", 50_000, budget=1_000_000),
    # An id is of another type in each function.
    Mechanism("widths", "Tickets", 100_000, budget=1_000_000),
    # Three functions in turn, eight times.
    Mechanism("repetition", "Seasons", 1_000_000, budget=1_000_000),
    # How far a wheel has come stands in a mapping, and nothing compares it.
    Mechanism("mapping_states", "Pawls", 1_000_000, budget=1_000_000),
    # Two numbers have to be right at once.
    Mechanism("state_pairs", "Grid", 1_000_000, budget=1_000_000),
    # A sum of two amounts is asked for.
    Mechanism("pairs", "Receipts", 100_000, budget=1_000_000),
    # Of eight numbers that are returned one has the type that is asked for.
    Mechanism("typed", "Stubs", 1_000_000, budget=1_000_000, seeds=(1, 5)),
    # A key changes in all calls that have it.
    Mechanism("ties", "Names", 150_000, seeds=(1, 4), beside=("follow_ups",)),
    # What calls compare with amounts in storage leads on.
    Mechanism(
        "waypoints",
        "Pledges",
        700_000,
        budget=1_000_000,
        short_budget=60_000,
        seeds=(2, 4),
    ),
    # Each bid has to be between two numbers that move.
    Mechanism("fitting", "Bids", 150_000, budget=1_000_000),
    Mechanism("fitted_sequences", "Bids", 22_000, budget=1_000_000, seeds=(2, 5, 6)),
    # A word has four numbers.
    Mechanism("fields", "Vouchers", 150_000, budget=1_000_000),
    # Weights add up to the whole, whatever else is asked of them.
    Mechanism("repairs", "Basket", 150_000, budget=1_000_000),
    # In which port freight is shows in nothing but an operand, and ports have no order.
    Mechanism(
        "profiles",
        "Freight",
        500_000,
        budget=1_000_000,
        short_budget=60_000,
        seeds=(2, 6),
    ),
    # Bits of a word are set in any order.
    Mechanism(
        "masks",
        "Stamps",
        400_000,
        short_budget=60_000,
        beside=("follow_ups",),
    ),
)


def rounds_of(directory: Path, name: str, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    program = compile_corpus((name,))
    values = {"seq_len": 30, **changes}
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
def test_campaigns_are_the_same_on_every_backend(tmp_path, mechanism):
    name, settings = mechanism.contract, {"round_budget": mechanism.short_budget}
    expected = rounds_of(tmp_path / "reference", name, REFERENCE, **settings)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode, **settings) == expected
    settings[mechanism.field] = False
    assert rounds_of(tmp_path / "without", name, "compiled", **settings) != expected


@pytest.mark.parametrize("name", ["Names", "Ratchet", "Token"])
def test_waypoints_of_other_contracts_are_the_same_on_every_backend(tmp_path, name):
    settings = {"round_budget": 60_000}
    expected = rounds_of(tmp_path / "reference", name, REFERENCE, **settings)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode, **settings) == expected


def test_waypoints_are_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 20_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Streak", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "Streak", "plain", **settings) == expected
    settings["waypoints"] = False
    without = rounds_of(tmp_path / "without", "Streak", "plain", **settings)
    assert without != expected


@pytest.mark.parametrize(
    ("mechanism", "seed"),
    [(each, seed) for each in MECHANISMS for seed in each.seeds],
    ids=str,
)
def test_it_finds_what_the_search_without_it_does_not(tmp_path, mechanism, seed):
    off = {**NARROW, **dict.fromkeys(mechanism.beside, False)}
    for wanted in (True, False):
        calls = calls_until_falsified(
            tmp_path / str(wanted),
            compile_corpus((mechanism.contract,)),
            named("compiled"),
            mechanism.calls,
            seed=seed,
            seq_len=30,
            workers=2,
            round_budget=mechanism.budget,
            **{**off, mechanism.field: wanted},
        )
        assert (calls < mechanism.calls) == wanted

"""States in campaigns: what they are good for, and where there are none."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from campaigns import NARROW, small_config, started
from corpus_contracts import corpus_program
from hypothesis import given
from hypothesis import strategies as st
from native_backends import named

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.projects.loader import load_config
from echidna_mcp.events.event import NewEvent
from echidna_mcp.evm.states import (
    CLASS_BITS,
    EXACT,
    GREATEST,
    LONGEST,
    MOST_PAIRED,
    MOST_STATES,
    MOST_WRITTEN,
    NO_STATE,
    STATE_SLOTS,
    WRITTEN,
    class_in,
    pair_number,
    state_class,
)
from echidna_mcp.views.coverage import CoverageDelta, CoverageView

STATES = CoverageDelta(states=(("a", 0, 1), ("a", 0, 2), ("b", 0, 1)))
CALLS = 3_000_000


def increased(delta: CoverageDelta, number: int = 1) -> NewEvent:
    payload: dict[str, Any] = {"points": 0, "total": 0, **delta.to_json()}
    return NewEvent(type="CoverageIncreased", round=number, payload=payload, worker=0)


# ------------------------------------------------------------------------------ classes


def test_small_values_have_classes_of_their_own() -> None:
    assert len({state_class(value) for value in range(EXACT + 1)}) == EXACT + 1


def test_classes_follow_each_other_and_end() -> None:
    odd = 0xFF  # No small field.
    values = [*range(1024), *((1 << bits) + odd for bits in range(10, LONGEST))]
    classes = [state_class(value) for value in values]
    assert all(one <= other for one, other in pairwise(classes))
    assert len(set(classes)) == 167
    assert NO_STATE not in classes
    assert max(classes) < 1 << CLASS_BITS
    longest = (1 << LONGEST) - 1
    assert state_class(longest) != NO_STATE == state_class((1 << LONGEST) + odd)
    assert state_class((1 << 256) - 1) == NO_STATE


def test_a_small_field_decides_whatever_is_beside_it_in_the_word() -> None:
    beside = [12_345 << 8, (77 << 64) << 8]
    phases = [[state_class(each | phase) for each in beside] for phase in range(9)]
    assert all(one == other for one, other in phases)
    assert len({one for one, _ in phases}) == 9
    owners = [0xA11CE << 140 | 0xFF, 0xB0B << 140 | 0xFF]
    flags = [[state_class(flag << 160 | each) for each in owners] for flag in (1, 2)]
    assert flags[0][0] == flags[0][1] != flags[1][0] == flags[1][1]
    assert max(map(max, [*phases, *flags])) < 1 << CLASS_BITS


@given(st.integers(0, STATE_SLOTS - 1), st.integers(0, 2**256 - 1))
def test_the_first_words_have_the_classes_of_their_values(word, value) -> None:
    assert class_in(word, value) == state_class(value)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**256 - 1))
def test_other_words_have_classes_of_small_numbers_alone(selector, value) -> None:
    assert (class_in(WRITTEN | selector, value) != NO_STATE) == (value <= GREATEST)


def test_classes_of_other_words_follow_each_other_in_coarser_steps() -> None:
    classes = [class_in(WRITTEN, value) for value in range(GREATEST + 1)]
    assert all(one <= other for one, other in pairwise(classes))
    assert len(set(classes[: EXACT + 1])) == EXACT + 1
    # Four steps for each length of 6 to 10 bits; 32 is told apart from 33 already.
    assert len(set(classes)) == EXACT + 1 + 5 * 4


# --------------------------------------------------------------------------------- fold


def test_an_event_tells_states_only_if_there_are_any() -> None:
    assert "states" not in CoverageDelta().to_json()
    assert "states" not in repr(CoverageDelta())
    assert STATES.to_json()["states"] == [["a", 0, 1], ["a", 0, 2], ["b", 0, 1]]
    assert "states=(('a', 0, 1)," in repr(STATES)


def test_states_are_news_but_cover_no_code() -> None:
    view = CoverageView()
    assert STATES
    assert not STATES.is_of_code
    view.apply(increased(STATES))
    assert tuple(view.map.states) == STATES.states
    assert (view.points, view.codes, view.covered()) == (0, 0, {})
    assert not STATES.minus(view.map)


def test_no_more_states_become_known_than_there_is_room_for() -> None:
    view = CoverageView()
    many = tuple(("a", 1, number) for number in range(MOST_STATES - 2))
    view.apply(increased(CoverageDelta(states=many)))
    assert STATES.minus(view.map).states == STATES.states[:2]
    view.apply(increased(STATES.minus(view.map)))
    assert not CoverageDelta(states=(("c", 0, 0),)).minus(view.map)


def test_each_kind_of_states_has_room_of_its_own() -> None:
    view = CoverageView()
    mapped = tuple(("a", WRITTEN | number, 1) for number in range(MOST_WRITTEN + 3))
    first = CoverageDelta(states=mapped).minus(view.map)
    assert first.states == mapped[:MOST_WRITTEN]
    view.apply(increased(first))
    view.apply(increased(first))
    assert view.map.copy().state_rooms == [MOST_STATES, 0, MOST_PAIRED]
    assert not CoverageDelta(states=mapped).minus(view.map)
    others = (*STATES.states, ("a", pair_number(0, 1, 2), 2))
    both = (mapped[-1], *others)
    assert CoverageDelta(states=both).minus(view.map).states == others
    pairs = tuple(("b", pair_number(0, 1, 2), kind) for kind in range(MOST_PAIRED))
    view.apply(increased(CoverageDelta(states=pairs)))
    assert view.map.copy().state_rooms == [MOST_STATES, 0, 0]
    assert CoverageDelta(states=both).minus(view.map).states == STATES.states


def test_news_that_are_states_alone_do_not_keep_rounds_short() -> None:
    view = CoverageView()
    nearer = CoverageDelta(nearest=((77, 5),))
    for number, delta in enumerate([STATES, nearer, STATES, STATES], 1):
        view.apply(increased(delta, number))
    assert (view.code_round, view.leading_round, view.round) == (0, 2, 4)
    code = CoverageDelta(visited=(("a", 0, 2),))
    view.apply(increased(code, 5))
    assert (view.code_round, view.leading_round, view.round) == (5, 5, 5)


# ---------------------------------------------------------------------------- campaigns


@pytest.mark.parametrize("states", [True, False])
def test_a_counter_that_only_states_show_is_climbed(tmp_path, states) -> None:
    for seed in range(3 if states else 1):
        config = small_config(
            seed=seed,
            states=states,
            # They would show it as well, where it is asked for.
            profiles=False,
            seq_len=100,
            round_budget=500_000,
            shrink_limit=0,
            **NARROW,
        )
        program, plugin = corpus_program("Ratchet"), named("compiled")
        with started(tmp_path / str(seed), program, config, backend=plugin) as running:
            views = running.views
            while not views.properties.falsified and views.progress.calls < CALLS:
                running.rounds(1)
            assert bool(views.properties.falsified) is states
            assert bool(views.coverage.map.states) is states


@pytest.mark.parametrize(
    "config", [{"states": False}, {"coverage": False}, {"test_mode": "stateless"}]
)
def test_there_are_no_states_without_use(config) -> None:
    assert CampaignConfig().collects_states
    assert not CampaignConfig(**config).collects_states


def test_campaigns_from_before_there_were_states_have_none() -> None:
    stored = CampaignConfig().to_json()
    assert CampaignConfig.from_json(stored).states
    del stored["states"]
    assert not CampaignConfig.from_json(stored).states


@pytest.mark.parametrize(
    ("field", "key", "collects"),
    [
        ("mapping_states", "mappingStates", "collects_mappings"),
        ("state_pairs", "statePairs", "collects_pairs"),
    ],
)
def test_there_are_no_others_without_states_nor_in_older_campaigns(
    field, key, collects
) -> None:
    assert getattr(CampaignConfig(), collects)
    assert not getattr(CampaignConfig(states=False), collects)
    assert not getattr(CampaignConfig(**{field: False}), collects)
    stored = CampaignConfig().to_json()
    assert getattr(CampaignConfig.from_json(stored), field)
    del stored[field]
    assert not getattr(CampaignConfig.from_json(stored), field)
    assert not getattr(load_config(None, {key: False}).campaign, field)


@pytest.mark.parametrize("value", [True, False])
def test_the_configuration_switches_states(value) -> None:
    assert load_config(None, {"states": value}).campaign.states is value
    assert load_config(None).campaign.states

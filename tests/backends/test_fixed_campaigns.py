"""Digests that are written down: no change of the code may change them unseen."""

from __future__ import annotations

import pytest
from fixed_campaigns import CAMPAIGNS, run_fixed, written_table

REFERENCE_ROUNDS = 2
"""How far the reference goes: it is a hundred times slower."""


def test_every_fixed_campaign_is_written_down_with_all_its_rounds() -> None:
    rounds = {name: len(digests) for name, digests in written_table().items()}
    assert rounds == {name: fixed.rounds for name, fixed in CAMPAIGNS.items()}
    assert len(rounds) == 36


@pytest.mark.solc
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_campaign_has_the_digests_that_are_written_down(name: str) -> None:
    assert run_fixed(name, "compiled") == written_table()[name]


@pytest.mark.solc
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_campaign_has_the_same_digests_on_the_reference(name: str) -> None:
    expected = written_table()[name][:REFERENCE_ROUNDS]
    assert run_fixed(name, "py-evm", REFERENCE_ROUNDS) == expected

"""The same on a contract that uses precompiles, CREATE2, self-destruction and so on."""

from __future__ import annotations

import pytest
from simulated_seeds import check, groups

pytestmark = pytest.mark.solc


@pytest.mark.parametrize(
    "seeds", groups(strange=True), ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}"
)
def test_every_schedule_gives_the_result_of_an_undisturbed_campaign(seeds) -> None:
    check(seeds)

"""Whatever order threads run in, whatever accident happens: one result on the demo."""

from __future__ import annotations

import pytest
from simulated_seeds import check, groups


@pytest.mark.parametrize(
    "seeds", groups(strange=False), ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}"
)
def test_every_schedule_gives_the_result_of_an_undisturbed_campaign(seeds) -> None:
    check(seeds)

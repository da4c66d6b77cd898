"""Stateless tests: how many runs each of them still has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.views.properties import PropertyState

if TYPE_CHECKING:
    from echidna_mcp.views.campaign import CampaignViews


class StatelessRuns:
    """The runs of the tests of a contract that take arguments (Foundry's fuzz tests).

    A test has its runs, discarded ones not counted; it is given up if too many are
    discarded, and has no more once it has failed.

    Args:
        views: the fold of the campaign.
    """

    def __init__(self, views: CampaignViews) -> None:
        self._views = views
        self._once = frozenset(views.target.run_once)

    def left(self) -> int:
        """Return how many runs there are to be, of all tests together."""
        functions = enumerate(self._views.target.functions)
        return sum(
            self._left_of(function.signature)
            for index, function in functions
            if index not in self._once
        )

    def left_out(self) -> tuple[int, ...]:
        """Return the indices of the functions that have no runs left, ascending."""
        return tuple(
            index
            for index, function in enumerate(self._views.target.functions)
            if index in self._once or not self._left_of(function.signature)
        )

    def _left_of(self, signature: str) -> int:
        views, config = self._views, self._views.target.config
        if views.properties.records[signature].state is not PropertyState.OPEN:
            return 0
        discarded = views.exercise.discarded[signature]
        if discarded > config.max_rejects:
            return 0
        done = views.progress.functions.get(signature, 0) - discarded
        return max(0, config.runs(signature) - done)

"""The state of a campaign: all projections together, folded as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.dictionary.constants import first_words
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.program.world import World
from echidna_mcp.views.comparisons import ComparisonsView
from echidna_mcp.views.corpus import CorpusView
from echidna_mcp.views.coverage import CoverageView
from echidna_mcp.views.dictionary import DictionaryView
from echidna_mcp.views.exercise import ExerciseView
from echidna_mcp.views.outside import OutsideView
from echidna_mcp.views.priorities import PrioritiesView
from echidna_mcp.views.progress import ProgressView
from echidna_mcp.views.properties import PropertyState, PropertyView
from echidna_mcp.views.solving import SolvingView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echidna_mcp.events.event import Event, NewEvent
    from echidna_mcp.program.target import TestCase


class CampaignViews:
    """Every projection that a decision or a tool needs.

    The director decides from it, each executor replica searches with it, tools read it,
    replay and resume rebuild it. It starts from what a `CampaignStarted` event holds.
    """

    def __init__(self, target: FuzzTarget) -> None:
        self.target = target
        self.progress = ProgressView()
        self.corpus = CorpusView()
        self.coverage = CoverageView()
        config = target.config
        sites = bool(config.max_findings) and not config.of_foundry
        self.properties = PropertyView(target.tests, sites=sites)
        self.exercise = ExerciseView()
        self.outside = OutsideView(target.world.answers)
        self.priorities = PrioritiesView()
        self.comparisons = ComparisonsView()
        called = [callee.contract for callee in target.callees]
        self.dictionary = DictionaryView(first_words(target.program, called))
        self.solving = SolvingView(
            target, self.corpus, self.coverage, self.properties, self.dictionary
        )

    @classmethod
    def from_started(cls, event: Event) -> CampaignViews:
        """Return the state that a `CampaignStarted` event describes."""
        config = CampaignConfig.from_json(event.payload["config"])
        program = Program.from_json(event.payload["program"])
        world = World.from_json(event.payload.get("plan", {}))
        views = cls(build_target(program, config, world))
        views.apply(event)
        return views

    @classmethod
    def folded(cls, events: Sequence[Event]) -> CampaignViews:
        """Return the state after events, the first of which is `CampaignStarted`."""
        views = cls.from_started(events[0])
        for event in events[1:]:
            views.apply(event)
        return views

    def test_of(self, name: str) -> TestCase:
        """Return the test that a record of `properties` is about, by the record's name.

        Several findings of one test have names of their own.
        """
        target = self.target
        return target.tests[target.test_index[self.properties.records[name].test]]

    def not_exercised(self) -> dict[str, str]:
        """Return why each open test that was not exercised was not, by name.

        None is told of before the first round has ended: nothing could be.
        """
        found: dict[str, str] = {}
        if self.progress.round == 0 and self.progress.stopped is None:
            return found
        for record in self.properties.in_state(PropertyState.OPEN):
            test = self.test_of(record.name)
            reason = self.exercise.why_not(test, self.progress.functions, self.target)
            if reason is None and record.maximizes and record.value is None:
                reason = "it never returned a value"
            if reason is not None and record.dispute is None:
                found[record.name] = reason
        return found

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event into every projection."""
        self.progress.apply(event)
        self.corpus.apply(event)
        self.coverage.apply(event)
        self.properties.apply(event)
        self.exercise.apply(event)
        self.outside.apply(event)
        self.priorities.apply(event)
        self.comparisons.apply(event)
        self.dictionary.apply(event)
        # Last: it chooses from what the others hold.
        self.solving.apply(event)

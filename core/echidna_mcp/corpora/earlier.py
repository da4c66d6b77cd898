"""What failed before a campaign: whether it still does.

It is run once more when the campaign has ended, on the EVM of the campaign. So nothing
of it has to be stored: what is told follows from the store.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from echidna_mcp.corpora.playing import Player
from echidna_mcp.events import payloads
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.views.campaign import CampaignViews

EarlierStatus: TypeAlias = Literal["fixed", "still broken", "not replayed"]

NO_CALLS: Final = "this campaign makes none of its calls"
NO_TEST: Final = "this campaign has no such test"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierVerdict:
    """What became of something that had failed before.

    Attributes:
        test: that it falsified; empty if the file did not tell, and then any counts.
        name: its own, if it was not the first finding of that test; else empty.
        file: of the corpus it came from; empty if it came from a campaign.
        status: what became of it.
        breaks: names of the tests that it falsifies now.
        reason: why it is not replayed; empty if it is.
    """

    test: str
    name: str
    file: str
    status: EarlierStatus
    breaks: tuple[str, ...] = ()
    reason: str = ""

    @property
    def subject(self) -> str:
        """What it is called."""
        name = self.name or self.test
        return f"{name} ({self.file})" if name and self.file else name or self.file

    @property
    def text(self) -> str:
        """What became of it, for people."""
        if self.reason:
            return f"{self.status}, {self.reason}"
        others = [name for name in self.breaks if name != self.test]
        return f"{self.status}: {', '.join(others)}" if others else self.status

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; what is not known is null."""
        return {
            "test": self.test or None,
            "name": self.name or self.test or None,
            "file": self.file or None,
            "status": self.status,
            "breaks": list(self.breaks),
            "reason": self.reason or None,
        }


def earlier_verdicts(
    views: CampaignViews, backend: BackendPlugin
) -> list[EarlierVerdict]:
    """Return what became of each finding that the campaign has taken over.

    Args:
        views: the fold of the campaign.
        backend: what it ran on.

    Raises:
        DeploymentError: the deployment fails, as it has not for the campaign.
    """
    if not views.corpus.earlier:
        return []
    player = Player(views.target, views.outside.answers, backend)
    return [_verdict(each, views, player) for each in views.corpus.earlier]


def _verdict(
    finding: payloads.EarlierFinding, views: CampaignViews, player: Player
) -> EarlierVerdict:
    named = finding.get("test", "")
    # Foundry's folders have the names of tests without types.
    tests = [each.name for each in views.target.tests]
    test = next((x for x in tests if x.partition("(")[0] == named), named)
    told = EarlierVerdict(
        test=test,
        name=finding.get("name", ""),
        file=finding.get("file", ""),
        status="not replayed",
    )
    if test and test not in tests:
        return replace(told, reason=NO_TEST)
    if "sequence" not in finding:
        return replace(told, reason=NO_CALLS)
    calls = views.corpus.inherited[finding["sequence"]]
    falsified = player.play(CallCodec(views.target).sequence(calls)).falsified
    broken = test in falsified if test else bool(falsified)
    status: EarlierStatus = "still broken" if broken else "fixed"
    return replace(told, status=status, breaks=tuple(falsified))

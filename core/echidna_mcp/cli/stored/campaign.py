"""A stored campaign that a command is about, and which of its sequences are meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.errors import UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.traces.tracer import findings
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.wording import closest, did_you_mean

_CORPUS: Final = "corpus"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCampaign:
    """A campaign that was read from its store.

    Attributes:
        place: its directory.
        backend: name of the EVM on which it ran.
        views: the fold of its events.
    """

    place: Path
    backend: str
    views: CampaignViews

    @classmethod
    def read(cls, directory: Path) -> StoredCampaign:
        """Read a campaign.

        Args:
            directory: of it, or of campaigns, of which the newest is taken.

        Raises:
            UsageError: there is no such campaign.
            StoreError: it can't be read, or was changed by another program.
        """
        if not directory.is_dir():
            raise UsageError(f"{directory} is no directory; name one of a campaign.")
        return cls.at(newest_campaign(directory))

    @classmethod
    def at(cls, place: Path) -> StoredCampaign:
        """Read the campaign whose directory this is.

        Raises:
            StoreError: it can't be read, or was changed by another program.
        """
        path = store_path(place)
        verify_campaign(path, other_log=True)
        with EventStore.read_only(path) as store:
            events = [*store.read()]
        return cls(
            place=place,
            backend=events[0].payload["backend"],
            views=CampaignViews.folded(events),
        )

    def wanted(self, what: Sequence[str], verb: str) -> Sequence[str | int]:
        """Return the names of tests, or the number of a sequence of the corpus.

        Args:
            what: words of the command line: name of a test, or `corpus` and a number;
                none for all that have a reproducer.
            verb: what the command does with them, and its name.

        Raises:
            UsageError: there is no such test or sequence.
        """
        if not what:
            return subjects(self.views)
        if what[0] == _CORPUS and len(what) == 2:
            return [self._entry(what[1])]
        if what[0] == _CORPUS or len(what) > 1:
            raise UsageError(
                "After the directory comes the name of one test, or corpus and the "
                f"number of a sequence, as in: {verb} DIR corpus 3."
            )
        return [self._test(what[0], verb)]

    def _entry(self, text: str) -> int:
        entries = len(self.views.corpus)
        if not text.isdecimal() or int(text) >= entries:
            known = f"0 to {entries - 1}" if entries else "none"
            raise UsageError(
                f"corpus {printable(text)} is no sequence of {self.place}, which has "
                f"{known}."
            )
        return int(text)

    def _test(self, name: str, verb: str) -> str:
        """Return the whole name of a test or finding with a reproducer.

        Types may be left out, and the id of a finding means it as well.
        """
        known = self.views.properties.records
        meant = [
            each.name
            for each in known.values()
            if name in (each.name, each.finding)
            or (each.name == each.test and name == each.name.partition("(")[0])
        ]
        if len(meant) != 1:
            several = f"there are several: {', '.join(meant)}."
            none = f"it has {', '.join(known) or 'none'}."
            hint = several if meant else did_you_mean(closest(name, known), none)
            raise UsageError(f"{printable(name)} is no test of {self.place}; {hint}")
        record = known[meant[0]]
        if record.calls is None and record.dispute is None:
            raise UsageError(
                f"{printable(meant[0])} is not falsified, so there is no sequence to "
                f"{verb}; one of the corpus is meant by: corpus 0."
            )
        return meant[0]


def subjects(views: CampaignViews) -> Sequence[str]:
    """Return the tests that have a reproducer, those that maximize included."""
    return [*findings(views), *(each.name for each in views.properties.raised)]

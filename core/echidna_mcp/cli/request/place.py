"""Where a campaign lies, and whether it has begun there.

A corpus directory holds campaigns. The first lies in it directly, each further one in a
directory below, which is named after its contract and the time at which it began.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.corpora.layouts import recognised
from echidna_mcp.errors import StoreError, StoreInUseError, UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.events.lock import WriterLock
from echidna_mcp.events.store import EventStore, is_blank, store_path
from echidna_mcp.program.model import Program

_TIME: Final = "%Y%m%d-%H%M%S-%f"
_NAMED: Final = re.compile(r"(.+)-(\d{8}-\d{6}-\d{6})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A campaign as it is asked for.

    Attributes:
        left_open: fields of `config` that were chosen for want of a wish; in a campaign
            that has begun, what is stored will do.
    """

    program: Program
    config: CampaignConfig
    left_open: frozenset[str]

    def differences(self, started: Event) -> dict[str, Any]:
        """Return in what a campaign that has begun is another one, as it is stored."""
        # Here, because it takes long to import: a new campaign is not to wait for it.
        from echidna_mcp.campaign.start import differences  # noqa: PLC0415

        found = differences(started, self.program, self.config)
        return {
            name: value for name, value in found.items() if name not in self.left_open
        }


@dataclass(frozen=True, slots=True)
class Place:
    """A directory for a campaign.

    Attributes:
        directory: where it lies or is to begin.
        begun: whether the campaign that is asked for lies there already.
        otherwise: where it begins if another process takes `directory` before.
        older: stores of campaigns whose corpus it may take over, the best one first.
        home: directory of campaigns, in which the corpus of another fuzzer may lie;
            None if none was named.
    """

    directory: Path
    begun: bool
    otherwise: Path
    older: tuple[Path, ...] = ()
    home: Path | None = None


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """A campaign that lies in a corpus directory; ordered by when it began.

    Attributes:
        begun: UTC, as in the names of directories.
        contract: name of its main contract.
    """

    begun: str
    contract: str
    directory: Path

    @property
    def moment(self) -> datetime:
        """When it began."""
        return datetime.strptime(self.begun, _TIME).replace(tzinfo=UTC)

    @classmethod
    def of(cls, directory: Path) -> Self | None:
        """Return the campaign of a directory, or None if there is none.

        Raises:
            StoreError: what is there is no store.
        """
        named = _NAMED.fullmatch(directory.name)
        if named is not None:
            return cls(named[2], named[1], directory)
        started = _started(directory)
        if started is None:
            return None
        begun = datetime.fromisoformat(started.at).strftime(_TIME)
        contract = Program.from_json(started.payload["program"]).main_contract.name
        return cls(begun, contract, directory)


def known_campaigns(directory: Path) -> list[Known]:
    """Return the campaigns in a corpus directory, the newest first.

    What can't be read is passed over; it is told of one that lies there directly.
    """
    found = []
    for path in stores_in(directory):
        try:
            known = Known.of(path.parent)
        except (StoreError, OSError, KeyError, TypeError, ValueError) as error:
            if path.parent == directory:
                show(f"Warning: {_reason(path, error)} It is left alone.", err=True)
            continue
        if known is not None:
            found.append(known)
    return sorted(found, reverse=True)


def stores_in(directory: Path) -> list[Path]:
    """Return what looks like stores in a corpus directory, by name."""
    direct = store_path(directory)
    below = sorted(directory.glob(f"*/{direct.name}"))
    return [direct, *below] if os.path.lexists(direct) else below


def newest_campaign(directory: Path) -> Path:
    """Return the directory of the newest campaign in a corpus directory.

    It is told which, if there are several; if there is none, it is the directory.
    """
    stores = stores_in(directory)
    if len(stores) < 2:
        return next(iter(stores), store_path(directory)).parent
    known = known_campaigns(directory)
    if not known:
        return directory
    if len(known) > 1:
        text = f"{directory} holds {len(known)} campaigns; this is the newest: "
        show(text + f"{known[0].directory}.", err=True)
    return known[0].directory


def find_place(corpus_dir: str | None, campaigns: Path | None, wanted: Wanted) -> Place:
    """Return where a campaign lies or is to lie; nothing is written.

    The same campaign, not ended, goes on. Any other one begins beside those that are
    there, and may take over the corpus of an older one.

    Args:
        corpus_dir: a corpus directory.
        campaigns: one in which the first campaign also has a directory of its own;
            stronger than `corpus_dir`.

    Raises:
        UsageError: the directory has no name.
        StoreError: the campaign that was to go on was tampered with.
    """
    contract = wanted.program.main_contract.name
    name = f"{contract}-{datetime.now(UTC).strftime(_TIME)}"
    if campaigns is None and corpus_dir is None:
        fresh = DEFAULT_DIRECTORY / name
        return Place(fresh, begun=False, otherwise=fresh)
    if campaigns is None and not corpus_dir:
        raise UsageError("--corpus-dir (corpusDir) is empty; name a directory.")
    home = campaigns or Path(corpus_dir or "")
    fresh = home / name
    known = known_campaigns(home)
    # Of the same contract first; each time the newest first.
    older = sorted(known, key=lambda one: one.contract != contract)
    stores = tuple(store_path(one.directory) for one in older)
    for one in known:
        if _goes_on(one.directory, wanted):
            return Place(one.directory, True, fresh, stores, home)
    # Beside the corpus of another fuzzer, not among its folders.
    direct = campaigns is None and not known and _is_free(home) and not recognised(home)
    return Place(home if direct else fresh, False, fresh, stores, home)


def _goes_on(directory: Path, wanted: Wanted) -> bool:
    """Whether the campaign that is asked for lies there and can go on.

    Raises:
        StoreError: it does, but it was tampered with.
    """
    if not _can_go_on(directory, wanted):
        return False
    try:
        WriterLock(store_path(directory)).release()
    except StoreInUseError:
        show(f"{directory} is in use; this is another campaign.", err=True)
        return False
    # A command log that was changed is only a copy.
    verify_campaign(store_path(directory), other_log=True)
    return True


def _can_go_on(directory: Path, wanted: Wanted) -> bool:
    """Whether it is the same campaign and has not ended; no, if it is of no use."""
    try:
        if _has_ended(directory):  # First: most have, and it is a short look.
            return False
        started = _started(directory)
        return started is not None and not wanted.differences(started)
    except (StoreError, KeyError, TypeError, ValueError):
        return False


def _has_ended(directory: Path) -> bool:
    """Whether a campaign has ended by itself; one that was stopped can go on."""
    from echidna_mcp.campaign.start import can_go_on  # noqa: PLC0415 (slow import)

    stopped = None
    with EventStore.read_only(store_path(directory)) as store:
        for event in store.read(types=("CampaignStopped", "CampaignResumed")):
            stopped = event.payload.get("reason")
    return not can_go_on(stopped)


def _started(directory: Path) -> Event | None:
    path = store_path(directory)
    if is_blank(path):
        return None
    with EventStore.read_only(path) as store:
        return next(iter(store.read(limit=1)), None)


def _is_free(directory: Path) -> bool:
    """Whether a campaign can begin directly in a directory."""
    try:
        return _started(directory) is None
    except (StoreError, ValueError):
        return False


def _reason(path: Path, error: Exception) -> str:
    if isinstance(error, StoreError):
        return error.message
    return f"The store {path} was changed by another program."

"""Where a campaign lies, and whether it has begun there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.options import DEFAULT_DIRECTORY
from echidna_mcp.cli.output import show
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.config.keys import SUPPORTED
from echidna_mcp.config.readers import shown
from echidna_mcp.errors import StoreError, UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.events.lock import WriterLock
from echidna_mcp.events.store import EventStore, is_blank, store_path
from echidna_mcp.program.model import Program


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
        begun: whether the campaign that is asked for lies there already.
    """

    directory: Path
    begun: bool


def find_place(corpus_dir: str | None, campaigns: Path | None, wanted: Wanted) -> Place:
    """Return where a campaign lies or is to lie; nothing is written.

    Args:
        corpus_dir: the very directory, if it is given.
        campaigns: a directory of campaigns, in which each has one of its own.

    Raises:
        UsageError: the directory has no name.
        StoreError: `corpus_dir` holds another campaign, or one that was tampered with.
    """
    if corpus_dir is not None:
        if not corpus_dir:
            raise UsageError("--corpus-dir (corpusDir) is empty; name a directory.")
        return Place(Path(corpus_dir), _has_begun(Path(corpus_dir), wanted))
    if campaigns is not None:
        # Who asks for no limit is not to find a campaign that soon ends at one.
        wanted = replace(wanted, left_open=wanted.left_open - {"test_limit"})
        for directory in _newest_first(campaigns):
            if not _can_go_on(directory, wanted):
                continue
            try:
                WriterLock(store_path(directory)).release()
            except StoreError:
                show(f"{directory} is in use; this is another campaign.", err=True)
                continue
            _verify(directory)
            return Place(directory, begun=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    name = f"{wanted.program.main_contract.name}-{stamp}"
    return Place((campaigns or DEFAULT_DIRECTORY) / name, begun=False)


def _newest_first(campaigns: Path) -> list[Path]:
    """Return the directories with stores; their names end with when they began."""
    found = [path.parent for path in campaigns.glob(f"*/{store_path(Path()).name}")]
    return sorted(
        found, key=lambda path: (path.name.partition("-")[2], path.name), reverse=True
    )


def _can_go_on(directory: Path, wanted: Wanted) -> bool:
    """Whether the campaign can go on there; a store of no use is passed over."""
    try:
        started = _started(directory)
        return (
            started is not None
            and not wanted.differences(started)
            and not _has_ended(directory)
        )
    except StoreError:
        return False


def _has_begun(directory: Path, wanted: Wanted) -> bool:
    """Whether the campaign that is asked for lies in a directory; another may not."""
    if is_blank(store_path(directory)):
        return False
    _verify(directory)
    started = _started(directory)
    if started is None:
        return False
    other = [_shown(name, value) for name, value in wanted.differences(started).items()]
    if other:
        raise StoreError(
            f"{directory} holds the campaign of another {', '.join(other)}; "
            "ask for the same to go on with it, choose another --corpus-dir, or let "
            "--campaigns choose one."
        )
    return True


def _verify(directory: Path) -> None:
    """Refuse a store that was changed; a log that was is only a copy."""
    verify_campaign(store_path(directory), other_log=True)


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


def _shown(name: str, value: Any) -> str:
    """Return a field of a config with its value, as in a configuration file."""
    key = next((key.name for key in SUPPORTED if key.field == name), None)
    return f"{key} ({shown(value)})" if key else name

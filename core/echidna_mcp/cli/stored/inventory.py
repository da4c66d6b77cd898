"""The campaigns of a directory: what each has brought, and which files are its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from echidna_mcp.campaign.crash_bundle import BUNDLE_PREFIX
from echidna_mcp.campaign.start import can_go_on
from echidna_mcp.cli.ci.results import finding_id
from echidna_mcp.cli.request.place import Known, known_campaigns
from echidna_mcp.config.campaign import COVERAGE_FORMATS
from echidna_mcp.errors import StoreError, UsageError
from echidna_mcp.events.lock import is_locked
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.file import DIRECTORY as EVIDENCE
from echidna_mcp.reports.coverage_files import NAME as COVERAGE
from echidna_mcp.reports.findings import finding_of
from echidna_mcp.reports.foundry_verdicts import foundry_verdicts
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.command_log import command_log_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a campaign has brought.

    Attributes:
        contracts: `path:Name` of those that are tested or called, the main one first.
        rounds, calls: how far it is.
        findings: ids of what is falsified.
        verdict: `falsified`, `disputed`, `not exercised`, `passing`; `open` if nothing
            of that holds and it has not ended.
        reason: why it ended; None if it has not.
        sealed: there is evidence of it.
    """

    contracts: tuple[str, ...]
    rounds: int
    calls: int
    findings: tuple[str, ...]
    verdict: str
    reason: str | None
    sealed: bool

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself; one that was stopped can go on."""
        return not can_go_on(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A campaign of a directory.

    Attributes:
        directory: in which it lies, perhaps with others below.
        contract: name of its main contract.
        begun: UTC.
        running: a process writes it.
        size: bytes of its own files.
        outcome: None if the store can't be read; `unreadable` says why.
    """

    directory: Path
    contract: str
    begun: datetime
    running: bool
    size: int
    outcome: Outcome | None
    unreadable: str = ""

    @property
    def state(self) -> str:
        """What becomes of it: `running`, `ended`, `unfinished` or `unreadable`."""
        if self.running:
            return "running"
        if self.outcome is None:
            return "unreadable"
        return "ended" if self.outcome.ended else "unfinished"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; what is unknown is null."""
        found = self.outcome
        return {
            "directory": str(self.directory),
            "contract": self.contract,
            "contracts": None if found is None else list(found.contracts),
            "begun": self.begun.isoformat(),
            "rounds": None if found is None else found.rounds,
            "calls": None if found is None else found.calls,
            "findings": None if found is None else list(found.findings),
            "verdict": None if found is None else found.verdict,
            "reason": None if found is None else found.reason,
            "state": self.state,
            "sealed": None if found is None else found.sealed,
            "bytes": self.size,
        }


def entries_in(directory: Path) -> list[Entry]:
    """Return the campaigns in a directory of campaigns, the newest first.

    Raises:
        UsageError: there is no such directory.
    """
    if not directory.is_dir():
        raise UsageError(
            f"{directory} is no directory; name one of campaigns, such as "
            "--corpus-dir gets."
        )
    return [_entry(each) for each in known_campaigns(directory)]


def own_files(directory: Path) -> Iterator[Path]:
    """Yield the files that the program itself has written of a campaign.

    What else lies in its directory belongs to somebody: other campaigns below, the
    corpus of another fuzzer, notes.
    """
    store, log = store_path(directory), command_log_path(directory)
    coverage = [f"{COVERAGE}.{form}" for form in COVERAGE_FORMATS]
    for pattern in (f"{store.name}*", f"{log.name}*", *coverage, f"{BUNDLE_PREFIX}*"):
        yield from (each for each in sorted(directory.glob(pattern)) if each.is_file())
    below = sorted((directory / EVIDENCE).glob("*"))
    yield from (each for each in below if each.is_file())


def _entry(known: Known) -> Entry:
    outcome, unreadable = None, ""
    try:
        outcome = _outcome(known.directory)
    except StoreError as error:
        unreadable = error.message
    except (KeyError, TypeError, ValueError, IndexError):
        unreadable = "It was changed by another program."
    return Entry(
        directory=known.directory,
        contract=known.contract,
        begun=known.moment,
        running=is_locked(store_path(known.directory)),
        size=sum(_size(each) for each in own_files(known.directory)),
        outcome=outcome,
        unreadable=unreadable,
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # A campaign that runs has files for moments.
        return 0


def _outcome(directory: Path) -> Outcome:
    """Fold a campaign.

    Raises:
        StoreError: it can't be read.
    """
    with EventStore.read_only(store_path(directory)) as store:
        events = [*store.read()]
    views = CampaignViews.folded(events)
    called = [each.contract.qualified_name for each in views.target.callees]
    progress = views.progress
    findings, verdict = _verdict(views)
    return Outcome(
        contracts=tuple(dict.fromkeys((views.target.program.main, *called))),
        rounds=progress.round,
        calls=progress.calls,
        findings=findings,
        verdict=verdict,
        reason=progress.stopped,
        sealed=any(event.type == "EvidenceSealed" for event in events),
    )


def _verdict(views: CampaignViews) -> tuple[tuple[str, ...], str]:
    """Return the ids of findings, and what is said of all tests together."""
    main, unexercised = views.target.program.main, views.not_exercised()
    falsified = [finding_of(views, each) for each in views.properties.falsified]
    disputed = bool(views.properties.disputed)
    if views.target.config.of_foundry:
        # An invariant fails as well if a handler does.
        verdicts = foundry_verdicts(views, unexercised)
        falsified += [
            finding_id(main, each.test) for each in verdicts if each.status == "failed"
        ]
    found = tuple(dict.fromkeys(falsified))
    if found:
        return found, "falsified"
    if disputed:
        return found, "disputed"
    if unexercised:
        return found, "not exercised"
    return found, "open" if views.progress.stopped is None else "passing"

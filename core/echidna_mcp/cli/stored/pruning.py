"""`echidna-mcp prune`: old campaigns go, after it was told which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.stored.inventory import Entry, entries_in, own_files
from echidna_mcp.cli.stored.listing import told_size
from echidna_mcp.errors import StoreInUseError, UsageError
from echidna_mcp.events.lock import WriterLock
from echidna_mcp.events.store import store_path
from echidna_mcp.evidence.file import DIRECTORY as EVIDENCE
from echidna_mcp.wording import counted


def prune(
    directory: Path,
    *,
    keep: int | None,
    older_than: timedelta | None,
    sealed: bool,
    yes: bool,
) -> None:
    """Remove old campaigns of a directory, or say which would go.

    A campaign that runs stays, and so does what can't be read: nobody can tell what it
    is.

    Args:
        keep: the newest so many of each contract stay.
        older_than: those that began later stay; with `keep` only what both let go goes.
        sealed: those of which there is evidence may go as well.
        yes: remove them; else it is only told.

    Raises:
        UsageError: there is no such directory, neither rule is given, or a file can't
            be removed.
    """
    if keep is None and older_than is None:
        raise UsageError(
            "Say which campaigns may go: all but the newest (--keep 5), the old ones "
            "(--older-than 30d), or both."
        )
    entries = entries_in(directory)
    since = None if older_than is None else datetime.now(UTC) - older_than
    old = list(_old(entries, keep, since))
    freed = gone = 0
    for entry in old:
        name = printable(str(entry.directory))
        if why := _why_it_stays(entry, sealed=sealed):
            show(f"Stays: {name} {why}.")
            continue
        if yes:
            try:
                _remove(entry)
            except StoreInUseError:
                show(f"Stays: {name} is running.")
                continue
        gone, freed = gone + 1, freed + entry.size
        show(f"{'Removed' if yes else 'Would remove'}: {_told(entry)}")
    campaigns, kept = counted(gone, "campaign"), len(entries) - gone
    if yes:
        show(f"Removed {campaigns}: {told_size(freed)} are free; {kept} left.")
    else:
        end = " Nothing was removed; add --yes to do that." if gone else ""
        show(f"{campaigns} would go, {told_size(freed)}; {kept} would be left.{end}")


def _old(
    entries: Sequence[Entry], keep: int | None, since: datetime | None
) -> Iterator[Entry]:
    """Yield the entries that the rules let go; they come newest first."""
    newer: Counter[str] = Counter()
    for entry in entries:
        kept = keep is not None and newer[entry.contract] < keep
        newer[entry.contract] += 1
        if not kept and (since is None or entry.begun < since):
            yield entry


def _why_it_stays(entry: Entry, *, sealed: bool) -> str:
    if entry.running:
        return "is running"
    if entry.outcome is None:
        return "can't be read"
    if entry.outcome.sealed and not sealed:
        return "is sealed; --sealed lets it go"
    return ""


def _told(entry: Entry) -> str:
    assert entry.outcome is not None
    found = entry.outcome
    findings = counted(len(found.findings), "finding")
    return printable(
        f"{entry.directory} ({entry.begun:%Y-%m-%d %H:%M}, {findings}, {entry.state}, "
        f"{told_size(entry.size)})"
    )


def _remove(entry: Entry) -> None:
    """Remove the files of a campaign, and directories that are empty then.

    Raises:
        StoreInUseError: a process has begun to write it.
        UsageError: a file can't be removed.
    """
    store = store_path(entry.directory)
    lock = WriterLock(store)  # Nobody begins to write it meanwhile.
    try:
        # The store first: what is left after an accident is no campaign any more.
        for file in own_files(entry.directory):
            if file != lock.path:
                file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{error.filename} can't be removed: {error.strerror}."
        ) from error
    finally:
        lock.release()
    with suppress(OSError):
        lock.path.unlink()
    for place in (entry.directory / EVIDENCE, entry.directory):
        with suppress(OSError):  # Somebody has put something there, or it is none.
            place.rmdir()

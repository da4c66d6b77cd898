"""Check a store against its hash chain, its triggers and the command log beside it."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from echidna_mcp.errors import StoreError, StoreTamperedError
from echidna_mcp.events.chain import GENESIS, Row, link
from echidna_mcp.events.connection import connect, guard, store_errors
from echidna_mcp.events.event import Event
from echidna_mcp.events.schema import (
    COLUMNS,
    TABLE,
    applied_migrations,
    check_origin,
    expected_objects,
    objects,
)
from echidna_mcp.events.store import PATIENCE, EventStore, require_store
from echidna_mcp.views.command_log import (
    LOGGED,
    CommandLine,
    command_line,
    command_log_path,
    read_command_lines,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlite_utils import Database

    from echidna_mcp.events.payloads import EventType


_LOG_SECONDS = 0.5
_LAST_IN_COMMIT = frozenset(
    {
        "WorkerStarted",
        "CommandAccepted",
        "CommandRefused",
        "RoundCommitted",
        "CampaignStopped",
        "EvidenceSealed",
        "CertificationSubmitted",
        "CertificationExecuted",
        "CertificationFailed",
    }
)
"""What a commit of a campaign ends with; a store never ends with another event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What an intact store holds.

    Attributes:
        events: number of events.
        rounds: number of the last committed round; 0 if there is none.
        commands: number of accepted commands.
        refused: number of calls of control tools that failed.
        head: digest of the last event, as hex. Whoever keeps it can later prove that
            nothing before it was changed or cut off.
    """

    events: int
    rounds: int
    commands: int
    refused: int
    head: str


def verify(
    path: Path, *, head: str | None = None, other_log: bool = False
) -> Verification:
    """Check every row of a store, and the command log beside it; it may be in use.

    A tail that was cut off leaves a chain that fits. It is found if the command log
    names an event behind the end, or by a digest that was noted earlier.

    Args:
        path: the store.
        head: a digest that the chain must contain, as hex, from an earlier check.
        other_log: whether the command log, if there is one, may be of another campaign,
            edited or broken. The store is the truth; such a log then proves nothing.

    Raises:
        StoreTamperedError: something was changed; `details` name the first bad row as
            `seq`.
        StoreError: the store can't be read.
    """
    # The log before the store: a campaign that goes on writes them the other way round.
    lines = _command_lines(path, other_log=other_log)
    require_store(path)
    with closing(connect(path, "ro", PATIENCE)) as database, store_errors(path):
        check_origin(path, database)
        guard(database, writable=False)
        _check_schema(path, database)
        checker = _Checker(path, lines, head, other_log=other_log)
        try:
            for row in database.execute(
                f"SELECT {COLUMNS} FROM {TABLE} ORDER BY seq"  # noqa: S608 - constants
            ):
                checker.check(row)
        except sqlite3.DatabaseError as error:
            raise StoreTamperedError(
                f"The store {path} is damaged behind event {checker.events}:"
                f" {error}; restore it from a copy.",
                seq=checker.events + 1,
            ) from error
        result = checker.finish()
        _check_pages(path, database)
        if not other_log and command_log_path(path.parent).exists():
            _check_log(path, checker.log)
        return result


def verify_campaign(path: Path, *, other_log: bool = False) -> Verification:
    """Check every row of a store, and that it ends where a commit does.

    Args:
        path: the store; it may be in use.
        other_log: as for `verify`.

    Raises:
        StoreTamperedError: something was changed or cut off.
        StoreError: the store can't be read.
    """
    found = verify(path, other_log=other_log)
    with EventStore.read_only(path) as store:
        last = store.last()
    if last is not None and last.type not in _LAST_IN_COMMIT:
        raise StoreTamperedError(
            f"The store {path} was changed by another program: its end was cut off, "
            f"because no commit ends with {last.type}.",
            seq=last.seq,
        )
    return found


class _Checker:
    """Follows the chain, row by row."""

    def __init__(
        self,
        path: Path,
        lines: Sequence[CommandLine],
        head: str | None,
        *,
        other_log: bool,
    ) -> None:
        self._path = path
        self._lines = {line.seq: line for line in lines if line.seq is not None}
        self._wanted = head
        self._other_log = other_log
        self._digest = GENESIS
        self._at = ""
        self.log: list[tuple[int, bytes]] = []
        """Each command's event and the line of it in the command log."""
        self.events = self._rounds = self._commands = self._refused = 0

    def check(self, stored: tuple[Any, ...]) -> None:
        *values, digest = stored
        row = Row(*values)
        if row.seq != self.events + 1:
            raise self._tampered(self.events + 1, f"event {self.events + 1} is missing")
        try:
            linked = link(self._digest, row)
        except (TypeError, ValueError):
            linked = None
        if linked != digest:
            raise self._tampered(
                row.seq, f"event {row.seq} ({row.type}) does not fit its digest"
            )
        if row.at <= self._at:
            raise self._tampered(
                row.seq, f"event {row.seq} is not later than the one before"
            )
        self.events, self._digest, self._at = row.seq, digest, row.at
        if digest.hex() == self._wanted:
            self._wanted = None
        if row.type == "RoundCommitted":
            self._rounds = row.round
        self._check_command(row)

    def _check_command(self, row: Row) -> None:
        line = self._lines.pop(row.seq, None)
        if row.type in LOGGED:
            self._commands += row.type == "CommandAccepted"
            self._refused += row.type == "CommandRefused"
            try:
                self.log.append((row.seq, _log_line(row)))
            except (ValueError, KeyError, TypeError):
                raise self._tampered(
                    row.seq, f"event {row.seq} is no command"
                ) from None
        if line is None or _is_line_of(line, row):
            return
        if self._other_log:
            self._lines.clear()
        else:
            raise self._tampered(
                row.seq, f"the command log tells something else about event {row.seq}"
            )

    def finish(self) -> Verification:
        if self._lines:
            seq = min(self._lines)
            raise self._tampered(
                seq,
                f"its end was cut off, because the command log names event {seq}"
                f" but the store ends at {self.events}",
            )
        if self._wanted is not None:
            raise self._tampered(
                self.events,
                f"the digest {self._wanted} does not occur in it, so its end was cut"
                " off or its events were written anew",
            )
        return Verification(
            events=self.events,
            rounds=self._rounds,
            commands=self._commands,
            refused=self._refused,
            head=self._digest.hex(),
        )

    def _tampered(self, seq: int, what: str) -> StoreTamperedError:
        return StoreTamperedError(
            f"The store {self._path} was changed by another program: {what}.", seq=seq
        )


def _log_line(row: Row) -> bytes:
    return command_line(
        Event(
            seq=row.seq,
            type=cast("EventType", row.type),
            version=row.version,
            round=row.round,
            worker=row.worker,
            at=row.at,
            payload=json.loads(row.payload),
            digest=b"",
        )
    )


def _check_log(path: Path, expected: Sequence[tuple[int, bytes]]) -> None:
    """Compare the command log with the commands of a store, byte by byte.

    It is read after the store, and a campaign that runs may have gone on since: what it
    has more is no concern of ours.

    Raises:
        StoreTamperedError: a line is missing, too many, in another place or changed.
    """
    log = command_log_path(path.parent)
    found = _raw_lines(log)
    if len(found) < len(expected):
        # A campaign that runs writes the line right after the event.
        time.sleep(_LOG_SECONDS)
        found = _raw_lines(log)
    numbers = {line: number for number, (_, line) in enumerate(expected)}
    for number, (seq, line) in enumerate(expected):
        if number < len(found) and found[number] == line:
            continue
        other = numbers.get(found[number]) if number < len(found) else None
        if number >= len(found) or (other is not None and other > number):
            what = f"the line of event {seq} is missing"
        elif other is not None:
            what = f"line {number + 1} stands there twice"
        else:
            what = f"line {number + 1} is not what event {seq} says"
        raise StoreTamperedError(
            f"The command log {log} is not that of the store: {what}. The store is "
            "intact; when its campaign goes on, the log is written anew.",
            seq=seq,
            line=number + 1,
        )
    for number, line in enumerate(found[len(expected) :], len(expected) + 1):
        if line in numbers or not _is_command(line):
            raise StoreTamperedError(
                f"The command log {log} is not that of the store: line {number} is one "
                "too many. The store is intact; when its campaign goes on, the log is "
                "written anew.",
                line=number,
            )


def _raw_lines(log: Path) -> list[bytes]:
    try:
        return log.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise StoreError(
            f"The command log {log} can't be read: {error.strerror}."
        ) from error


def _is_command(line: bytes) -> bool:
    """Whether a line is of a command that was stored after we looked."""
    try:
        return isinstance(json.loads(line)["seq"], int)
    except (ValueError, KeyError, TypeError):
        return False


def _command_lines(path: Path, *, other_log: bool) -> Sequence[CommandLine]:
    log = command_log_path(path.parent)
    try:
        return read_command_lines(log) if log.exists() else ()
    except StoreError:
        if other_log:
            return ()
        raise


def _is_line_of(line: CommandLine, row: Row) -> bool:
    payload = json.loads(row.payload)
    return (
        row.type in LOGGED
        and (line.timestamp, line.round) == (row.at, row.round)
        and (line.tool, line.args) == (payload["tool"], payload["args"])
    )


def _check_schema(path: Path, database: Database) -> None:
    expected = expected_objects(applied_migrations(database))
    found = objects(database)
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) == found.get(name):
            continue
        what = "is missing" if name not in found else "is not what it should be"
        raise StoreTamperedError(
            f"The store {path} was changed by another program: its {name} {what}.",
            object=name,
        )


def _check_pages(path: Path, database: Database) -> None:
    """Find damage that reading rows in order does not meet, such as in the index."""
    (result,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if result != "ok":
        told = " ".join(str(result).split())
        raise StoreTamperedError(
            f"The store {path} is damaged: {told}; restore it from a copy."
        )

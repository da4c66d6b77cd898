"""200 ways to change a store or its command log: each is found."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.errors import StoreError
from echidna_mcp.events.chain import GENESIS, Row, link
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.command_log import CommandLog, command_log_path

COMMANDS = 12
_Rows = list[list[Any]]
"""seq, type, version, round, worker, at, payload, digest."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of twelve commands, each in a round of its own."""
    directory = tmp_path_factory.mktemp("original")
    with EventStore.create(store_path(directory)) as store:
        store.append([NewEvent(type="WorkerStarted", round=0, worker=0, payload={})])
        for number in range(1, COMMANDS + 1):
            payload = {
                "tool": "inject_transaction",
                "args": {"sequence": [f"deposit({number})"], "value": str(number)},
                "message": f"Injected transaction {number}",
                "key": f"{number:032x}",
            }
            accepted = NewEvent(type="CommandAccepted", round=number, payload=payload)
            store.append([accepted], durable=True)
            done = {"calls": 9 * number, "stateDigest": f"{number:064x}"}
            store.append([NewEvent(type="RoundCommitted", round=number, payload=done)])
        CommandLog(store).catch_up()
    assert verify_campaign(store_path(directory)).commands == COMMANDS
    return directory


def changed_store(change: Callable[[_Rows], object], relink: bool) -> Any:
    """Return a tampering that rewrites the rows of a store, with its guards."""

    def tamper(directory: Path) -> None:
        path = store_path(directory)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            triggers = db.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            rows = [list(row) for row in db.execute("SELECT * FROM events")]
            change(rows)
            if relink:
                chain(rows)
            for name, _ in triggers:
                db.execute(f"DROP TRIGGER {name}")
            db.execute("PRAGMA ignore_check_constraints = 1")
            db.execute("DELETE FROM events")
            db.executemany("INSERT INTO events VALUES(?,?,?,?,?,?,?,?)", rows)
            for _, sql in triggers:
                db.execute(sql)

    return tamper


def chain(rows: _Rows) -> None:
    """Number the rows and compute all digests, as a forger would."""
    digest = GENESIS
    for number, row in enumerate(rows, 1):
        row[0] = number
        digest = row[7] = link(digest, Row(*row[:7]))


def changed_log(change: Callable[[list[bytes]], object]) -> Any:
    """Return a tampering that rewrites the lines of a command log."""

    def tamper(directory: Path) -> None:
        path = command_log_path(directory)
        lines = path.read_bytes().splitlines(keepends=True)
        change(lines)
        path.write_bytes(b"".join(lines))

    return tamper


def edited(row: list[Any], member: str, value: object) -> None:
    payload = json.loads(row[6])
    payload[member] = value
    row[6] = json.dumps(payload, sort_keys=True, separators=(",", ":"))


def swap(items: list[Any], one: int, other: int) -> None:
    items[one], items[other] = items[other], items[one]


def line_edit(lines: list[bytes], at: int, member: str, value: object) -> None:
    line = json.loads(lines[at])
    line[member] = value
    lines[at] = json.dumps(line, separators=(",", ":")).encode() + b"\n"


def flip(row: list[Any], place: int) -> None:
    """Change one character of a payload."""
    at = place % len(row[6])
    other = "x" if row[6][at] != "x" else "y"
    row[6] = row[6][:at] + other + row[6][at + 1 :]


def flip_byte(lines: list[bytes], at: int, place: int) -> None:
    line = bytearray(lines[at])
    line[place % len(line)] ^= 1 << place % 7
    lines[at] = bytes(line)


def of_members(chance: random.Random) -> dict[str, Any]:
    """Return changes of single members of rows."""
    found: dict[str, Any] = {}
    last = 2 * COMMANDS
    fields = {"type": 1, "version": 2, "round": 3, "worker": 4, "at": 5}
    for name, column in fields.items():
        for at in chance.sample(range(last), 6):
            value: Any = "2020-01-01T00:00:00.000000Z" if name == "at" else 77
            value = "StopRequested" if name == "type" else value
            found[f"{name} of row {at}"] = changed_store(
                lambda rows, at=at, c=column, v=value: rows[at].__setitem__(c, v), False
            )
    for at in range(last):
        for place in chance.sample(range(1000), 2):
            found[f"character {place} of the payload of row {at}"] = changed_store(
                lambda rows, at=at, place=place: flip(rows[at], place), False
            )
    return found


def of_rows(chance: random.Random) -> dict[str, Any]:
    """Return changes of rows; some have all their digests computed anew."""
    found: dict[str, Any] = {}
    last = 2 * COMMANDS
    for at in chance.sample(range(last), 10):
        found[f"digest of row {at}"] = changed_store(
            lambda rows, at=at: rows[at].__setitem__(7, bytes(32)), False
        )
        found[f"row {at} deleted"] = changed_store(
            lambda rows, at=at: rows.pop(at), False
        )
        found[f"row {at} doubled, linked anew"] = changed_store(
            lambda rows, at=at: rows.insert(at, list(rows[at])), True
        )
        found[f"row {at} and the next swapped, linked anew"] = changed_store(
            lambda rows, at=at: swap(rows, at, at + 1), True
        )
    for number in range(COMMANDS):
        at = 1 + 2 * number
        found[f"command {number} deleted, linked anew"] = changed_store(
            lambda rows, at=at: rows.pop(at), True
        )
        for member, value in (
            ("message", "Nothing"),
            ("args", {}),
            ("tool", "clear_priorities"),
        ):
            if number % 3 == len(member) % 3:
                found[f"{member} of command {number}, linked anew"] = changed_store(
                    lambda rows, at=at, m=member, v=value: edited(rows[at], m, v), True
                )
    for keep in (4, 8, 12, 16):
        found[f"only {keep} rows are left"] = changed_store(
            lambda rows, keep=keep: rows.__delitem__(slice(keep, None)), False
        )
    return found


def of_lines(chance: random.Random) -> dict[str, Any]:
    """Return changes of the command log."""
    found: dict[str, Any] = {}
    for number in range(COMMANDS):
        for what, change in (
            ("removed", lambda lines, n: lines.pop(n)),
            ("doubled", lambda lines, n: lines.insert(n, lines[n])),
            ("doubled at the end", lambda lines, n: lines.append(lines[n])),
        ):
            found[f"line {number} {what}"] = changed_log(
                lambda lines, n=number, c=change: c(lines, n)
            )
    for member, value in (
        ("timestamp", "2020-01-01T00:00:00.000000Z"),
        ("tool", "clear_priorities"),
        ("args", {}),
        ("result", "refused"),
        ("seq", 3),
        ("round", 99),
        ("message", "Nothing happened"),
    ):
        for number in chance.sample(range(COMMANDS), 3):
            found[f"{member} of line {number}"] = changed_log(
                lambda lines, n=number, m=member, v=value: line_edit(lines, n, m, v)
            )
    for number in chance.sample(range(COMMANDS - 1), 6):
        found[f"line {number} and the next swapped"] = changed_log(
            lambda lines, n=number: swap(lines, n, n + 1)
        )
    for number in range(COMMANDS):
        place = chance.randrange(1000)
        found[f"byte {place} of line {number}"] = changed_log(
            lambda lines, n=number, place=place: flip_byte(lines, n, place)
        )
    found["the end of the log torn"] = changed_log(
        lambda lines: lines.__setitem__(-1, lines[-1][:-9])
    )
    return found


def tamperings() -> dict[str, Any]:
    """Return 200 different tamperings by what they do, drawn from one seed."""
    chance = random.Random(20)
    found = of_members(chance) | of_rows(chance) | of_lines(chance)
    return dict(chance.sample(sorted(found.items()), 200))


TAMPERINGS = tamperings()


def test_there_are_200():
    assert len(TAMPERINGS) == 200


@pytest.mark.parametrize("name", TAMPERINGS)
def test_every_tampering_is_found(original, tmp_path, name):
    copy = tmp_path / "copy"
    shutil.copytree(original, copy)
    TAMPERINGS[name](copy)
    with pytest.raises(StoreError) as caught:
        verify_campaign(store_path(copy))
    assert str(copy) in caught.value.message

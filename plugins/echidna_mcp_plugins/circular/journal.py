"""What was signed and sent, so that no crash makes a certification happen twice.

A line is written, and is on the disk, before a transaction is sent for the first time.
It names everything but the data that makes the transaction, and signatures are
deterministic: who brings the same data makes the same bytes again.

Processes share it. Each is a life with a lock of its own, by which the others see that
it goes on; what a life left open when it ended is finished by those after it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from echidna_mcp_plugins.circular.database import Database
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import CircularError, unavailable
from echidna_mcp_plugins.circular.locks import (
    WAIT_SECONDS,
    lock_now,
    locked,
    make_directory,
)
from echidna_mcp_plugins.circular.transaction import Transaction
from echidna_mcp_plugins.circular.wallets import Wallet

FILE: Final = "journal.db"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS lives (life INTEGER PRIMARY KEY AUTOINCREMENT);
CREATE TABLE IF NOT EXISTS certifications (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    life INTEGER NOT NULL,
    network TEXT NOT NULL,
    blockchain TEXT NOT NULL,
    sender TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    key TEXT,
    id TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS numbers (
    life INTEGER NOT NULL,
    network TEXT NOT NULL,
    blockchain TEXT NOT NULL,
    sender TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (life, network, blockchain, sender)
);
CREATE INDEX IF NOT EXISTS by_id ON certifications (id);
CREATE INDEX IF NOT EXISTS by_key ON certifications (key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_sha256 ON certifications (sha256);
"""
_COLUMNS: Final = "sha256, id, nonce, timestamp"
_SELECT: Final = (
    f"SELECT {_COLUMNS} FROM certifications"  # noqa: S608 - constants
    " WHERE network = ? AND blockchain = ? AND sender = ?"
)
_NUMBERS: Final = "FROM numbers WHERE network = ? AND blockchain = ? AND sender = ?"


class State(StrEnum):
    """How far a certification is known to be."""

    SIGNED = "signed"
    """It may have been sent; no answer is known."""
    ACCEPTED = "accepted"
    """A node has it."""
    EXECUTED = "executed"
    """It was seen in a block."""
    VOID = "void"
    """It never will be in one: refused, rejected, or another has its number."""


@dataclass(frozen=True, slots=True)
class Record:
    """One certification.

    Attributes:
        sha256: of the data, in hexadecimal digits.
        id: of the transaction.
        nonce: of the transaction.
        timestamp: of the transaction, in the form of the protocol.
    """

    sha256: str
    id: str
    nonce: int
    timestamp: str


class Journal:
    """The certifications of one directory, in one life; made by `open_journal`."""

    def __init__(self, directory: Path) -> None:
        """Begin a life; whoever does has the lock of the file.

        Every method raises a `CircularError`, API_UNAVAILABLE, if the file can't be
        read or written any more.

        Raises:
            CircularError: INVALID_INPUT, the directory can't be used.
        """
        self._directory = directory
        self._file = Database(
            directory, FILE, _SCHEMA, survives_power_cuts=True, shared=True
        )
        self._life: int | None = None
        alive = None
        try:
            with self._change():
                self._bury()
                # A number whose lock is taken is from a file that was taken away.
                while alive is None:
                    text = "INSERT INTO lives DEFAULT VALUES"
                    self._life = self._execute(text).lastrowid
                    alive = lock_now(self._sign_of(self._life))
        except BaseException:
            self._file.close()
            raise
        self._alive = alive

    def close(self) -> None:
        """End the life."""
        # If that can't be written, the next life sees by the lock that it has ended.
        with suppress(CircularError):
            self._execute("DELETE FROM lives WHERE life = ?", self._life)
        self._file.close()
        self._alive.release()
        self._remove_sign(self._life)

    # --------------------------------------------------------------------- lives

    def _bury(self) -> None:
        """Take away the lives that have ended without saying so, within a change.

        Nobody else looks at the locks of lives meanwhile: who tries one has it for a
        moment, and would seem to be the life.
        """
        others = "SELECT life FROM lives WHERE life IS NOT ?"
        for (life,) in self._execute(others, self._life).fetchall():
            lock = lock_now(self._sign_of(life))
            if lock is not None:
                self._execute("DELETE FROM lives WHERE life = ?", life)
                lock.release()
                self._remove_sign(life)
        self._execute("DELETE FROM numbers WHERE life NOT IN (SELECT life FROM lives)")

    def _sign_of(self, life: int | None) -> Path:
        return self._directory / f"life-{life}"

    def _remove_sign(self, life: int | None) -> None:
        sign = self._sign_of(life)
        # What stays is an empty sign of a number that never is used again.
        with suppress(OSError):
            sign.with_name(f"{sign.name}.lock").unlink(missing_ok=True)

    # ------------------------------------------------------------------- reading

    def with_key(self, wallet: Wallet, key: str) -> Record | None:
        """Return what was certified under an idempotency key and is not void."""
        text = f"{_SELECT} AND key = ? AND state != 'void' ORDER BY number DESC"
        return self._one(text, *_place(wallet), key)

    def unfinished(self, wallet: Wallet, document: Document) -> Record | None:
        """Return a certification of the same data whose caller may not know of it.

        It has no idempotency key, and either no answer to it is known, or it was
        accepted in a life that has ended and never seen executed. What another life
        has begun that goes on is left to that one: its caller repeats the call there.
        """
        text = (
            f"{_SELECT} AND key IS NULL AND sha256 = ? AND size = ? AND"  # noqa: S608
            " ((state = 'signed' AND life = ?) OR (state IN ('signed', 'accepted')"
            " AND life NOT IN (SELECT life FROM lives))) ORDER BY number"
        )
        with self._change():
            self._bury()
        asked = document.sha256, document.size, self._life
        return self._one(text, *_place(wallet), *asked)

    def knows(self, identity: str) -> bool:
        """Whether a transaction was sent from here."""
        text = "SELECT 1 FROM certifications WHERE id = ?"
        return self._execute(text, identity).fetchone() is not None

    def _one(self, text: str, *values: object) -> Record | None:
        row = self._execute(f"{text} LIMIT 1", *values).fetchone()
        return None if row is None else Record(*row)

    def next_number(self, wallet: Wallet, last_on_chain: int) -> int:
        """Return the next nonce; a node may not yet tell the last one it accepted."""
        row = self._execute(f"SELECT max(last) {_NUMBERS}", *_place(wallet)).fetchone()
        return max(last_on_chain, row[0] or 0) + 1

    # ------------------------------------------------------------------- writing

    def signed(
        self,
        wallet: Wallet,
        document: Document,
        transaction: Transaction,
        key: str | None,
    ) -> None:
        """Write down a transaction that is about to be sent."""
        self._execute(
            "INSERT INTO certifications (life, network, blockchain, sender, sha256,"
            " size, key, id, nonce, timestamp, body, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._life,
            *_place(wallet),
            document.sha256,
            document.size,
            key,
            transaction.id,
            transaction.nonce,
            transaction.timestamp,
            transaction.body_sha256(),
            State.SIGNED,
        )

    def accepted(self, identity: str) -> None:
        """Write down that a node has a transaction, and that this life knows it."""
        with self._change():
            text = "UPDATE certifications SET life = ?, state = 'accepted' WHERE id = ?"
            self._execute(text, self._life, identity)
            self._execute(
                "INSERT INTO numbers SELECT life, network, blockchain, sender, nonce"
                " FROM certifications WHERE id = ? LIMIT 1"
                " ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
                identity,
            )

    def forget_numbers(self, wallet: Wallet) -> None:
        """Trust the chain alone: it does not agree with what was accepted."""
        self._execute(f"DELETE {_NUMBERS}", *_place(wallet))

    def executed(self, identity: str) -> None:
        """Write down that a transaction was seen in a block."""
        self._set(State.EXECUTED, identity)

    def void(self, identity: str) -> None:
        """Write down that a transaction never will be in a block."""
        self._set(State.VOID, identity)

    def _set(self, state: State, identity: str) -> None:
        text = "UPDATE certifications SET state = ? WHERE id = ?"
        self._execute(text, state, identity)

    def _execute(self, text: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._file.connection.execute(text, values)
        except sqlite3.Error as error:
            raise _unusable(error) from error

    @contextmanager
    def _change(self) -> Iterator[None]:
        try:
            with self._file.change():
                yield
        except sqlite3.Error as error:
            raise _unusable(error) from error


@asynccontextmanager
async def open_journal(directory: Path) -> AsyncIterator[Journal]:
    """Open the journal of a directory, which is made if there is none.

    Raises:
        CircularError: INVALID_INPUT, the directory can't be used; API_UNAVAILABLE,
            other processes were opening it all the time.
    """
    make_directory(directory)
    async with locked(directory / FILE, time.monotonic() + WAIT_SECONDS):
        journal = Journal(directory)
    try:
        yield journal
    finally:
        journal.close()


def _unusable(error: sqlite3.Error) -> CircularError:
    return unavailable(
        f"The journal of certifications can't be used ({error}): look after its disk."
    )


def _place(wallet: Wallet) -> tuple[str, str, str]:
    return wallet.network, wallet.blockchain, wallet.address

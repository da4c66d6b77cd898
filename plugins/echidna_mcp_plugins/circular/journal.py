"""What was signed and sent, so that no crash makes a certification happen twice.

A line is written, and is on the disk, before a transaction is sent for the first time.
It names everything but the data that makes the transaction, and signatures are
deterministic: who brings the same data makes the same bytes again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from echidna_mcp_plugins.circular.database import Database
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import unavailable
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
CREATE INDEX IF NOT EXISTS by_id ON certifications (id);
CREATE INDEX IF NOT EXISTS by_key ON certifications (key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_sha256 ON certifications (sha256);
"""
_COLUMNS: Final = "sha256, id, nonce, timestamp"
_SELECT: Final = (
    f"SELECT {_COLUMNS} FROM certifications"  # noqa: S608 - constants
    " WHERE network = ? AND blockchain = ? AND sender = ?"
)


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
    """The certifications of one directory; one process has it at a time."""

    def __init__(self, directory: Path) -> None:
        """Open the journal of a directory, which is made if there is none.

        Every method raises a `CircularError`, API_UNAVAILABLE, if the file can't be
        read or written any more.

        Raises:
            CircularError: INVALID_INPUT, the directory can't be used.
        """
        self._file = Database(directory, FILE, _SCHEMA, survives_power_cuts=True)
        try:
            self._life = self._execute("INSERT INTO lives DEFAULT VALUES").lastrowid
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the next process have it."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------- reading

    def with_key(self, wallet: Wallet, key: str) -> Record | None:
        """Return what was certified under an idempotency key and is not void."""
        text = f"{_SELECT} AND key = ? AND state != 'void' ORDER BY number DESC"
        return self._one(text, *_place(wallet), key)

    def unfinished(self, wallet: Wallet, document: Document) -> Record | None:
        """Return a certification of the same data whose caller may not know of it.

        It has no idempotency key, and either no answer to it is known, or it was
        accepted in an earlier life of the process and never seen executed.
        """
        text = (
            f"{_SELECT} AND key IS NULL AND sha256 = ? AND size = ? AND"
            " (state = 'signed' OR (state = 'accepted' AND life != ?)) ORDER BY number"
        )
        asked = document.sha256, document.size, self._life
        return self._one(text, *_place(wallet), *asked)

    def knows(self, identity: str) -> bool:
        """Whether a transaction was sent from here."""
        text = "SELECT 1 FROM certifications WHERE id = ?"
        return self._execute(text, identity).fetchone() is not None

    def _one(self, text: str, *values: object) -> Record | None:
        row = self._execute(f"{text} LIMIT 1", *values).fetchone()
        return None if row is None else Record(*row)

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
        text = "UPDATE certifications SET life = ?, state = 'accepted' WHERE id = ?"
        self._execute(text, self._life, identity)

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
            raise unavailable(
                f"The journal of certifications can't be used ({error}): look after its"
                " disk."
            ) from error


def _place(wallet: Wallet) -> tuple[str, str, str]:
    return wallet.network, wallet.blockchain, wallet.address

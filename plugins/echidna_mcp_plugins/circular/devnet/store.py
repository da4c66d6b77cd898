"""The file of a devnet: its blocks, transactions and wallets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from echidna_mcp_plugins.circular.database import Database

FILE: Final = "chain.db"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS blocks (
    number INTEGER PRIMARY KEY,
    timestamp TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    transactions TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS wallets (
    address TEXT PRIMARY KEY,
    public_key TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    balance INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS transactions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    nonce INTEGER NOT NULL,
    signature TEXT NOT NULL,
    fee INTEGER NOT NULL,
    fate TEXT NOT NULL,
    status TEXT NOT NULL,
    block INTEGER
);
CREATE INDEX IF NOT EXISTS by_sender ON transactions (sender);
CREATE INDEX IF NOT EXISTS open ON transactions (number) WHERE block IS NULL;
"""
_COLUMNS: Final = (
    "id, sender, recipient, timestamp, kind, payload, nonce, signature, fee, fate,"
    " status, block"
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM transactions"  # noqa: S608 - constants
_PLACES: Final = ", ".join("?" * (_COLUMNS.count(",") + 1))
_INSERT: Final = (
    f"INSERT INTO transactions ({_COLUMNS})"  # noqa: S608 - constants
    f" VALUES ({_PLACES})"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Attributes:
        number: from 0, the one that begins the chain.
        timestamp: when it was made, in the form of the protocol.
        previous: hash of the block before.
        hash: over everything else.
        transactions: ids, in the order in which they were sent.
    """

    number: int
    timestamp: str
    previous: str
    hash: str
    transactions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WalletRow:
    """A registered wallet.

    Attributes:
        address: 64 hexadecimal digits.
        public_key: as it was registered: 128, 130 or 66 digits.
        nonce: of its last transaction, pending ones included.
        balance: millionths of a CIRX.
    """

    address: str
    public_key: str
    nonce: int
    balance: int


@dataclass(frozen=True, slots=True)
class TransactionRow:
    """A transaction that was accepted.

    Attributes:
        fee: millionths of a CIRX.
        fate: status that it will have in its block.
        status: the one that it has.
        block: number of its block, None as long as it is in none.
    """

    id: str
    sender: str
    recipient: str
    timestamp: str
    kind: str
    payload: str = field(repr=False)
    nonce: int
    signature: str = field(repr=False)
    fee: int
    fate: str
    status: str
    block: int | None


class ChainStore:
    """The file of a devnet; one process has it at a time."""

    def __init__(self, directory: Path) -> None:
        """Open the file in a directory, which is made if there is none.

        Raises:
            CircularError: INVALID_INPUT, it can't be used.
        """
        # A chain for tests need not outlive a power cut.
        self._file = Database(directory, FILE, _SCHEMA, survives_power_cuts=False)
        self._database = self._file.connection

    def close(self) -> None:
        """Let the next process have it."""
        self._file.close()

    def change(self) -> AbstractContextManager[None]:
        """Write everything within the block, or nothing."""
        return self._file.change()

    # ------------------------------------------------------------------- blocks

    def block_count(self) -> int:
        """Return how many blocks there are."""
        found = self._database.execute("SELECT count(*) FROM blocks").fetchone()
        return int(found[0])

    def blocks(self, first: int, last: int) -> list[Block]:
        """Return the blocks of a range, both ends included."""
        text = "SELECT * FROM blocks WHERE number BETWEEN ? AND ? ORDER BY number"
        rows = self._database.execute(text, (first, last))
        return [
            Block(number, timestamp, previous, digest, tuple(json.loads(listed)))
            for number, timestamp, previous, digest, listed in rows
        ]

    def add_block(self, block: Block) -> None:
        """Append a block."""
        values = block.number, block.timestamp, block.previous, block.hash
        listed = json.dumps(block.transactions)
        text = "INSERT INTO blocks VALUES (?, ?, ?, ?, ?)"
        self._database.execute(text, (*values, listed))

    # ------------------------------------------------------------------ wallets

    def wallet(self, address: str) -> WalletRow | None:
        """Return a wallet, None if it is not registered."""
        text = "SELECT address, public_key, nonce, balance FROM wallets"
        row = self._database.execute(f"{text} WHERE address = ?", (address,)).fetchone()
        return None if row is None else WalletRow(*row)

    def put_wallet(self, wallet: WalletRow) -> None:
        """Write a wallet, new or known."""
        self._database.execute(
            "INSERT OR REPLACE INTO wallets (address, public_key, nonce, balance)"
            " VALUES (?, ?, ?, ?)",
            (wallet.address, wallet.public_key, wallet.nonce, wallet.balance),
        )

    # ------------------------------------------------------------- transactions

    def transaction(self, identity: str) -> TransactionRow | None:
        """Return a transaction, None if there is none."""
        return next(self._rows(f"{_SELECT} WHERE id = ?", identity), None)

    def open_transactions(self) -> list[TransactionRow]:
        """Return the transactions that are in no block, in the order of arrival."""
        return list(self._rows(f"{_SELECT} WHERE block IS NULL ORDER BY number"))

    def transactions_of(
        self, address: str, first: int, last: int
    ) -> list[TransactionRow]:
        """Return what a wallet sent or got in a range of blocks."""
        text = (
            f"{_SELECT} WHERE (sender = ? OR recipient = ?)"
            " AND block BETWEEN ? AND ? ORDER BY number"
        )
        return list(self._rows(text, address, address, first, last))

    def add_transaction(self, row: TransactionRow) -> None:
        """Append a transaction."""
        values = [getattr(row, name) for name in TransactionRow.__slots__]
        self._database.execute(_INSERT, values)

    def place(self, identity: str, status: str, block: int | None) -> None:
        """Write how far a transaction is."""
        text = "UPDATE transactions SET status = ?, block = ? WHERE id = ?"
        self._database.execute(text, (status, block, identity))

    def _rows(self, text: str, *values: Any) -> Iterator[TransactionRow]:
        for row in self._database.execute(text, values).fetchall():
            yield TransactionRow(*row)

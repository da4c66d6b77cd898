"""Events appended per second, beside plain `sqlite3` on the same rows.

Run it: `python tests/bench/bench_store.py`. The ratio is what our guards, digests and
canonical JSON cost; both columns come from the same run, taken in turns.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore

TABLE = """
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, type TEXT NOT NULL, version INTEGER NOT NULL,
  round INTEGER NOT NULL, worker INTEGER, at TEXT NOT NULL,
  payload TEXT NOT NULL, digest BLOB NOT NULL
) STRICT
"""
EVENT = NewEvent(
    type="TransactionExecuted",
    round=12,
    worker=3,
    payload={
        "function": "transfer(address,uint256)",
        "args": ["0x" + "ab" * 20, str(2**255)],
        "sender": "0x0000000000000000000000000000000000010000",
        "value": "0",
        "gasUsed": 51234,
        "result": "STOPPED",
    },
)


def append_store(path: Path, count: int, batch: int) -> None:
    """Append `count` events in batches through the event store."""
    with EventStore.create(path) as store:
        for _ in range(count // batch):
            store.append([EVENT] * batch)


def append_plain(path: Path, count: int, batch: int) -> None:
    """Insert as many ready rows of that size with `executemany`."""
    row = (EVENT.type, 1, 12, 3, "2025-12-20T10:30:45.000000Z", "x" * 270, bytes(32))
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("PRAGMA synchronous=NORMAL")
        plain.execute(TABLE)
        for start in range(1, count + 1, batch):
            plain.execute("BEGIN IMMEDIATE")
            plain.executemany(
                "INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                [(seq, *row) for seq in range(start, start + batch)],
            )
            plain.execute("COMMIT")


def rate(append: Callable[[Path, int, int], None], count: int, batch: int) -> float:
    """Return events per second."""
    with tempfile.TemporaryDirectory() as directory:
        start = time.perf_counter()
        append(Path(directory) / "campaign.db", count, batch)
        return count / (time.perf_counter() - start)


def main() -> None:
    """Print one line for each size of a batch."""
    print(f"{'batch':>5} {'store ev/s':>12} {'sqlite3 ev/s':>14} {'ratio':>6}")
    for batch, count in ((1, 3_000), (10, 10_000), (100, 20_000)):
        pairs = [
            (rate(append_store, count, batch), rate(append_plain, count, batch))
            for _ in range(3)
        ]
        ours = statistics.median(store for store, _ in pairs)
        plain = statistics.median(plain for _, plain in pairs)
        print(f"{batch:>5} {ours:>12,.0f} {plain:>14,.0f} {ours / plain:>6.2f}")


if __name__ == "__main__":
    main()

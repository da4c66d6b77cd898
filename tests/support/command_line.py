"""The command line in this process, and small targets that need no compiler."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evm_assembler import assemble, creation_code
from live_server import until

from echidna_mcp.cli.main import main
from echidna_mcp.errors import StoreError
from echidna_mcp.events.store import EventStore

SMALL = (
    *("--executor", "inline", "--workers", "2"),
    *("--round-budget", "2000", "--test-limit", "40", "--seq-len", "10"),
)
"""A campaign of a fraction of a second."""

UNLIMITED = (*SMALL, "--test-limit", 10**9)
"""One that has to be stopped."""

RETURN_TRUE = assemble(1, 0, "MSTORE", 32, 0, "RETURN")
"""Code that answers every call with true."""

RETURN_FALSE = assemble(0, 0, "MSTORE", 32, 0, "RETURN")
FOR_EVER = assemble("again: @again JUMP")
FOR_EVER_SLOWLY = assemble(
    "again:", *[2**256 - 189, 2**255 + 977, "DUP1 MULMOD POP"] * 40, "@again JUMP"
)
"""Gas lasts long: even compiled code needs ten seconds for that of a constructor."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    def refusal(self) -> str:
        """Return the one sentence that a refused command prints, and nothing else."""
        assert (self.code, self.out) == (2, ""), self
        *usage, last = self.err.splitlines()
        # What click itself refuses has two lines on how to use the command before it.
        assert not usage or (usage[0].startswith("Usage: ") and len(usage) == 3), self
        assert re.fullmatch(r"Error: \S.*\S", last), self
        return last.removeprefix("Error: ")


def invoke(*arguments: object) -> Outcome:
    """Run the console script with arguments, in this process."""
    words = ["echidna-mcp", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with patch("sys.argv", words), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as leave:
            code = int(leave.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def stopped(*arguments: object) -> Outcome:
    """Run a campaign without end until its next round, then interrupt it."""
    before = _rounds()

    def interrupt() -> None:
        until(lambda: _rounds() != before, "a round")
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    try:
        return invoke(*arguments)
    finally:
        watcher.join()


def _rounds() -> dict[Path, int]:
    """Return how many rounds each campaign below the working directory has."""
    found = {}
    for path in Path.cwd().rglob("campaign.db"):
        with suppress(StoreError), EventStore.read_only(path) as store:
            found[path] = len(list(store.read(types=("RoundCommitted",))))
    return {path: number for path, number in found.items() if number}


def function(
    name: str,
    inputs: Sequence[Mapping[str, Any]] = (),
    outputs: Sequence[str] = (),
    mutability: str = "nonpayable",
) -> dict[str, Any]:
    """Return an ABI entry."""
    return {
        "type": "function",
        "name": name,
        "stateMutability": mutability,
        "inputs": list(inputs),
        "outputs": [{"name": "", "type": kind} for kind in outputs],
    }


def parameter(kind: str, components: Sequence[Mapping[str, Any]] = ()) -> Any:
    """Return the ABI entry of a parameter."""
    return {"name": "", "type": kind, "components": list(components)}


POKE = function("poke", [parameter("uint256")])
HOLDS = function("echidna_holds", outputs=["bool"])


def artifact(
    path: Path,
    abi: Iterable[Mapping[str, Any]] = (POKE, HOLDS),
    *,
    runtime: bytes = RETURN_TRUE,
    creation: bytes | None = None,
) -> Path:
    """Write a contract as foundry does; its name is that of the file."""
    code = creation_code(runtime) if creation is None else creation
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(
            {
                "abi": list(abi),
                "bytecode": {"object": "0x" + code.hex()},
                "deployedBytecode": {"object": "0x" + runtime.hex()},
            }
        ),
        "utf-8",
    )
    return path


def tamper(directory: Path, *statements: str) -> None:
    """Change a store as another program can, and leave its triggers as they were."""
    with closing(
        sqlite3.connect(directory / "campaign.db", isolation_level=None)
    ) as db:
        triggers = db.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        db.execute("PRAGMA ignore_check_constraints = 1")
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            db.execute(statement)
        for _, sql in triggers:
            db.execute(sql)


def files(directory: Path) -> dict[str, bytes | None]:
    """Return everything below a directory; None stands for a directory.

    What SQLite leaves behind after reading, an index and an empty log, does not count.
    """
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(directory.rglob("*"))
        if not path.name.endswith("-shm")
        and not (path.name.endswith("-wal") and path.stat().st_size == 0)
    }

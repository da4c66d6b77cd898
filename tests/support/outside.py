"""Campaigns on contracts of OpenZeppelin, solmate and solady, by the command line.

`tests/outside/contracts` holds one harness a file. What they import comes from the npm
packages that `tests/package.json` pins.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from live_server import command
from solc import require_packages

from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.program.compiler import CompileRequest
from echidna_mcp.program.model import Program
from echidna_mcp_plugins.compilers.solidity.solcjs import SolcJs
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

HARNESSES: Final = Path(__file__).parents[1] / "outside" / "contracts"
CALLS: Final[Mapping[str, int]] = {
    "CloneNursery": 300_000,
    "DelayedAdmin": 50_000,
    "PermitToken": 50_000,
    "SharesVault": 150_000,
    "Signatures": 2_000,
    "SoladyClones": 60_000,
    "SoladyToken": 300_000,
    "SolmateDeployer": 60_000,
    "SolmateToken": 50_000,
    "TransientBank": 300_000,
}
"""Every harness, and how many calls take seconds: hot code is built in the background
after a fraction of a second, and comes while the search goes on."""

EXECUTORS: Final = ("threads:2", "inline", "processes:2")
MODES: Final = ("off", "background", "at-once")
"""Of hot code."""

ACCIDENTS: Final = frozenset(["TaskAbandoned", "FalsificationDisputed"])
"""Events that no campaign on a correct EVM holds."""

_TEST_SECONDS = 500
_PATIENCE = "Still "
"""How a line on stderr begins that only says that the machine is busy."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a campaign found, and what its store holds."""

    digest: str
    falsified: frozenset[str]
    events: frozenset[str]


def harness_program(name: str) -> Program:
    """Compile a harness."""
    packages = require_packages("@openzeppelin/contracts", "solmate", "solady")
    return SolcJs().compile(
        CompileRequest(
            target=HARNESSES / f"{name}.sol",
            contract=name,
            solc_args="--evm-version cancun --optimize",
            allow_paths=(packages,),
        )
    )


def compile_harness(name: str, directory: Path) -> Path:
    """Compile a harness; return an artifact that needs neither compiler nor sources."""
    artifact = directory / f"{name}.json"
    artifact.write_text(json.dumps(harness_program(name).to_json()), "utf-8")
    return artifact


def run_harness(
    artifact: Path,
    directory: Path,
    calls: int,
    *,
    executor: str = "inline",
    mode: str = "off",
    cache: Path | None = None,
) -> Outcome:
    """Fuzz an artifact in a fresh process; a test must fall, and nothing else happen.

    Args:
        artifact: from `compile_harness`.
        directory: of the campaign; it must not exist.
        calls: the test limit.
        executor: as for `--executor`.
        mode: of hot code.
        cache: where machine code is kept, instead of where other tests keep it. In an
            empty directory, all of it is built anew.
    """
    words = command(
        *("run", artifact, "--corpus-dir", directory, "--executor", executor),
        *("--seed", 7, "--workers", 4, "--round-budget", 500_000, "--shrink-limit", 99),
        *("--test-limit", calls, "--format", "json"),
    )
    chosen = {HOT_VARIABLE: mode}
    if cache is not None:
        chosen["ECHIDNA_MCP_CACHE"] = str(cache)
    done = subprocess.run(
        words,
        env={**os.environ, **chosen},
        capture_output=True,
        text=True,
        timeout=_TEST_SECONDS,
        check=False,
    )
    said = [each for each in done.stderr.splitlines() if not each.startswith(_PATIENCE)]
    assert (done.returncode, said) == (1, []), done
    report = json.loads(done.stdout)
    assert report["reason"] == "TestLimitReached", report["reason"]
    with EventStore.read_only(store_path(directory)) as store:
        events = frozenset(event.type for event in store.read())
    assert not events & ACCIDENTS
    return Outcome(
        digest=report["stateDigest"],
        falsified=frozenset(
            test["name"] for test in report["tests"] if test["status"] == "falsified"
        ),
        events=events,
    )

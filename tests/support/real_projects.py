"""Campaigns on harnesses that use released packages, and what they did.

`tests/projects/contracts` has a harness and its configuration a project. A harness is
deployed with one argument: whether it has its bug. What it imports, and the compilers
that its pragma asks for, come from the npm packages that `tests/projects/package.json`
pins.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from command_line import invoke

from echidna_mcp.events.store import EventStore, store_path

PROJECTS: Final = Path(__file__).parents[1] / "projects"
HARNESSES: Final[Mapping[str, int]] = {
    "AavePool": 4_000,
    "FuzzlibSavings": 4_000,
    "MorphoBlue": 20_000,
    "OpenZeppelinToken": 20_000,
    "OpenZeppelinVaults": 20_000,
    "PrbMath": 4_000,
    "SoladyToken": 20_000,
    "SolmateToken": 20_000,
    "SolmateVault": 20_000,
    "UniswapV2": 20_000,
    "UniswapV3Math": 4_000,
    "UniswapV4": 20_000,
}
"""Every harness, and how many calls make each function succeed, and find the bug."""

MAXIMIZED: Final = "Nothing is maximized in "
"""What is told of suites that also say what they would have maximized."""

ACCIDENTS: Final = frozenset(["TaskAbandoned", "FalsificationDisputed"])
"""Events that no campaign on a correct EVM holds."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """What a campaign did.

    Attributes:
        code: exit code of the command.
        calls: how many were made.
        digest: of the state at the end.
        statuses: of each test.
        succeeded: calls that got through, by function.
        silent: functions of which none did. The fallback does not count by which
            time passes for a target that has nothing but tests.
        found_at: calls made when the round ended in which the first test fell; None if
            none did.
    """

    code: int
    calls: int
    digest: str
    statuses: Mapping[str, str]
    succeeded: Mapping[str, int]
    silent: frozenset[str]
    found_at: int | None


def harness_words(name: str, *, planted: bool = False) -> tuple[object, ...]:
    """Return the target and the options by which a command takes a harness."""
    contracts = PROJECTS / "contracts"
    return (
        contracts / f"{name}.sol",
        *("--contract", name, "--config", contracts / f"{name}.yaml"),
        *("--constructor-args", str(planted).lower()),
    )


def fuzz_harness(
    name: str, directory: Path, calls: int, *words: object, planted: bool = False
) -> Campaign:
    """Fuzz a harness.

    Args:
        name: of the harness.
        directory: of the campaign; it must not exist.
        calls: the test limit.
        words: further options.
        planted: whether the harness has its bug.

    Returns:
        What was done until the limit, or until every test was decided.
    """
    target, *meant = harness_words(name, planted=planted)
    return fuzz(
        *(target, directory, calls, *meant),
        *("--workers", 4, "--round-budget", 300_000, "--shrink-limit", 200),
        *("--executor", "inline", *words),
    )


def fuzz(target: object, directory: Path, calls: int, *words: object) -> Campaign:
    """Fuzz a target as its configuration says; arguments as of `fuzz_harness`."""
    done = invoke(
        *("run", target, "--corpus-dir", directory, "--format", "json"),
        *("--seed", 7, "--test-limit", calls, *words),
    )
    assert done.code in (0, 1, 4), done
    report = json.loads(done.out)
    others = [told for told in report["notHonoured"] if MAXIMIZED not in told]
    assert not others, others
    with EventStore.read_only(store_path(directory)) as store:
        return _campaign(done.code, report, list(store.read()))


def _campaign(code: int, report: Mapping[str, Any], events: list[Any]) -> Campaign:
    assert not {event.type for event in events} & ACCIDENTS
    called: Counter[str] = Counter()
    succeeded: Counter[str] = Counter()
    fell, found_at = False, None
    passes_time = f"{report['contract'].rpartition(':')[2]}.fallback()"
    for event in events:
        fell = fell or event.type == "PropertyFalsified"
        if event.type == "RoundCommitted":
            called.update(event.payload["functions"])
            succeeded.update(event.payload["functions"])
            succeeded.subtract(event.payload.get("failed", {}))
            if fell and found_at is None:
                found_at = event.payload["totalCalls"]
    return Campaign(
        code=code,
        calls=report["calls"],
        digest=report["stateDigest"],
        statuses={test["name"]: test["status"] for test in report["tests"]},
        succeeded=+succeeded,
        silent=frozenset(called) - frozenset(+succeeded) - {passes_time},
        found_at=found_at,
    )

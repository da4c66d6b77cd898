"""Suites with handlers beside forge: whole processes, compilation included.

Each suite of `suites` is an invariant test of Foundry that calls a handler, or itself,
with pranks, `bound` and assertions of cheatcodes. Forge runs it plainly and guided by
coverage, we as `echidna-mcp run` does, in turn. Each gets about the same processor time
and compiles the project with the same npm package of solc, forge through a script,
because it takes nothing but programs; calls are divided by the processor time of all
its processes. Our cache holds the machine code of the engine, which an installation
builds once, and nothing of the project.

The packages are those of `nox -s foundry`.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge import COMPILER, find_forge

SECONDS = 30.0
PAIRS = 5
SUITES = ("TokenInvariants", "ActorInvariants", "VaultInvariants")
DEPTH = 100
NOT_EXERCISED = 4
"""The exit code of `echidna-mcp run` that says so."""
HERE = Path(__file__).resolve().parent
PACKAGES = HERE.parent / "foundry" / "node_modules"

_PROJECT = f"""\
[profile.default]
libs = ["node_modules"]
remappings = [
    "@openzeppelin/contracts/=node_modules/@uniswap/v4-core/lib/openzeppelin-contracts/contracts/",
    "forge-std/=node_modules/@uniswap/v4-core/lib/forge-std/src/",
]
auto_detect_remappings = false
optimizer = true
optimizer_runs = 200

[invariant]
depth = {DEPTH}
"""
_CALLS = re.compile(r"\(runs: \d+, calls: (\d+)")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process tree did: calls, and seconds of processor time."""

    calls: int
    seconds: float

    @property
    def rate(self) -> float:
        """Calls a second."""
        return self.calls / self.seconds


class Race:
    """A project that both run."""

    def __init__(self, directory: Path, forge: Path) -> None:
        self._project = directory / "project"
        self._forge = forge
        shutil.copytree(HERE / "suites", self._project)
        (self._project / "foundry.toml").write_text(_PROJECT, "utf-8")
        (self._project / "node_modules").symlink_to(PACKAGES)
        compiler = self._project / "solc"
        compiler.write_text(COMPILER.format(package=PACKAGES / "solc"), "utf-8")
        compiler.chmod(0o755)
        self._engine = directory / "engine"
        self._cache = directory / "cache"
        demo = directory / "demo"
        demo.mkdir()
        # One call fails or not; it is the engine that this builds.
        self._run(
            [*_OURS, "run", "--test-limit", "1"],
            {"ECHIDNA_MCP_CACHE": str(self._engine), "ECHIDNA_MCP_HOT_CODE": "off"},
            demo,
            expected=(0, NOT_EXERCISED),
        )

    def forge(self, suite: str, runs: int, *, guided: bool) -> Spent:
        """Run a suite with forge, from nothing."""
        for folder in ("out", "cache", "corpus"):
            shutil.rmtree(self._project / folder, ignore_errors=True)
        words = [str(self._forge), "test", "-j", "1", "--use", "./solc", "--offline"]
        environment = {"FOUNDRY_INVARIANT_RUNS": str(runs)}
        if guided:
            environment["FOUNDRY_INVARIANT_CORPUS_DIR"] = "corpus"
        output, seconds = self._run(
            [*words, "--match-contract", suite], environment, self._project
        )
        calls = _CALLS.search(output)
        assert calls is not None, output
        return Spent(int(calls[1]), seconds)

    def ours(self, suite: str, calls: int) -> Spent:
        """Run a suite with `echidna-mcp run`, from nothing."""
        for folder in (self._cache, self._project / "campaign", self._project / "out"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._engine, self._cache)
        output, seconds = self._run(
            [
                *(*_OURS, "run", ".", "--contract", suite, "--seed", "1"),
                *("--test-limit", str(calls), "--format", "json"),
                *("--allow-paths", str(PACKAGES), "--corpus-dir", "campaign"),
            ],
            {"ECHIDNA_MCP_CACHE": str(self._cache)},
            self._project,
        )
        [campaign] = json.loads(output)["campaigns"]
        return Spent(campaign["calls"], seconds)

    def _run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        expected: Collection[int] = (0,),
    ) -> tuple[str, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode in expected, done.stdout + done.stderr
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout, spent


_OURS = (sys.executable, "-m", "echidna_mcp.cli")


def _enough(few: Spent, more: Spent) -> int:
    """Return how many calls take SECONDS, from two measurements."""
    each = (more.seconds - few.seconds) / (more.calls - few.calls)
    return max(DEPTH, int((SECONDS - few.seconds) / each))


def main() -> None:
    """Print the figures."""
    forge = find_forge(PACKAGES / "solc")
    if forge is None or not (PACKAGES / "@uniswap" / "v4-core").is_dir():
        print("absent: run `nox -s foundry` first")
        return
    print(
        f"forge {forge.version}. Calls a second of processor time, {SECONDS:.0f} s each"
    )
    with tempfile.TemporaryDirectory() as directory:
        race = Race(Path(directory), forge.binary)
        for suite in SUITES:
            print(suite)
            for guided in (False, True):
                _print_pairs(race, suite, guided=guided)


def _print_pairs(race: Race, suite: str, *, guided: bool) -> None:
    runs = (
        _enough(
            race.forge(suite, 1, guided=guided), race.forge(suite, 100, guided=guided)
        )
        // DEPTH
    )
    # After the first million what is hot has been compiled.
    calls = _enough(race.ours(suite, 1_000_000), race.ours(suite, 3_000_000))
    ratios = []
    for _ in range(PAIRS):
        theirs, own = race.forge(suite, runs, guided=guided), race.ours(suite, calls)
        ratios.append(own.rate / theirs.rate)
        print(
            f"  forge{' guided' if guided else '':7} {theirs.rate:10,.0f} "
            f"({theirs.seconds:.1f} s)   ours {own.rate:10,.0f} ({own.seconds:.1f} s)"
            f"   ratio {ratios[-1]:.1f}",
            flush=True,
        )
    print(f"  median of the ratios {statistics.median(ratios):.1f}")


if __name__ == "__main__":
    main()

"""Foundry's invariant runner on the benchmark contracts, as a measure of speed.

`forge` is looked for in the environment variable FORGE, among the npm packages beside
solc (`npm install --prefix tests --no-save @foundry-rs/forge@1.7.1`) and on PATH. It
runs offline: its compiler is a script around the same solc that we compile with.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEPTH = 100
SECONDS = 3.0
_TRIES = 3
_PASSED = re.compile(r"\[PASS\] invariant_property\(\) \(runs: \d+, calls: (\d+)")

COMPILER = """\
#!/usr/bin/env node
const solc = require('{package}');
if (process.argv.includes('--version')) {{
  console.log('solc, the solidity compiler\\nVersion: ' + solc.version());
}} else {{
  process.stdout.write(solc.compile(require('fs').readFileSync(0, 'utf8')));
}}
"""

_PROJECT = """\
[profile.default]
libs = []
remappings = ["@openzeppelin/={scope}/"]
auto_detect_remappings = false
solc = "{compiler}"
offline = true
optimizer = true
optimizer_runs = 200
evm_version = "cancun"

[profile.default.invariant]
depth = {depth}
fail_on_revert = false
"""

_TEST = """\
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {{{name}}} from "../src/{name}.sol";

contract {name}Bench {{
    {name} private target;

    function setUp() public {{
        target = new {name}();
    }}

    function targetContracts() public view returns (address[] memory found) {{
        found = new address[](1);
        found[0] = address(target);
    }}

    function targetSenders() public pure returns (address[] memory found) {{
        found = new address[](3);
        for (uint160 i = 0; i < 3; i++) found[i] = address((i + 1) * 0x10000);
    }}

    function invariant_property() public view {{
        require(target.{function}());
    }}
}}
"""


_QUICK = """\
#!/bin/sh
# Which version it is, is asked each time that forge starts.
case " $* " in
  *" --version "*) printf '{version}\\n' ;;
  *) exec {compiler} "$@" ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Forge:
    """A forge that can run here."""

    binary: Path
    version: str


def find_forge(solc_package: Path) -> Forge | None:
    """Return the forge of this machine, or None."""
    scope = solc_package.parent / "@foundry-rs"
    candidates = [
        os.environ.get("FORGE"),
        *sorted(map(str, scope.glob("forge-*/bin/forge"))),
        shutil.which("forge"),
    ]
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            answer = subprocess.run(
                [candidate, "--version"], capture_output=True, text=True, check=True
            )
            return Forge(Path(candidate), answer.stdout.split()[2])
    return None


def write_compiler(folder: Path, solc_package: Path) -> Path:
    """Write a compiler for forge into a folder that tells its version at once."""
    slow, quick = folder / "solc.js", folder / "solc"
    slow.write_text(COMPILER.format(package=solc_package), "utf-8")
    slow.chmod(0o755)
    words = [str(slow), "--version"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    version = told.strip().replace("\n", "\\n")
    quick.write_text(_QUICK.format(version=version, compiler=slow), "utf-8")
    quick.chmod(0o755)
    return quick


class ForgeProject:
    """A project with one invariant test for each contract, compiled."""

    def __init__(
        self, forge: Forge, directory: Path, solc_package: Path, sources: Path
    ) -> None:
        self._forge = forge
        self._directory = directory
        self._sources = sources
        self._lengths: dict[str, tuple[float, int]] = {}
        compiler = directory / "solc.js"
        compiler.write_text(COMPILER.format(package=solc_package), "utf-8")
        compiler.chmod(0o755)
        (directory / "foundry.toml").write_text(
            _PROJECT.format(
                scope=solc_package.parent / "@openzeppelin",
                compiler=compiler,
                depth=DEPTH,
            ),
            "utf-8",
        )

    def build(self, targets: Sequence[tuple[str, str]]) -> None:
        """Write and compile tests of (contract, property function)."""
        for folder in ("src", "test"):
            (self._directory / folder).mkdir()
        for name, function in targets:
            shutil.copy(self._sources / f"{name}.sol", self._directory / "src")
            test = self._directory / "test" / f"{name}.t.sol"
            test.write_text(_TEST.format(name=name, function=function), "utf-8")
        self._run(["build"])

    def calls_per_second(self, name: str) -> float:
        """Return calls per second of processor time (user), the start left out."""
        if name not in self._lengths:
            self._lengths[name] = self._find_length(name)
        start, runs = self._lengths[name]
        calls, seconds = self._measure(name, runs)
        return (calls - DEPTH) / (seconds - start)

    def _find_length(self, name: str) -> tuple[float, int]:
        """Return the seconds that one run takes, and how many runs take SECONDS."""
        start = min(self._measure(name, 1)[1] for _ in range(_TRIES))
        runs = 20
        _, seconds = self._measure(name, runs)
        while (spent := seconds - start) < SECONDS / 10:
            runs *= 4
            _, seconds = self._measure(name, runs)
        return start, max(runs, int(runs * SECONDS / spent))

    def _measure(self, name: str, runs: int) -> tuple[int, float]:
        """Return how many calls a campaign made, and its seconds of user time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        output = self._run(
            ["test", "-j", "1", "--match-contract", f"^{name}Bench$"],
            FOUNDRY_INVARIANT_RUNS=str(runs),
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        passed = _PASSED.search(output)
        assert passed is not None, output
        assert int(passed[1]) == runs * DEPTH, output
        return int(passed[1]), after - before

    def _run(self, arguments: Sequence[str], **environment: str) -> str:
        done = subprocess.run(
            [str(self._forge.binary), *arguments],
            cwd=self._directory,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

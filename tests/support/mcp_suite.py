"""The official conformance suite of MCP, as a program that is told what to expect."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from node_packages import require_node, require_package

FOLDER = Path(__file__).parents[1] / "conformance"
NAME = "@modelcontextprotocol/conformance"
SESSION = "mcp_conformance"
EXTENSION = "tasks-"
"""Scenarios of the Tasks extension; the SDK does not have it, so nobody offers it."""

_SECONDS = 120
_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_PASSED = ("SUCCESS", "INFO", "SKIPPED")
_SUMMARY = "=== SUMMARY ==="


@dataclass(frozen=True, slots=True)
class Scenario:
    """What came out of one scenario.

    Attributes:
        required: whether a server must pass it to conform.
        failures: ids of the checks that failed, or that the suite warns of.
    """

    name: str
    required: bool
    passed: int
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of a set of requirements.

    Attributes:
        code: exit code of the suite: 0 if all is as expected.
        summary: the end of what it printed.
    """

    code: int
    summary: str
    scenarios: Mapping[str, Scenario]

    @property
    def required(self) -> list[Scenario]:
        """The scenarios that a server must pass."""
        return [each for each in self.scenarios.values() if each.required]

    @property
    def score(self) -> str:
        """How many of them it passes."""
        good = sum(not each.failures for each in self.required)
        return f"{good} of {len(self.required)}"


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """Scenarios, or checks of one, that do not apply, and why."""

    reason: str
    entries: tuple[str, ...]


def inapplicable(revision: str) -> list[Inapplicable]:
    """Return what does not apply of the requirements of a revision."""
    text = (FOLDER / "inapplicable.yml").read_text("utf-8")
    found = []
    for group in yaml.safe_load(text):
        entries = (*group.get("always", ()), *group.get(revision, ()))
        if entries:
            found.append(Inapplicable(" ".join(group["reason"].split()), entries))
    return found


class Suite:
    """The installed suite; fails the test if it is missing."""

    def __init__(self) -> None:
        self._node = require_node(SESSION)
        self._package = require_package(FOLDER, NAME, SESSION)

    def run(
        self,
        url: str,
        revision: str,
        directory: Path,
        expected_failures: Sequence[str] | None = None,
    ) -> Outcome:
        """Run the scenarios that a revision requires, and those that it does not score.

        Args:
            url: of a server.
            revision: of the protocol.
            directory: for the results; new.
            expected_failures: scenarios, or `scenario:check`. One that passes is a
                failure, too.
        """
        program = self._package / "dist" / "index.js"
        command = [str(self._node), str(program), "server", "--url", url]
        command += ["--requirements", revision, "--output-dir", str(directory)]
        if expected_failures is not None:
            baseline = directory.with_suffix(".yml")
            text = yaml.safe_dump({"server": list(expected_failures)})
            baseline.write_text(text, "utf-8")
            command += ["--expected-failures", str(baseline)]
        done = subprocess.run(
            command,
            cwd=directory.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        output = done.stdout + done.stderr
        assert _SUMMARY in output, output
        summary = output.partition(_SUMMARY)[2]
        return Outcome(done.returncode, summary, self._results(revision, directory))

    def _results(self, revision: str, directory: Path) -> dict[str, Scenario]:
        path = self._package / "requirements" / f"{revision}.yaml"
        required = yaml.safe_load(path.read_text("utf-8"))["server"]
        found: dict[str, Scenario] = {}
        for file in sorted(directory.glob("server-*/checks.json")):
            folder = _FOLDER.fullmatch(file.parent.name)
            assert folder is not None
            name = folder[1]
            checks = json.loads(file.read_text("utf-8"))
            failures = [c["id"] for c in checks if c["status"] not in _PASSED]
            passed = sum(c["status"] == "SUCCESS" for c in checks)
            scenario = Scenario(name, name in required, passed, tuple(failures))
            found[name] = scenario
        missing = [name for name in required if name not in found]
        assert missing == [], "the suite did not run everything"
        return found


def table(outcomes: Mapping[str, Outcome], reasons: Mapping[str, str]) -> str:
    """Return lines that show the scenarios of some runs.

    Args:
        outcomes: by what was run.
        reasons: why scenarios do not apply.
    """
    lines = []
    for title, outcome in outcomes.items():
        lines.append(f"{title}: {outcome.score} required scenarios pass")
        for each in outcome.scenarios.values():
            total = each.passed + len(each.failures)
            mark = "FAIL" if each.failures else "pass" if total else "skip"
            note = "" if each.required else " (not scored)"
            if each.failures and each.name in reasons:
                note += f" - {reasons[each.name]}"
            lines.append(f"  {mark} {each.passed}/{total} {each.name}{note}")
    return "\n".join(lines)

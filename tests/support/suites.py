"""Suites that run only when they are asked for, each in a nox session of its own.

They take long, or need what a clone alone does not bring. A session asks by setting
their variable to 1. Who did not ask reads one line for each that was left out.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Suite:
    """Tests that belong together.

    Attributes:
        session: of nox; it runs them.
        variable: of the environment; 1 asks for them.
        what: for people.
        files: patterns below `tests`, of files and folders.
        marker: of single tests.
    """

    session: str
    variable: str
    what: str
    files: tuple[str, ...] = ()
    marker: str = ""

    @property
    def is_wanted(self) -> bool:
        """Whether somebody asked."""
        return os.environ.get(self.variable) == "1"

    def has(self, path: Path) -> bool:
        """Whether a file or folder belongs to it."""
        return any(path == found for each in self.files for found in TESTS.glob(each))


SUITES = (
    Suite("endurance", "ECHIDNA_MCP_SLOW", "slow tests", marker="slow"),
    Suite(
        session="servers",
        variable="ECHIDNA_MCP_SERVERS",
        what="servers and commands that are attacked, interrupted or killed",
        marker="servers",
    ),
    Suite(
        session="digests",
        variable="ECHIDNA_MCP_DIGESTS",
        what="campaigns of many contracts on every EVM, tier and executor",
        marker="digests",
    ),
    Suite(
        session="witnesses",
        variable="ECHIDNA_MCP_WITNESSES",
        what="most of the sixty bugs and their minimal reproducers",
        marker="witnesses",
    ),
    Suite(
        session="examples",
        variable="ECHIDNA_MCP_EXAMPLES",
        what="packages and runners of `examples/`",
        files=("examples/test_third_party_plugin.py", "examples/test_scfuzzbench.py"),
    ),
    Suite(
        session="conformance",
        variable="ECHIDNA_MCP_SLOW",
        what="official state tests",
        files=("evm/test_state_vectors.py",),
    ),
    Suite(
        session="simulation",
        variable="ECHIDNA_MCP_SIMULATION",
        what="campaigns under simulated schedules",
        files=("simulation",),
    ),
    Suite(
        session="ray",
        variable="ECHIDNA_MCP_RAY",
        what="the executor ray, on clusters of this machine",
        files=("ray",),
    ),
    Suite(
        session="browser",
        variable="REQUIRE_BROWSER",
        what="the dashboard in a browser",
        files=tuple(
            f"dashboard/test_dashboard_{part}.py"
            for part in ("apps", "coverage", "findings", "live", "page")
        ),
    ),
    Suite(
        session="clients",
        variable="REQUIRE_MCP_CLIENTS",
        what="other MCP clients",
        files=tuple(
            f"clients/test_{client}*.py"
            for client in ("fastmcp", "inspector", "typescript")
        ),
    ),
    Suite(
        session="mcp_conformance",
        variable="REQUIRE_MCP_CLIENTS",
        what="the conformance suite of MCP",
        files=("conformance",),
    ),
    Suite(
        session="ethereumjs",
        variable="REQUIRE_ETHEREUMJS",
        what="random worlds against EthereumJS",
        files=("ethereumjs",),
    ),
    Suite(
        session="precompiles",
        variable="REQUIRE_ETHEREUMJS",
        what="precompiles against EthereumJS",
        files=("precompiles/test_ethereumjs.py",),
    ),
    Suite(
        session="agents",
        variable="REQUIRE_AGENTS",
        what="LangChain and LangGraph",
        files=("mcp",),
    ),
    Suite(
        session="outside",
        variable="ECHIDNA_MCP_OUTSIDE",
        what="contracts of others with cold caches",
        files=("outside/test_cold_campaigns.py",),
    ),
    Suite(
        session="projects",
        variable="ECHIDNA_MCP_PROJECTS",
        what="projects on released packages",
        files=("projects",),
    ),
    Suite(
        session="foundry",
        variable="ECHIDNA_MCP_FOUNDRY",
        what="cheatcodes and tests of Foundry, with forge",
        files=("foundry",),
    ),
    Suite(
        session="exports",
        variable="ECHIDNA_MCP_EXPORTS",
        what="exported findings, with forge",
        files=("exports/test_forge.py",),
    ),
)


def _named(config: pytest.Config) -> list[Path]:
    """Return the files and folders that pytest was given."""
    words = (word.split("::")[0] for word in config.args)
    return [config.invocation_params.dir / word for word in words]


class LeftOut:
    """Leaves out what nobody asked for, and says so at the end of the run."""

    def __init__(self) -> None:
        self._sessions: Counter[str] = Counter()

    def pytest_ignore_collect(
        self, collection_path: Path, config: pytest.Config
    ) -> bool | None:
        """Pass over files and folders; what they import may be missing."""
        for suite in SUITES:
            if not suite.is_wanted and suite.has(collection_path):
                if any(map(collection_path.is_relative_to, _named(config))):
                    self._sessions[suite.session] += 1
                return True
        return None

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect single tests."""
        for suite in SUITES:
            if not suite.marker or suite.is_wanted:
                continue
            # Keywords have the names of folders, too, also of those above the project.
            out = [each for each in items if each.get_closest_marker(suite.marker)]
            if out:
                self._sessions[suite.session] += len(out)
                config.hook.pytest_deselected(items=out)
                kept = set(items).difference(out)
                items[:] = [each for each in items if each in kept]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell the process that prints, if this one is a worker."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["left out"] = dict(self._sessions)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Hear it from a worker; all of them have collected the same."""
        output = getattr(node, "workeroutput", {})
        self._sessions |= Counter(output.get("left out", {}))

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Name the sessions."""
        for suite in SUITES:
            if suite.session in self._sessions:
                line = f"Not asked for: {suite.what}; nox -s {suite.session} runs them."
                terminalreporter.write_line(line)

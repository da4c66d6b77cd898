"""What each project did, a line each, at the end of the run."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest
from node_packages import require_package
from real_projects import PROJECTS

_DONE: dict[str, list[str]] = defaultdict(list)


@pytest.fixture(scope="session", autouse=True)
def _compiler() -> None:
    """Let the compilers of these packages count, not those of other tests."""
    os.environ["SOLCJS"] = str(require_package(PROJECTS, "solc", "projects"))


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> list[str]:
    """Take words for the line of the project that the test is about."""
    return _DONE[request.node.callspec.id]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the lines."""
    for project, words in sorted(_DONE.items()):
        terminalreporter.write_line(f"{project}: {'; '.join(sorted(words))}")

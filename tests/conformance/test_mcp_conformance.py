"""The official conformance suite of MCP against a real `echidna-mcp serve`.

With the fixtures that the suite calls by name, every required scenario of both eras
passes. Without them, what fails is listed with the reason why it does not apply.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from documentation import page
from live_server import LiveServer, live_server
from mcp_suite import EXTENSION, FOLDER, Outcome, Suite, inapplicable, table

REVISIONS = ("2026-07-28", "2025-11-25")
# A target without properties, which needs no compiler but the one in Python.
COUNTER = """\
number: public(uint256)

@external
def increase(by: uint256):
    self.number = unsafe_add(self.number, by % 10)
"""
QUIET = (
    *("--test-mode", "exploration", "--executor", "inline", "--workers", 1),
    *("--round-budget", 2000, "--format", "none"),
)
FIXTURES = ("--plugins", "default,-http,conformance", "--legacy-sessions")

each_revision = pytest.mark.parametrize("revision", REVISIONS)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return Suite()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("target") / "Counter.vy"
    path.write_text(COUNTER, "utf-8")
    return path


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the fixtures for the programs that are started meanwhile."""
    site = tmp_path_factory.mktemp("site")
    info = site / "echidna_mcp_conformance-1.0.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: echidna-mcp-conformance\nVersion: 1.0\n"
    (info / "METADATA").write_text(metadata, "utf-8")
    entry = "[echidna_mcp]\nconformance = echidna_mcp_conformance\n"
    (info / "entry_points.txt").write_text(entry, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        paths = [str(site), str(FOLDER), os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        yield


@pytest.fixture(scope="module")
def server_with_fixtures(
    suite: Suite, plugin: None, target: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    directory = tmp_path_factory.mktemp("fixtures") / "campaign"
    with live_server(directory, target, *QUIET, *FIXTURES) as server:
        yield server


@pytest.fixture(scope="module")
def server(
    suite: Suite, target: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    """The server as it is by default."""
    directory = tmp_path_factory.mktemp("bare") / "campaign"
    with live_server(directory, target, *QUIET) as server:
        yield server


def show(title: str, outcome: Outcome, revision: str) -> None:
    """Print a table for the report of the nox session."""
    reasons = {
        entry.partition(":")[0]: group.reason
        for group in inapplicable(revision)
        for entry in group.entries
    }
    print(table({f"{revision} {title}": outcome}, reasons))  # noqa: T201


def documented(revision: str, title: str) -> str:
    """Return how many scenarios pass according to docs/mcp.md."""
    rows = page("docs/mcp.md").section("Conformance").rows("revision")
    (score,) = [
        row[2] for row in rows if row[0] == revision and row[1].startswith(title)
    ]
    return score


@pytest.fixture(scope="module", params=REVISIONS)
def with_fixtures(
    request: pytest.FixtureRequest,
    suite: Suite,
    server_with_fixtures: LiveServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Outcome:
    directory = tmp_path_factory.mktemp("with") / "results"
    outcome = suite.run(server_with_fixtures.url, request.param, directory)
    show("with fixtures", outcome, request.param)
    assert outcome.score == documented(request.param, "with fixtures")
    return outcome


def test_every_required_scenario_passes(with_fixtures):
    failed = [each for each in with_fixtures.required if each.failures]
    assert failed == [], with_fixtures.summary
    assert with_fixtures.code == 0, with_fixtures.summary
    assert all(each.passed for each in with_fixtures.required)


def test_what_is_not_scored_passes_too_but_an_extension(with_fixtures):
    scenarios = with_fixtures.scenarios.values()
    optional = [each for each in scenarios if not each.required]
    assert optional
    failed = {each.name for each in optional if each.failures}
    assert all(name.startswith(EXTENSION) for name in failed), with_fixtures.summary


@each_revision
def test_without_fixtures_only_what_does_not_apply_fails(
    suite, server, tmp_path, revision
):
    expected = [e for group in inapplicable(revision) for e in group.entries]
    outcome = suite.run(server.url, revision, tmp_path / "results", expected)
    show("as it is", outcome, revision)
    assert outcome.score == documented(revision, "as it is")
    assert outcome.code == 0, outcome.summary
    failed = [
        {scenario.name, f"{scenario.name}:{check}"}
        for scenario in outcome.scenarios.values()
        if not scenario.name.startswith(EXTENSION)
        for check in scenario.failures
    ]
    unexpected = [each for each in failed if each.isdisjoint(expected)]
    assert unexpected == [], outcome.summary
    # The suite itself does not look for stale entries among what it does not score.
    stale = [each for each in expected if not any(each in names for names in failed)]
    assert stale == [], outcome.summary


def test_a_stale_expectation_fails(suite, server, tmp_path):
    revision = "2025-11-25"
    expected = [e for group in inapplicable(revision) for e in group.entries]
    stale = [*expected, "tools-list"]
    outcome = suite.run(server.url, revision, tmp_path / "results", stale)
    assert outcome.code == 1, outcome.summary
    assert "tools-list" in outcome.summary

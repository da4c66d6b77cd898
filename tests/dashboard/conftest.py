"""Campaigns to look at, and a browser that looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import Visit, chromium, open_page, require_chromium
from dashboard_campaigns import (
    FINDINGS_PATH,
    FINDINGS_SOURCE,
    HOSTILE_FILE,
    HOSTILE_SOURCE,
    HOSTILE_TEXT,
    INCOMPLETE_SOURCE,
    SHORT,
    base,
    failed_tests,
    until_stopped,
)
from live_server import LiveServer, RawClient, live_server, until
from solc import require_solc


@pytest.fixture(scope="session")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """The demo, of which one test fails, after its end."""
    require_chromium()
    directory = tmp_path_factory.mktemp("vault") / "campaign"
    with live_server(directory, *SHORT, "--test-limit", 60_000) as server:
        until_stopped(server)
        yield server


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A campaign on two contracts, with findings at sites and a value, at its end."""
    require_chromium()
    require_solc()
    place = tmp_path_factory.mktemp("findings")
    source = place / FINDINGS_PATH
    source.parent.mkdir(parents=True)
    source.write_text(FINDINGS_SOURCE, "utf-8")
    config = place / "echidna.yaml"
    config.write_text("allContracts: true\n", "utf-8")
    options = ("--contract", "Findings", "--config", config, "--test-limit", 20_000)
    mode = ("--test-mode", "assertion,optimization")
    with live_server(place / "campaign", source, *SHORT, *options, *mode) as server:
        until_stopped(server)
        yield server


@pytest.fixture
def incomplete(tmp_path: Path) -> Iterator[LiveServer]:
    """A contract with two conditions that nothing meets, after its campaign."""
    require_chromium()
    require_solc()
    source = tmp_path / "Incomplete.sol"
    source.write_text(INCOMPLETE_SOURCE, "utf-8")
    limit = ("--test-limit", 5_000)
    with live_server(tmp_path / "campaign", source, *SHORT, *limit) as server:
        until_stopped(server)
        yield server


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[LiveServer]:
    """A contract whose every text tries to be markup, one of them in a reproducer."""
    require_chromium()
    require_solc()
    source = tmp_path / HOSTILE_FILE
    source.write_text(HOSTILE_SOURCE, "utf-8")
    with live_server(tmp_path / "campaign", source, *SHORT) as server:
        with RawClient(f"{base(server)}mcp") as client:
            client.call("inject_transaction", sequence=[f'note("{HOSTILE_TEXT}")'])
        until(lambda: bool(failed_tests(server)), "the injected call to fail the test")
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Started anew for each module: its event loop is in the way of other tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open pages; at the end, none had a problem, or asked another host."""
    visits: list[tuple[Visit, str]] = []

    def opened(server: LiveServer, view: str = "", **options: Any) -> Visit:
        url = base(server)
        found = open_page(browser, f"{url}#{view}" if view else url, **options)
        visits.append((found, urlsplit(url).netloc))
        return found

    yield opened
    for found, host in visits:
        found.page.context.close()
        assert found.problems == []
        assert found.hosts() == {host}

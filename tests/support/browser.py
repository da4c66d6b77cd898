"""Headless Chromium for tests of the dashboard, and what it saw.

The browser is any Chromium of the system; the environment variable CHROMIUM may name
it. Without it, or without playwright, the tests fail: nobody runs them unasked.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request

_NAMES = ("chromium", "chromium-browser", "google-chrome")
AUDIT = Path(__file__).with_name("audit.js")

PATIENCE = 15_000.0
"""Milliseconds; a busy machine needs some."""

VIEWS = (*("overview", "tests", "functions", "coverage", "source", "corpus", "events"),)
SIZES = ((1280, 900), (390, 844))
SCHEMES = ("light", "dark")


def require_chromium() -> str:
    """Return where Chromium is; fail if it or playwright is missing."""
    if find_spec("playwright") is None:
        pytest.fail("playwright is missing: install the dependency group `browser`")
    found = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), ""
    )
    if not found:
        pytest.fail("Chromium is missing: install it, or name it in CHROMIUM")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser; only one at a time, and no asyncio in this thread meanwhile."""
    path = require_chromium()
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (may be missing)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass(slots=True)
class Visit:
    """A page, and what it did.

    Attributes:
        problems: errors and warnings on the console, and uncaught exceptions.
        requests: URLs, in order.
    """

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Take notes from now on."""

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.problems.append(message.text)

        def asked(request: Request) -> None:
            self.requests.append(request.url)

        self.page.on("console", said)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", asked)

    def read(self, ending: str) -> int:
        """Return how often something was read from the server."""
        return sum(url.endswith(ending) for url in self.requests)

    def hosts(self) -> set[str]:
        """Return all hosts that were asked for something."""
        urls = map(urlsplit, self.requests)
        return {url.netloc for url in urls if url.scheme not in ("data", "about")}

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        width = self.page.evaluate(
            "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
            "(document.documentElement)"
        )
        assert isinstance(width, int)
        return width

    def audit(self) -> list[str]:
        """Return what keeps people from reading or using the page (`audit.js`)."""
        found: list[str] = self.page.evaluate(AUDIT.read_text("utf-8"))
        return found


def open_page(
    browser: Browser, url: str, *, size: tuple[int, int] = SIZES[0], **context: Any
) -> Visit:
    """Open a page in a browser profile of its own."""
    viewport = {"width": size[0], "height": size[1]}
    visit = Visit(browser.new_context(viewport=viewport, **context).new_page())
    visit.page.set_default_timeout(PATIENCE)
    visit.watch()
    visit.page.goto(url)
    return visit


def keep_screenshot(page: Page, name: str) -> None:
    """Save what the page looks like, if ECHIDNA_MCP_SCREENSHOTS names a folder."""
    folder = os.environ.get("ECHIDNA_MCP_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def settled(page: Page) -> None:
    """Wait until the chosen view has what it shows."""
    page.wait_for_function("""() => {
        const panel = document.querySelector("[role=tabpanel]:not([hidden])");
        return panel?.textContent && !panel.textContent.includes("Waiting for");
    }""")


def shown(page: Page) -> Locator:
    """Return the chosen view."""
    return page.locator("[role=tabpanel]:not([hidden])")


def focused(page: Page) -> str:
    """Return the name of the element that has the focus, or else its class."""
    found = page.evaluate(
        "document.activeElement.id || document.activeElement.className"
    )
    assert isinstance(found, str)
    return found

"""The coverage page in a browser: it fits, it is read, it asks nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import SCHEMES, SIZES, chromium, keep_screenshot, open_page
from command_line import invoke
from dashboard_campaigns import HOSTILE_FILE, HOSTILE_SOURCE, INCOMPLETE_SOURCE
from solc import require_solc

pytestmark = pytest.mark.solc


@pytest.fixture(scope="module", params=["incomplete", "hostile"])
def page(request, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a contract with gaps, and of one whose texts try to be markup."""
    require_solc()
    directory = tmp_path_factory.mktemp("page")
    name, text = "Incomplete.sol", INCOMPLETE_SOURCE
    if request.param == "hostile":
        name, text = HOSTILE_FILE, HOSTILE_SOURCE
    source = directory / name
    source.write_text(text, "utf-8")
    arguments = ("--corpus-dir", directory / "corpus", "--test-limit", 2000)
    assert invoke("run", source, "--seed", 1, *arguments).code in (0, 1)
    return directory / "corpus" / "covered.html"


def test_it_fits_any_window_in_either_scheme(page: Path):
    with chromium() as browser:
        for size in SIZES:
            for scheme in SCHEMES:
                visit = open_page(
                    browser, page.as_uri(), size=size, color_scheme=scheme
                )
                keep_screenshot(visit.page, f"coverage-{size[0]}-{scheme}")
                assert visit.overflow() <= 0
                assert visit.audit() == []
                assert visit.problems == []
                assert visit.requests == [page.as_uri()]


def test_a_keyboard_gets_to_every_gap(page: Path):
    with chromium() as browser:
        visit = open_page(browser, page.as_uri())
        visit.page.evaluate("document.querySelector('details').open = true")
        reached = set()
        for _ in range(visit.page.locator("a, summary").count()):
            visit.page.keyboard.press("Tab")
            reached.add(
                visit.page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
            )
        every = visit.page.locator("a, summary").evaluate_all(
            "all => all.map(each => each.outerHTML.slice(0, 200))"
        )
        assert reached == set(every)


def test_a_link_opens_the_file_that_it_leads_into(page: Path):
    with chromium() as browser:
        visit = open_page(browser, page.as_uri())
        visit.page.evaluate("document.querySelector('details').open = false")
        visit.page.locator("tbody th a").first.press("Enter")
        visit.page.wait_for_function("document.querySelector('details').open")

"""The page while a campaign runs, under the keys, and under attack."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from browser import (
    SIZES,
    VIEWS,
    focused,
    keep_screenshot,
    open_page,
    require_chromium,
    settled,
    shown,
)
from dashboard_campaigns import HOSTILE_TEXT, SHORT, base, served_again
from live_server import LiveServer, live_server

TOKEN = "open-sesame"


# ------------------------------------------------------------------------ live


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A campaign that goes on."""
    require_chromium()
    directory = tmp_path_factory.mktemp("running") / "campaign"
    arguments = ("--workers", 1, "--executor", "threads:1", "--format", "none")
    with live_server(directory, *arguments, "--seed", 7) as server:
        yield server


ROUND = """Number(
    document.querySelector("[data-key=Round] .value").textContent.replace(/,/g, "")
)"""


def test_the_page_follows_a_campaign_without_being_loaded_again(running, visit):
    page = visit(running).page
    settled(page)
    page.evaluate("window.mark = 1")
    before = page.evaluate(ROUND)
    page.wait_for_function(f"(before) => {ROUND} > before", arg=before)
    assert page.evaluate("window.mark") == 1
    assert "Fuzzing" in page.locator("#state").text_content()


def test_nothing_is_read_oftener_than_once_a_second_or_unless_it_is_shown(
    running, visit
):
    seen = visit(running, "overview")
    settled(seen.page)
    seen.requests.clear()
    seconds = 5
    seen.page.wait_for_timeout(seconds * 1000)
    assert 2 <= seen.read("uri=echidna%3A%2F%2Fcampaign") <= seconds + 1
    assert seen.read("history") <= seconds // 3 + 1
    for other in ("coverage", "events", "sources%2F0%2F0"):
        assert seen.read(other) == 0
    # One stream goes on; there is no polling beside it.
    assert seen.read("/dashboard/live") == 0


def test_what_was_chosen_stays_when_news_come(running, visit):
    page = visit(running, "coverage").page
    settled(page)
    page.locator("#function-filter").press_sequentially("dep", delay=400)
    assert page.input_value("#function-filter") == "dep"
    assert focused(page) == "function-filter"
    assert len(page.locator("tbody th").all_text_contents()) == 3


def test_a_lost_server_is_said_and_found_again(tmp_path, browser):
    directory = tmp_path / "campaign"
    campaign = (*SHORT, "--test-limit", 5000)
    with live_server(directory, *campaign) as server:
        port = urlsplit(server.url).port
        seen = open_page(browser, base(server))
        settled(seen.page)
        server.stop(signal.SIGTERM)
        seen.page.wait_for_selector("#connection:has-text('not reached')")
    assert "Vault" in seen.page.locator("h1").text_content()
    with served_again(directory, port, *campaign):
        seen.page.wait_for_selector("#connection:has-text('Live')", timeout=60_000)
    seen.page.context.close()


# -------------------------------------------------------------------- keyboard


def test_all_of_it_can_be_reached_with_keys_alone(vault, visit):
    page = visit(vault).page
    settled(page)
    page.keyboard.press("Tab")
    assert focused(page) == "skip"
    page.keyboard.press("Enter")
    assert focused(page) == "panels"
    page.locator("#skip").focus()
    for place in ("refresh", "tab-overview"):
        page.keyboard.press("Tab")
        assert focused(page) == place
    for view in VIEWS[1:]:
        page.keyboard.press("ArrowRight")
        assert focused(page) == f"tab-{view}"
        assert shown(page).get_attribute("id") == f"panel-{view}"
        settled(page)
    page.keyboard.press("ArrowRight")
    assert focused(page) == "tab-overview"
    page.keyboard.press("End")
    assert focused(page) == "tab-events"
    page.keyboard.press("Home")
    for _ in range(VIEWS.index("coverage")):
        page.keyboard.press("ArrowRight")
    # From a function to its source.
    for place in ("panel-coverage", "function-filter", ""):
        page.keyboard.press("Tab")
        assert focused(page) == place
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("tr.target")
    assert focused(page).endswith("target")


def test_focus_can_be_seen(vault, visit):
    page = visit(vault).page
    settled(page)
    for _ in range(4):
        page.keyboard.press("Tab")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid"


def test_nothing_moves_for_those_who_want_it_still(vault, visit):
    page = visit(vault, reduced_motion="reduce").page
    settled(page)
    moving = page.evaluate("""[...document.querySelectorAll("*")].filter((each) =>
        getComputedStyle(each).transitionDuration !== "0s"
        || getComputedStyle(each).animationName !== "none").length""")
    assert moving == 0


# -------------------------------------------------------------------- security


def test_a_contract_can_write_no_markup_into_the_page(hostile, visit):
    seen = visit(hostile)
    page = seen.page
    for view in VIEWS:
        page.click(f"#tab-{view}")
        settled(page)
        assert page.locator("main img, main script, main b, main iframe").count() == 0
        assert page.evaluate("window.hacked") is None
        keep_screenshot(page, f"hostile-{view}")
    page.click("#tab-source")
    text = shown(page).text_content()
    assert "<script>window.hacked = 1</script>" in text
    assert "⟨U+202E⟩" in text
    page.click("#tab-tests")
    settled(page)
    assert HOSTILE_TEXT in shown(page).locator(".calls").text_content()
    page.click("#tab-overview")
    assert "<img src=x onerror=hacked=1>.sol" in shown(page).text_content()


def test_even_a_mistake_of_ours_could_not_write_markup(vault, visit):
    seen = visit(vault)
    settled(seen.page)
    for attack in (
        "document.body.innerHTML = '<b>x</b>'",
        "document.createElement('script').text = 'hacked = 1'",
    ):
        script = (
            f"try {{ {attack}; return ''; }} catch (error) {{ return error.name; }}"
        )
        refused = seen.page.evaluate(f"(() => {{ {script} }})()")
        assert refused == "TypeError", attack
    assert seen.page.evaluate("window.hacked") is None
    assert all("Trusted" in text or "trusted" in text for text in seen.problems)
    seen.problems.clear()


# ----------------------------------------------------------------------- token


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    require_chromium()
    directory = tmp_path_factory.mktemp("guarded") / "campaign"
    with live_server(
        directory, *SHORT, "--test-limit", 5000, "--token", TOKEN
    ) as server:
        yield server


def only_refusals(seen) -> None:
    """Forget what the browser says of refused requests; there is nothing else."""
    assert all("401" in text for text in seen.problems), seen.problems
    seen.problems.clear()


def test_the_token_comes_in_the_fragment_and_does_not_stay_there(guarded, visit):
    seen = visit(guarded, f"token={TOKEN}")
    settled(seen.page)
    assert TOKEN not in seen.page.url
    assert all(TOKEN not in url for url in seen.requests)
    assert seen.page.locator("#token").is_hidden()
    seen.page.reload()
    settled(seen.page)
    assert seen.page.locator("h1").text_content() == "Vault"
    assert seen.page.context.cookies() == []


def test_without_a_token_the_page_asks_for_it(guarded, visit):
    seen = visit(guarded, size=SIZES[1])
    page = seen.page
    page.wait_for_selector("#token-field")
    page.wait_for_selector("#token-field:focus")
    keep_screenshot(page, "token-390")
    assert seen.audit() == []
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The token that was given is wrong.")
    page.wait_for_selector("#token-field")
    page.fill("#token-field", TOKEN)
    page.keyboard.press("Enter")
    settled(page)
    assert page.locator("#notice").is_hidden()
    assert page.locator("h1").text_content() == "Vault"
    only_refusals(seen)


def test_the_token_is_known_to_no_other_tab(guarded, visit):
    seen = visit(guarded, f"token={TOKEN}")
    settled(seen.page)
    other = seen.page.context.new_page()
    other.goto(base(guarded))
    other.wait_for_selector("#token-field")
    stored = seen.page.evaluate("JSON.stringify({...localStorage})")
    assert json.loads(stored) == {}

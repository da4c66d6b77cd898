"""The page in a real browser, served by a real server."""

from __future__ import annotations

import re

import pytest
from browser import (
    SCHEMES,
    SIZES,
    VIEWS,
    focused,
    keep_screenshot,
    settled,
    shown,
)
from dashboard_campaigns import fulfil, read

ROOT = "echidna://campaign"


# ----------------------------------------------------------------------- looks


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_every_view_can_be_read_and_used(size, scheme, vault, visit):
    seen = visit(vault, size=size, color_scheme=scheme)
    for view in VIEWS:
        seen.page.click(f"#tab-{view}")
        settled(seen.page)
        details = shown(seen.page).locator("summary")
        if details.count():
            details.first.click()
        keep_screenshot(seen.page, f"{view}-{size[0]}-{scheme}")
        assert seen.overflow() == 0, view
        assert seen.audit() == [], view


def test_what_the_audit_looks_for_it_finds(vault, visit):
    seen = visit(vault, bypass_csp=True)
    settled(seen.page)
    seen.page.evaluate("""() => {
        const bad = document.createElement("div");
        bad.id = "panels";
        bad.style.color = "#999";
        bad.textContent = "grey on grey";
        bad.append(document.createElement("button"), document.createElement("h4"));
        document.querySelector("main").append(bad);
    }""")
    found = " ".join(seen.audit())
    for wrong in ("contrast 2.", "no name: <button", "two elements are panels", "H4"):
        assert wrong in found


def test_the_header_tells_how_the_campaign_went(vault, visit):
    page = visit(vault).page
    settled(page)
    campaign = read(vault, ROOT)
    assert page.locator("h1").text_content() == "Vault"
    assert page.locator("#state").text_content() == "■ Test limit reached"
    assert page.locator("#connection").text_content() == "● Live"
    assert page.title() == "Vault · 1 failed · echidna-mcp"
    figures = page.locator("#figures").inner_text()
    assert "Tests failed\n1 of 2" in figures
    assert f"Line coverage\n{campaign['coverage']['lineCoverage']:g}%" in figures
    assert f"Round\n{campaign['round']}\n0 of 4 workers" in figures


def test_charts_can_be_read_without_seeing_them(vault, visit):
    page = visit(vault).page
    settled(page)
    page.locator("svg[role=img]").nth(2).wait_for()
    labels = page.locator("svg[role=img]").evaluate_all(
        "all => all.map((each) => each.getAttribute('aria-label'))"
    )
    assert [label.split(":")[0] for label in labels] == [
        "Throughput",
        "Coverage",
        "Corpus",
    ]
    campaign = read(vault, ROOT)
    points = f"{campaign['coverage']['points']:,}"
    assert f"{points} points now" in labels[1]
    page.locator(".chart summary").nth(1).click()
    table = page.locator(".chart").nth(1).locator("tbody")
    table.locator("tr", has_text=points).last.wait_for()
    assert table.locator("td").last.text_content() == points


def test_a_pointer_on_a_chart_reads_it(vault, visit):
    page = visit(vault).page
    settled(page)
    box = page.locator("svg[data-chart=coverage]").bounding_box()
    page.mouse.move(box["x"] + 48, box["y"] + 60)
    readout = page.locator(".chart").nth(1).locator(".readout")
    page.wait_for_selector(".plot .cross", state="attached")
    readout.filter(has_text=" at ").wait_for()
    # The first rounds are short: some of them end there, at the beginning.
    samples = read(vault, f"{ROOT}/history")["samples"]
    told, _, when = readout.text_content().partition(" at ")
    assert told in [f"{each['points']:,} points" for each in samples[:8]]
    assert re.fullmatch(r"\d+ s", when)


# ------------------------------------------------------------------------ data


def test_a_failed_test_shows_its_reproducer_and_copies_it(vault, visit):
    seen = visit(vault, "tests", permissions=["clipboard-read", "clipboard-write"])
    page = seen.page
    settled(page)
    reproducer = read(vault, f"{ROOT}/reproducers/echidna_solvent")
    assert page.locator(".calls .call").all_text_contents() == [
        call["call"] for call in reproducer["calls"]
    ]
    assert "failed" in page.locator(".choices [aria-current]").text_content()
    page.click("text=Copy")
    page.wait_for_selector("text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(copied) == reproducer["length"]
    assert copied[0].startswith("Vault.deposit(")
    assert f"Value: {reproducer['calls'][0]['value']}" in copied[0]


def test_a_test_that_passes_says_so(vault, visit):
    page = visit(vault, "tests").page
    page.click("text=echidna_fee_is_bounded")
    shown(page).locator("text=No call sequence found so far").wait_for()


def test_bars_say_what_lines_and_branches_were_reached(vault, visit):
    page = visit(vault, "coverage").page
    settled(page)
    (contract,) = read(vault, f"{ROOT}/coverage")["contracts"]
    card = page.locator(".card")
    shares = card.locator(".share")
    assert f"{contract['lineCoverage']:g}%" in shares.nth(0).inner_text()
    assert f"{contract['branchCoverage']:g}%" in shares.nth(1).inner_text()
    for function in contract["functions"]:
        assert not function["signature"].startswith("echidna_")
        row = card.locator("tr", has_text=function["signature"]).first
        share = f"{function['coveredLines']}/{function['lines']}"
        assert share in row.inner_text()
    page.fill("#function-filter", "WITHDRAW")
    names = card.locator("tbody th")
    names.filter(has_not_text="withdraw").first.wait_for(state="detached")
    assert names.count() > 0


def test_a_function_leads_to_its_source(vault, visit):
    page = visit(vault, "coverage").page
    settled(page)
    page.click("text=executeWithdrawal(uint256)")
    row = page.wait_for_selector("tr.target")
    assert "function executeWithdrawal" in row.inner_text()
    assert page.locator("#tab-source").get_attribute("aria-selected") == "true"
    assert focused(page).endswith("target")


def test_every_line_says_in_words_whether_it_was_reached(vault, visit):
    page = visit(vault, "source").page
    settled(page)
    source = read(vault, f"{ROOT}/sources/0/0")
    words = {True: "reached", False: "not reached", None: "not executable"}
    rows = page.locator(".source tbody tr")
    assert rows.count() == len(source["lines"])
    texts = rows.evaluate_all("""all => all.map((row) => [
        row.cells[0].textContent, row.cells[1].querySelector(".unseen").textContent,
        [...row.cells[2].querySelectorAll(".unseen")].map((each) => each.textContent),
        row.cells[3].textContent,
    ])""")
    branches = {0: "no branch", 1: "one of two branches", 2: "both branches"}
    for line, (number, said, taken, text) in zip(source["lines"], texts, strict=True):
        assert number == str(line["line"])
        assert said == words[line.get("covered")]
        assert text == line["text"]
        for pair, sentence in zip(line.get("branches", []), taken, strict=True):
            assert sentence == (
                f"{branches[sum(pair)]} taken" if pair else "condition never evaluated"
            )


def test_gaps_are_found_one_after_the_other(incomplete, visit):
    page = visit(incomplete, "source").page
    settled(page)
    gaps = [
        line["line"]
        for line in read(incomplete, f"{ROOT}/sources/0/0")["lines"]
        if line.get("covered") is False
        or any(not (pair and all(pair)) for pair in line.get("branches", []))
    ]
    assert gaps == [5, 6, 9, 10]
    page.wait_for_selector(f"tr.target th:text-is('{gaps[0]}')")
    for gap in gaps[1:3]:
        page.click("text=Next gap")
        page.wait_for_selector(f"tr.target th:text-is('{gap}')")
    page.click("text=Previous gap")
    page.wait_for_selector(f"tr.target th:text-is('{gaps[1]}')")


def test_the_corpus_is_read_one_sequence_after_the_other(vault, visit):
    page = visit(vault, "corpus").page
    settled(page)
    last = read(vault, ROOT)["corpus"]["sequences"] - 1
    heading = shown(page).locator("h2")
    assert heading.text_content().startswith(f"Sequence {last}:")
    assert page.locator("button", has_text="Next").is_disabled()
    page.click("text=Previous")
    page.wait_for_selector(f"h2:has-text('Sequence {last - 1}:')")
    page.fill("[data-do=sequence-number]", "0")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('Sequence 0:')")
    entry = read(vault, f"{ROOT}/corpus/0")
    assert page.locator(".calls .call").all_text_contents() == [
        call["call"] for call in entry["calls"]
    ]
    facts = page.locator(".calls .facts").first.inner_text()
    assert f"{entry['calls'][0]['gasUsed']:,} gas" in facts


def test_events_are_filtered_by_type_however_old_they_are(vault, visit):
    page = visit(vault, "events").page
    settled(page)
    assert page.locator(".events strong").first.text_content() == "CampaignStopped"
    page.select_option("[data-do=event-type]", "CampaignStarted")
    page.wait_for_selector("text=1 event,")
    assert page.locator(".events strong").all_text_contents() == ["CampaignStarted"]
    page.select_option("[data-do=event-type]", "CampaignResumed")
    page.wait_for_selector("text=No such event so far.")


def test_integers_of_sixty_three_bits_are_shown_to_the_last_digit(vault, visit):
    seen = visit(vault)
    campaign = {**read(vault, ROOT), "seed": 4760780793730671121}
    fulfil(seen.page, ROOT, campaign)
    seen.page.reload()
    settled(seen.page)
    assert "4760780793730671121" in shown(seen.page).inner_text()


def test_what_was_not_exercised_is_not_called_passing(vault, visit):
    seen = visit(vault)
    campaign = read(vault, ROOT)
    campaign["tests"] = [
        {"name": "echidna_a", "state": "open", "notExercised": "all calls failed"},
        {"name": "echidna_b", "state": "open"},
    ]
    fulfil(seen.page, ROOT, campaign)
    seen.page.reload()
    seen.page.click("#tab-tests")
    badges = seen.page.locator("#panel-tests .choices .badge")
    badges.first.wait_for()
    assert badges.all_text_contents() == ["○ not exercised", "○ passing"]
    seen.page.click("#panel-tests [data-name=echidna_a]")
    detail = seen.page.locator("#panel-tests .card")
    assert "means nothing: all calls failed." in detail.inner_text()


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_extreme_values_do_not_burst_the_page(size, vault, visit):
    seen = visit(vault, size=size)
    campaign = read(vault, ROOT)
    tests = [
        {"name": f"echidna_{'very_long_name' * 12}_{n}", "state": "open"}
        for n in range(40)
    ]
    title = f"assert({'veryLongName' * 12}) — {'message ' * 20}"
    tests[1] |= {"state": "shrinking", "finding": "nothing", "title": title}
    tests[4] |= {"test": tests[1]["name"], "title": title}
    tests[5] |= {"maximizes": True, "value": str(-(2**255))}
    tests[2] |= {"disputed": True}
    tests[3] |= {"notExercised": "all calls failed, most often with: no " * 9}
    campaign |= {
        "contract": f"{'deep/' * 40}{'Vault' * 30}.sol:{'Vault' * 30}",
        "calls": 10**15,
        "tests": tests,
        "totalTests": 5000,
        "workers": {"running": 32, "total": 512, "states": ["running", "stopped"] * 32},
        "priorities": [f"{'transfer' * 30}(address,uint256)"] * 8,
        "stopped": None,
    }
    fulfil(seen.page, ROOT, campaign)
    coverage = read(vault, f"{ROOT}/coverage")
    coverage["sources"][0]["path"] = f"{'packages-with-long-names/' * 12}Vault.sol"
    fulfil(seen.page, f"{ROOT}/coverage", coverage)
    source = read(vault, f"{ROOT}/sources/0/0")
    source["lines"][0]["text"] = f"// {'long' * 90}"
    source["lines"][1]["branches"] = [[True, False]] * 40
    fulfil(seen.page, f"{ROOT}/sources/0/0", source)
    seen.page.reload()
    for view in VIEWS:
        seen.page.click(f"#tab-{view}")
        seen.page.wait_for_timeout(300)
        keep_screenshot(seen.page, f"extreme-{view}-{size[0]}")
        assert seen.overflow() == 0, view
        assert seen.audit() == [], view
    # The finding that we made up is none.
    expected = [text for text in seen.problems if "404" in text]
    assert len(expected) <= 1
    seen.problems[:] = [text for text in seen.problems if text not in expected]

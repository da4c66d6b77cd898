"""Findings in a real browser: several of one test, their traces, values, sources."""

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
from dashboard_campaigns import (
    FINDINGS_SOURCE,
    HOSTILE_FILE,
    HOSTILE_SOURCE,
    HOSTILE_TEXT,
    SHORT,
    fulfil,
    read,
)
from live_server import RawClient, live_server, run_cli
from solc import require_solc

ROOT = "echidna://campaign"


def found_of(server, number=0):
    """Return the document of a finding."""
    listed = read(server, f"{ROOT}/findings")["findings"]
    return read(server, listed[number]["uri"])


@pytest.mark.parametrize("mobile", [False, True], ids=["window", "telephone"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_every_view_fits_with_all_of_it_open(size, scheme, mobile, findings, visit):
    seen = visit(findings, size=size, color_scheme=scheme, is_mobile=mobile)
    for view in VIEWS:
        seen.page.click(f"#tab-{view}")
        settled(seen.page)
        seen.page.wait_for_timeout(200)
        seen.page.evaluate(
            "document.querySelectorAll('[role=tabpanel]:not([hidden]) details')"
            ".forEach((each) => { each.open = true; })"
        )
        keep_screenshot(seen.page, f"findings-{view}-{size[0]}-{scheme}")
        assert seen.overflow() == 0, view
        # On a telephone a page that is too wide is shown smaller.
        assert seen.page.evaluate("window.innerWidth") == size[0], view
        assert seen.audit() == [], view


def test_failed_findings_come_first_each_with_its_own_sequence(findings, visit):
    page = visit(findings, "tests").page
    settled(page)
    names = page.locator(".choices .name").all_text_contents()
    assert names[:2] == ["Findings.twice(uint256)", "Findings.twice(uint256) #2"]
    badges = page.locator(".choices .badge").all_text_contents()
    assert badges[:2] == ["✗ failed"] * 2
    for number, name in enumerate(names[:2]):
        page.click(f".choices [data-name='{name}']")
        finding = found_of(findings, number)
        assert finding["name"] == name
        page.wait_for_selector(f"#test-detail code:text-is('{finding['id']}')")
        assert page.locator("#test-detail .calls .call").all_text_contents() == [
            call["call"] for call in finding["calls"]
        ]
        confirmed = page.locator("#test-detail [data-key=confirmed]").text_content()
        assert confirmed == f"C{finding['confirmation']['text'][1:]}."
        assert confirmed.startswith("Confirmed on py-evm ")
        at = page.locator("#test-detail .excerpt .at code")
        assert at.text_content().strip().startswith("assert(amount")
        lines = page.locator("#test-detail .excerpt-lines code").all_text_contents()
        first = finding["line"] - 3
        assert lines == FINDINGS_SOURCE.splitlines()[first : first + 5]


def test_what_was_found_opens_beside_the_list_or_below_it(findings, visit):
    for size in SIZES:
        page = visit(findings, "tests", size=size).page
        settled(page)
        choices = page.locator(".choices").bounding_box()
        detail = page.locator("#test-detail").bounding_box()
        beside = detail["x"] >= choices["x"] + choices["width"]
        below = detail["y"] >= choices["y"] + choices["height"]
        assert (beside, below) == (size == SIZES[0], size != SIZES[0])
        page.locator(".choices button").nth(1).click()
        page.wait_for_function(
            "() => document.getElementById('test-detail').getBoundingClientRect().top"
            " < innerHeight / 2"
        )


def test_a_trace_is_a_tree_that_keys_open_and_close(findings, visit):
    page = visit(findings, "tests").page
    settled(page)
    trace = found_of(findings)["trace"]
    tree = page.locator("#test-detail .trace")
    tree.wait_for()
    assert tree.locator("> li").count() == len(trace["calls"])
    outer = tree.locator("> li > details").last
    assert "Findings.twice(amount: " in outer.locator("> summary").text_content()
    assert "Counter.add(amount: " in outer.locator("ul summary").first.text_content()
    assert outer.evaluate("each => each.open")
    assert "✗" in outer.locator("> summary .bad").text_content()
    # A redraw leaves open and closed what whoever looks has opened and closed.
    outer.locator("> summary").focus()
    page.keyboard.press("Enter")
    page.click("#refresh")
    page.wait_for_timeout(400)
    assert not outer.evaluate("each => each.open")
    outer.locator("> summary").focus()
    page.keyboard.press("Space")
    assert outer.evaluate("each => each.open")
    inner = outer.locator("ul details").first
    inner.evaluate("each => { each.open = true; }")
    assert "emit Added(by: " in inner.text_content()
    assert "total: 0 → " in inner.text_content()


def test_sequence_and_foundry_test_are_copied_as_they_are_written(findings, visit):
    seen = visit(findings, "tests", permissions=["clipboard-read", "clipboard-write"])
    page = seen.page
    settled(page)
    finding = found_of(findings)
    page.click("#test-detail [data-do=copy]")
    page.wait_for_selector("text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines() == [call["line"] for call in finding["calls"]]
    # Where several contracts are called, each call names its own already.
    assert re.match(r"(Findings|Counter)\.\w+\(", copied)
    page.locator("summary", has_text="Foundry test").focus()
    page.keyboard.press("Enter")
    page.click("#test-detail [data-do=copy-foundry]")
    page.wait_for_function(
        "() => navigator.clipboard.readText().then((text) => text.includes('pragma'))"
    )
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == finding["foundry"]["text"]
    shown_text = page.locator(".listing code").all_text_contents()
    assert "\n".join(shown_text) == copied.rstrip("\n")


def test_a_value_is_shown_with_all_digits_and_as_a_curve(findings, visit):
    page = visit(findings, "tests").page
    settled(page)
    page.click(".choices [data-name*=optimize_least]")
    page.wait_for_selector("#test-detail .best")
    (value,) = read(findings, f"{ROOT}/values")["values"]
    best = page.locator("#test-detail .best strong").text_content()
    assert best.replace(",", "") == value["value"]
    label = page.locator("#test-detail svg[role=img]").get_attribute("aria-label")
    assert label.startswith(f"{value['test']}: ")
    page.click("#tab-overview")
    figure = page.locator(".figure", has_text=value["test"])
    assert "greatest value" in figure.text_content()
    page.locator("#panel-overview .chart", has_text=value["test"]).wait_for()


def test_functions_tell_calls_reasons_and_gas(findings, visit):
    page = visit(findings, "functions").page
    settled(page)
    statistics = read(findings, f"{ROOT}/functions")["functions"]
    cards = page.locator(".function-list .card")
    assert cards.count() == len(statistics)
    for number, each in enumerate(statistics):
        text = cards.nth(number).inner_text()
        assert each["function"] in text
        assert f"{each['calls']:,}" in text
        assert f"{each['reverts']:,} (" in text
        for reason in each["reasons"]:
            assert reason["reason"] in text
        if each["gas"]:
            assert f"{each['gas']['average']:,}" in text
    (error, *_) = [
        reason
        for each in statistics
        if each["function"] == "Counter.add(uint256)"
        for reason in each["reasons"]
    ]
    # Whatever numbers it was given.
    assert error["reason"] == "TooMuch(…)"
    never = cards.filter(has_text="Findings.never(uint256)")
    assert "No call got through" in never.text_content()


def test_several_contracts_are_told_by_name_and_address(findings, visit):
    page = visit(findings).page
    settled(page)
    assert page.locator("h1").text_content() == "Findings and 1 more contract"
    facts = page.locator(".facts-list").first.inner_text()
    targets = read(findings, ROOT)["targets"]
    assert len(targets) == 2
    for each in targets:
        assert each["contract"].rpartition(":")[2] in facts


def test_the_source_opens_at_the_first_gap_and_marks_what_was_never_entered(
    findings, visit
):
    page = visit(findings, "source").page
    settled(page)
    (source,) = read(findings, f"{ROOT}/coverage")["sources"]
    target = page.locator("tr.target")
    assert target.locator("th").text_content() == str(source["firstGap"])
    box = target.bounding_box()
    assert 0 < box["y"] < SIZES[0][1]
    # Nobody who only looks loses the focus.
    assert focused(page) == ""
    marked = page.locator("tr", has=page.locator(".never"))
    assert "function guarded" in marked.inner_text()
    assert "never entered" in marked.inner_text()


def test_source_has_colours_and_stays_the_same_text(findings, visit):
    page = visit(findings, "source").page
    settled(page)
    code = page.locator(".source code")
    assert "\n".join(code.all_text_contents()) == FINDINGS_SOURCE
    of_kind = {
        kind: set(page.locator(f".source .code-{kind}").all_text_contents())
        for kind in ("keyword", "type", "string", "number", "comment")
    }
    assert {"contract", "function", "external", "assert"} < of_kind["keyword"]
    assert {"uint256", "int256", "address"} <= of_kind["type"]
    assert '"no step"' in of_kind["string"]
    assert {"1000", "1e21", "7"} <= of_kind["number"]
    assert "// SPDX-License-Identifier: Apache-2.0" in of_kind["comment"]
    # A comment over two lines is one on both.
    assert "   and a contract beside the target. */" in of_kind["comment"]


def test_gaps_are_found_over_all_pages_of_a_file(findings, visit):
    seen = visit(findings)
    coverage = read(findings, f"{ROOT}/coverage")
    coverage["sources"][0] |= {"pages": 3, "pagesWithGaps": [0, 2]}
    fulfil(seen.page, f"{ROOT}/coverage", coverage)
    source = read(findings, f"{ROOT}/sources/0/0")
    lines = [
        {"line": 401, "text": "   its comment began on the page before */ uint256 a;"},
        {"line": 402, "text": "uint256 b;", "covered": False},
        {"line": 403, "text": "uint256 c;", "covered": False},
    ]
    last = source | {"page": 2, "lines": lines, "totalLines": 403}
    fulfil(seen.page, f"{ROOT}/sources/0/2", last)
    seen.page.reload()
    seen.page.click("#tab-source")
    target = seen.page.locator("tr.target th")
    found = []
    for _ in range(6):
        target.wait_for()
        found.append(int(target.text_content()))
        seen.page.click("text=Next gap")
        seen.page.wait_for_timeout(300)
    gaps = [line["line"] for line in source["lines"] if line.get("covered") is False]
    assert found == [coverage["sources"][0]["firstGap"], *gaps, 402, 403]
    assert "No further gap" in seen.page.locator("#announcement").text_content()
    comments = seen.page.locator(".source .code-comment").all_text_contents()
    assert comments == ["   its comment began on the page before */"]
    for _ in range(2):
        seen.page.click("text=Previous gap")
        seen.page.wait_for_timeout(300)
    assert int(target.text_content()) == gaps[-1]


def test_vyper_has_its_own_colours(findings, visit):
    seen = visit(findings)
    texts = [
        "# a comment",
        '"""',
        "@notice A text of several lines, def and all",
        '"""',
        "@external",
        "def pay(to: address, amount: uint256 = 0x10):",
        '    assert amount > 1_000, "too # little"  # why',
    ]
    coverage = read(findings, f"{ROOT}/coverage")
    coverage["sources"][0] |= {"path": "Pay.vy", "firstGap": None}
    source = read(findings, f"{ROOT}/sources/0/0")
    lines = [{"line": n, "text": text} for n, text in enumerate(texts, 1)]
    source |= {"path": "Pay.vy", "lines": lines, "totalLines": len(lines)}
    fulfil(seen.page, f"{ROOT}/coverage", coverage)
    fulfil(seen.page, f"{ROOT}/sources/0/0", source)
    seen.page.reload()
    seen.page.click("#tab-source")
    settled(seen.page)
    code = seen.page.locator(".source code")
    code.first.wait_for()
    assert code.all_text_contents() == texts
    of_kind = {
        kind: seen.page.locator(f".source .code-{kind}").all_text_contents()
        for kind in ("keyword", "type", "string", "number", "comment")
    }
    assert of_kind == {
        "keyword": ["@external", "def", "assert"],
        "type": ["address", "uint256"],
        "string": [*texts[1:4], '"too # little"'],
        "number": ["0x10", "1_000"],
        "comment": ["# a comment", "# why"],
    }


def test_a_sequence_of_the_corpus_says_why_calls_failed(findings, visit):
    page = visit(findings, "corpus").page
    settled(page)
    total = read(findings, ROOT)["corpus"]["sequences"]
    failing, reason = next(
        (index, call["trace"]["reason"])
        for index in range(total)
        for call in read(findings, f"{ROOT}/corpus/{index}/trace")["calls"]
        if call and "TooMuch" in (call["trace"]["reason"] or "")
    )
    page.fill("[data-do=sequence-number]", str(failing))
    page.keyboard.press("Enter")
    page.wait_for_selector(f"h2:has-text('Sequence {failing}:')")
    page.locator(".calls .bad", has_text="TooMuch").first.wait_for()
    assert f"✗ {reason}" in page.locator(".calls .bad").all_text_contents()
    page.locator("summary", has_text="Trace").focus()
    page.keyboard.press("Enter")
    assert "TooMuch" in page.locator(".trace").inner_text()


def test_a_finding_appears_while_somebody_looks_and_the_campaign_replays(
    tmp_path, visit
):
    require_solc()
    source = tmp_path / HOSTILE_FILE
    source.write_text(HOSTILE_SOURCE, "utf-8")
    with live_server(tmp_path / "campaign", source, *SHORT) as server:
        page = visit(server, "tests").page
        settled(page)
        assert "No call sequence found" in shown(page).text_content()
        with RawClient(server.url) as client:
            client.call("inject_transaction", sequence=[f'note("{HOSTILE_TEXT}")'])
        tree = page.locator("#test-detail .trace")
        tree.wait_for()
        assert "seen: false → true" in tree.inner_text()
        assert "echidna_unseen()" in tree.locator("> li").last.inner_text()
        page.locator("summary", has_text="Foundry test").click()
        assert "pragma solidity" in page.locator(".listing").inner_text()
        page.goto("about:blank")  # nobody misses the server
    replayed = run_cli("replay", server.directory)
    assert (replayed.returncode, replayed.stdout[:11]) == (0, "Reproduced:")

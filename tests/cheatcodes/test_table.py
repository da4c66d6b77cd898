"""Foundry's cheatcodes: which there are, and which of them work."""

from __future__ import annotations

from pathlib import Path

import pytest
from eth_hash.auto import keccak

from echidna_mcp.cheatcodes.page.page import page
from echidna_mcp.cheatcodes.registry import working
from echidna_mcp.cheatcodes.table import foundry_cheatcodes, refusal_of


def test_each_selector_is_that_of_its_signature():
    table = foundry_cheatcodes()
    assert len(table) == 605
    for each in table:
        assert each.selector == keccak(each.signature.encode())[:4], each
    assert [x.signature for x in table] == sorted({x.signature for x in table})


def test_the_documentation_has_them_all():
    text = Path(__file__).parents[2].joinpath("docs", "cheatcodes.md").read_text()
    assert text == page(), "python -m echidna_mcp.cheatcodes.page > docs/cheatcodes.md"


def test_each_that_works_is_one_of_foundrys():
    known = {each.selector: each.signature for each in foundry_cheatcodes()}
    for selector, each in working().items():
        assert known[selector] == each.signature


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        ("createSelectFork(string)", "needs a live chain"),
        ("activeFork()", "needs a live chain"),
        ("startBroadcast()", "is for scripts"),
        ("writeFile(string,string)", "writes files"),
        ("promptUint(string)", "asks a person"),
        ("unixTime()", "depends on the clock"),
    ],
)
def test_those_that_never_work_say_why(signature, reason):
    (found,) = (each for each in foundry_cheatcodes() if each.signature == signature)
    assert refusal_of(found).startswith(reason)

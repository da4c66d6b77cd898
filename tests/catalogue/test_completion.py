from __future__ import annotations

from typing import Any

import pytest

from echidna_mcp.catalogue.completion import Completion, complete

CONTEXT: Any = object()
NAMES = ["withdraw(uint256)", "deposit()", "redeposit()", "Deposited()"]


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", NAMES),
        ("dep", ["deposit()", "Deposited()", "redeposit()"]),
        ("DEP", ["deposit()", "Deposited()", "redeposit()"]),
        ("(uint", ["withdraw(uint256)"]),
        ("nothing", []),
    ],
)
def test_what_begins_with_it_comes_before_what_holds_it(typed, values):
    found = complete(lambda _context: NAMES, typed, CONTEXT)
    assert found == Completion(tuple(values), len(values))


def test_an_answer_holds_a_hundred_values_and_tells_how_many_there_are():
    found = complete(lambda _context: map(str, range(1000)), "1", CONTEXT)
    assert len(found.values) == 100
    assert found.total == sum("1" in str(number) for number in range(1000))


def test_equal_values_are_one():
    found = complete(lambda _context: ["a", "b", "a"], "a", CONTEXT)
    assert found == Completion(("a",), 1)


def test_an_argument_without_candidates_has_none():
    assert complete(None, "a", CONTEXT) == Completion()

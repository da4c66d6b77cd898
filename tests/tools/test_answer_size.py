"""No answer is larger than clients show to a model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.tools.size import ANSWER_BYTES, fitting


def size(items: list[Any]) -> int:
    """Bytes of a list as JSON, but for its brackets."""
    text = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode()) - 1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.text('a"\\ü\n💥', max_size=20).map(lambda text: {"call": text}), max_size=30
    ),
    st.integers(0, 3000),
)
def test_the_longest_start_that_fits_is_taken(items, room):
    found = fitting(items, room)
    assert found == items[: len(found)]
    assert len(found) <= 1 or size(found) <= room
    if len(found) < len(items):
        assert found
        assert size(items[: len(found) + 1]) > room


@pytest.mark.parametrize("extra", [-10, 1, 1_000_000])
def test_an_item_that_is_too_long_alone_is_told_in_short(extra):
    item = {"call": "x" * (ANSWER_BYTES + extra), "gas": 7}
    (found,) = fitting([item, {"call": "y"}])
    assert size([found]) <= ANSWER_BYTES
    assert found["gas"] == 7
    assert (found == item) == (size([item]) <= ANSWER_BYTES)
    assert item["call"].startswith(found["call"].removesuffix("…"))

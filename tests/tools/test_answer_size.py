"""No answer is larger than official clients accept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.tools.size import WIRE_BYTES, fitting

FRAME = 4
"""Brackets and quotes around the whole, less a comma in each of the two."""


def on_the_wire(items: list[Any]) -> int:
    """Bytes of a result: once as JSON, once as a JSON string that holds it."""
    text = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode()) + len(json.dumps(text, ensure_ascii=False).encode())


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
    assert len(found) <= 1 or on_the_wire(found) <= room + FRAME
    if len(found) < len(items):
        assert found
        assert on_the_wire(items[: len(found) + 1]) > room + FRAME


@pytest.mark.parametrize("size", [1, WIRE_BYTES])
def test_the_first_item_always_fits(size):
    assert fitting(["x" * size, "y"])[0] == "x" * size

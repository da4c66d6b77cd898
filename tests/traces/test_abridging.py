"""Traces that fit into an answer."""

from __future__ import annotations

from typing import Any

import pytest

from echidna_mcp.tools.size import json_size
from echidna_mcp.traces.abridging import abridged


def call(depth: int, breadth: int, text: str = "7") -> dict[str, Any]:
    """Return a call that makes `breadth` calls, each as deep as is left."""
    inner = [call(depth - 1, breadth, text) for _ in range(breadth)] if depth else []
    return {
        "kind": "call",
        "arguments": [{"name": "a", "value": text}],
        "results": [],
        "inner": [*inner, {"kind": "log", "name": "L", "arguments": []}],
        "hidden": 0,
    }


def trace(*calls: dict[str, Any]) -> dict[str, Any]:
    return {
        "subject": "t",
        "calls": [{"status": "STOP", "trace": each} for each in calls],
        "question": None,
    }


def test_what_fits_is_left_as_it_is():
    whole = trace(call(2, 2), call(1, 1))
    assert abridged(whole, 100_000, json_size) == {**whole, "leftOut": None}


@pytest.mark.parametrize("room", [800, 2_000, 5_000, 20_000])
@pytest.mark.parametrize(
    "whole",
    [
        trace(call(6, 3)),
        trace(call(1, 500)),
        trace(call(60, 1)),
        trace(*[call(1, 3)] * 50),
        trace(call(1, 2, "0x" + "ab" * 50_000)),
        trace(*[call(1, 1, "0x" + "ab" * 500)] * 100),
    ],
    ids=["bushy", "wide", "deep", "long", "large", "long and large"],
)
def test_a_trace_takes_no_more_than_its_room(whole, room):
    found = abridged(whole, room, json_size)
    sentence = found["leftOut"] or ""
    assert json_size({**found, "leftOut": None}) <= room
    # The last call stays: there it fails.
    assert found["calls"][-1]["status"] == "STOP"
    missing = len(whole["calls"]) - len(found["calls"])
    assert (f"{missing} calls of the sequence are left out." in sentence) == bool(
        missing
    )


@pytest.mark.parametrize("room", [1_000, 3_000, 9_000])
def test_what_is_left_out_is_counted_where_it_stood(room):
    whole = trace(call(1, 300))
    found = abridged(whole, room, json_size)
    inner = found["calls"][0]["trace"]["inner"]
    (marker,) = [each for each in inner if each["kind"] == "omitted"]
    assert marker["count"] + len(inner) - 1 == 301
    assert found["leftOut"] == f"{marker['count']} things that calls did are left out."

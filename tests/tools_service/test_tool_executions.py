"""The record of tool calls and what it says about latency."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.tools.executions import ExecutionLog, ToolExecution

START = datetime(2026, 1, 1, tzinfo=UTC)


def execution(tool="read_logs", seconds=0.001, error=None):
    return ToolExecution(
        exec_id=uuid4(),
        tool=tool,
        start=START,
        end=START + timedelta(seconds=seconds),
        duration=seconds,
        success=error is None,
        error=error,
    )


def test_the_oldest_calls_are_dropped():
    log = ExecutionLog(capacity=3)
    calls = [execution() for _ in range(5)]
    for call in calls:
        log.record(call)
    assert log.recent() == tuple(calls[2:])
    assert log.recent(2) == tuple(calls[3:])
    assert log.recent(0) == ()
    assert log.recent(9) == tuple(calls[2:])


def test_percentiles_are_counted_for_each_tool():
    log = ExecutionLog()
    for milliseconds in range(1, 101):
        log.record(execution(seconds=milliseconds / 1000))
    log.record(execution(tool="dump_lcov", seconds=0.5, error="EXECUTION_TIMEOUT"))
    latency = log.latency()
    assert list(latency) == ["dump_lcov", "read_logs"]
    assert latency["read_logs"].p50_ms == pytest.approx(50)
    assert latency["read_logs"].p95_ms == pytest.approx(95)
    assert (latency["read_logs"].calls, latency["read_logs"].failures) == (100, 0)
    assert (latency["dump_lcov"].calls, latency["dump_lcov"].failures) == (1, 1)
    assert latency["dump_lcov"].p95_ms == pytest.approx(500)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=60))
def test_the_median_agrees_with_the_standard_library(durations):
    log = ExecutionLog()
    for seconds in durations:
        log.record(execution(seconds=seconds))
    expected = statistics.median_low(durations) * 1000
    assert log.latency()["read_logs"].p50_ms == pytest.approx(expected)
    assert log.latency()["read_logs"].p95_ms >= log.latency()["read_logs"].p50_ms

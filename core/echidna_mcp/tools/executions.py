"""The ToolExecution records of the data model, in memory."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

CAPACITY: Final = 1000
"""So many of the latest calls are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExecution:
    """One call of a tool.

    Attributes:
        exec_id: names the call in the server log.
        tool: name of the tool, as it was called.
        description: what the call asked for, in a line.
        start: UTC time at which the call came in.
        end: UTC time at which it was answered.
        duration: seconds between the two, from a monotonic clock.
        success: whether it gave a result.
        error: code of the failure.
        result: the beginning of the answer.
    """

    exec_id: UUID
    tool: str
    start: datetime
    end: datetime
    duration: float
    success: bool
    description: str = ""
    error: str | None = None
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How one tool has answered lately.

    Attributes:
        calls: calls that are remembered.
        failures: those that failed.
        p50_ms: median duration in milliseconds.
        p95_ms: 95th percentile in milliseconds.
    """

    calls: int
    failures: int
    p50_ms: float
    p95_ms: float


class ExecutionLog:
    """Remembers the latest calls; drops the oldest."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._ring: deque[ToolExecution] = deque(maxlen=capacity)

    def record(self, execution: ToolExecution) -> None:
        """Remember a call."""
        self._ring.append(execution)

    def recent(self, count: int | None = None) -> tuple[ToolExecution, ...]:
        """Return the latest calls, oldest first."""
        calls = tuple(self._ring)
        return calls if count is None else calls[max(0, len(calls) - count) :]

    def latency(self) -> Mapping[str, Latency]:
        """Return how each tool has answered, by name, sorted."""
        by_tool: dict[str, list[ToolExecution]] = {}
        for execution in self._ring:
            by_tool.setdefault(execution.tool, []).append(execution)
        return {tool: _latency(by_tool[tool]) for tool in sorted(by_tool)}


def _latency(executions: list[ToolExecution]) -> Latency:
    durations = sorted(execution.duration for execution in executions)
    return Latency(
        calls=len(executions),
        failures=sum(not execution.success for execution in executions),
        p50_ms=_percentile(durations, 50) * 1000,
        p95_ms=_percentile(durations, 95) * 1000,
    )


def _percentile(ordered: list[float], percent: int) -> float:
    """Return the smallest value that `percent` % of all values do not exceed."""
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]

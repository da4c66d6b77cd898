"""What the machines of a campaign did; never part of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatistics:
    """What a machine did for a campaign.

    Attributes:
        tasks, calls: how many were run there.
        seconds: for which its workers have worked, all together.
        workers: how many it has now.
    """

    tasks: int
    seconds: float
    calls: int = 0
    workers: int = 0

    @property
    def rate(self) -> int:
        """Calls a second of all its workers, while all of them work."""
        return round(self.calls / self.seconds * self.workers) if self.seconds else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorStatistics:
    """What an executor on several machines did; never part of a result.

    Attributes:
        nodes: by name for people.
        lost: workers that died, or were given up after a task had failed there.
        compared: second results of a task that were held against the first.
    """

    nodes: Mapping[str, NodeStatistics] = field(default_factory=dict)
    lost: int = 0
    compared: int = 0

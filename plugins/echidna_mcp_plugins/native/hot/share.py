"""What part of a campaign runs on one machine."""

from __future__ import annotations


class Share:
    """Estimates it from the tasks that come here: executors deal them out.

    Attributes:
        machines: how many times as much as this one all do together.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._tasks = self._first_round = 0
        self.machines = 1

    def count(self, round_: int) -> None:
        """Take note that a task of a round begins."""
        if self._tasks:
            tasks = (round_ - self._first_round) * self._workers
            nearest = (tasks + self._tasks // 2) // self._tasks
            self.machines = max(1, nearest)
        else:
            self._first_round = round_
        self._tasks += 1

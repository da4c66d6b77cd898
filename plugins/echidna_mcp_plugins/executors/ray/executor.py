"""Handing out the tasks of a round: again if they are lost, late, or to be compared."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from echidna_mcp.campaign.crash import Crash, CrashError
from echidna_mcp.events.event import Event
from echidna_mcp.reports.machines import ExecutorStatistics
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp_plugins.executors.ray.actor import Answer
from echidna_mcp_plugins.executors.ray.cluster import Cluster, chosen_address
from echidna_mcp_plugins.executors.ray.crew import (
    ROOM_SECONDS,
    Crew,
    Errand,
    Lost,
    Member,
)

COMPARED_OF: Final = 100
"""One task in so many is run on two actors."""
_LATE: Final = 2.0
"""How many times as long as the round's median a task takes that is late."""
_LEAST_LATE_SECONDS: Final = 0.25
_MOST_DEATHS: Final = 2
_MOST_LOSSES: Final = 5
"""Some actors may have died before they began it; that can't always be known."""
_ERRANDS: Final = 2
"""How many tasks an actor has while there are many: it need not wait for the next."""
_POLL_SECONDS: Final = 0.1
"""How often it is looked for late tasks; an answer is seen at once."""
_WAIT_SECONDS: Final = 1.0


def is_compared(task: RoundTask) -> bool:
    """Whether a task is one of those that are run twice: the same in every run."""
    text = f"{task.round} {task.worker}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8]) % COMPARED_OF == 0


@dataclass(eq=False, slots=True)
class _Job:
    """A task until it has all its answers.

    Attributes:
        wanted: how many answers the round waits for.
        result: the first answer.
        first: whose it is.
        digest: of it, if another answer may come.
        members: who runs it now, or is to run it next.
        lost: how many actors died that it was given to.
        deaths: how many of them certainly ran it.
        done: whether the round has its answer; later ones are only compared.
    """

    task: RoundTask
    wanted: int
    answers: int = 0
    result: RoundResult | None = None
    first: Member | None = None
    digest: str = ""
    members: list[Member] = field(default_factory=list)
    lost: int = 0
    deaths: int = 0
    done: bool = False


class RayExecutor:
    """Runs tasks on actors of a Ray cluster, `physical_workers` at once."""

    def __init__(
        self, physical_workers: int = 0, *, room_seconds: float = ROOM_SECONDS
    ) -> None:
        """Know where tasks are to run; nothing is started yet.

        Args:
            physical_workers: how many actors; 0: one a CPU of the cluster, which may
                grow and shrink.
            room_seconds: how long to wait for a node when there is none.

        Raises:
            UsageError: `RAY_ADDRESS` is no address.
        """
        self._wanted = physical_workers
        self._room_seconds = room_seconds
        self._cluster = Cluster(chosen_address())
        self._crew: Crew | None = None
        self._jobs: dict[Errand, _Job] = {}

    @property
    def physical_workers(self) -> int:
        """How many tasks run at once, if the cluster has room for them.

        Raises:
            UsageError: there is no such cluster.
        """
        if self._wanted:
            return self._wanted
        if self._crew is not None:
            return self._crew.wanted
        if self._cluster.address is None:
            return os.cpu_count() or 1
        self._cluster.connect(0)
        return max(1, self._cluster.cpus())

    @property
    def statistics(self) -> ExecutorStatistics:
        """What was done so far, and where; no result depends on it."""
        return ExecutorStatistics() if self._crew is None else self._crew.statistics

    def prepare(self, setup: WorkerSetup) -> None:
        """Connect to the cluster, or start one, and ask it for actors.

        Raises:
            UsageError: there is no such cluster.
        """
        self._crew = Crew(self._cluster, setup, self._wanted, self._room_seconds)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult | TaskFailure]:
        """Let the actors pull tasks until each has an answer.

        Raises:
            CrashError: two nodes gave different results for the same task.
            UsageError: the cluster has no room for a single actor.
        """
        assert self._crew is not None, "prepare comes first"
        crew = self._crew
        for old in self._jobs.values():
            old.done = True  # Of a round that was given up, or answered by another.
        crew.past.extend(relevant(news))
        jobs = [_Job(task, wanted=1 + is_compared(task)) for task in tasks]
        queue = deque(jobs)
        queue.extend(job for job in jobs if job.wanted > 1)
        durations: list[float] = []
        left, looked = len(jobs), 0.0
        while left:
            crew.fill()
            self._hand_out(queue)
            now = time.monotonic()
            if crew.idle and durations and now - looked > _POLL_SECONDS:
                looked = now
                late = max(_LATE * median(durations), _LEAST_LATE_SECONDS)
                self._hand_out_again(late)
            seconds = _POLL_SECONDS if crew.idle else _WAIT_SECONDS
            for errand, member, outcome in crew.wait(seconds):
                job = self._jobs.pop(errand)
                job.members.remove(member)
                if isinstance(outcome, Answer) and not job.done:
                    durations.append(outcome.seconds)
                answer = self._settled(job, member, outcome)
                if answer is not None:
                    job.done = True
                    left -= 1
                    yield answer
                elif not job.done and job.answers + len(job.members) < job.wanted:
                    queue.appendleft(job)

    def _hand_out(self, queue: deque[_Job]) -> None:
        """Give tasks to idle actors while there are both, and some for later."""
        assert self._crew is not None
        for _ in range(len(queue)):
            if not self._crew.idle:
                break
            job = queue.popleft()
            if job.done:
                continue
            member = self._choose(job)
            if member is None:
                queue.append(job)  # A second answer of the same actor proves little.
            else:
                self._give(member, job)
        # The last ones are left to whoever is idle first.
        for member in self._crew.working:
            if len(queue) <= len(self._crew.working) or queue[0].wanted > 1:
                return
            if len(member.errands) < _ERRANDS:
                self._give(member, queue.popleft())

    def _choose(self, job: _Job) -> Member | None:
        """Choose an idle actor, if possible on a node that has not had the task.

        Returns:
            None if it is better to wait for one that is working.
        """
        assert self._crew is not None
        idle = self._crew.idle
        had = [*job.members, *([job.first] if job.first else [])]
        nodes = {member.node for member in had}
        for member in idle:
            if member.node not in nodes:
                return member
        others = [member for member in idle if member not in had]
        if others:
            return others[0]
        waits = any(member is not job.first for member in self._crew.working)
        return None if waits else idle[0]

    def _hand_out_again(self, late: float) -> None:
        """Give tasks that take more than so many seconds to idle actors as well.

        Their actor may be on a machine that is slow, or gone without a word.
        """
        assert self._crew is not None
        now = time.monotonic()
        slow = [member for member in self._crew.working if now - member.begun > late]
        for member in slow:
            # What comes after a late task waits for it as well.
            for errand in member.errands:
                job = self._jobs[errand]
                if self._crew.idle and not job.done and job.members == [member]:
                    self._give(self._choose(job) or self._crew.idle[0], job)

    def _give(self, member: Member, job: _Job) -> None:
        assert self._crew is not None
        errand = self._crew.give(member, job.task)
        job.members.append(member)
        self._jobs[errand] = job

    def _settled(
        self, job: _Job, member: Member, outcome: Answer | Lost
    ) -> RoundResult | TaskFailure | None:
        """Return the answer to a task, if this was what it lacked.

        Raises:
            CrashError: it is not what another actor has answered.
        """
        result = outcome.result if isinstance(outcome, Answer) else ""
        if isinstance(result, RoundResult):
            job.answers += 1
            if job.answers == 1:
                job.result, job.first = result, member
                if job.members or job.wanted > 1:
                    job.digest = result.digest
            else:
                self._compare(job, member, result)
        else:
            reason = outcome.reason if isinstance(outcome, Lost) else result
            if isinstance(outcome, Lost):
                job.lost += 1
                job.deaths += not outcome.innocent
                if job.deaths < _MOST_DEATHS and job.lost < _MOST_LOSSES:
                    return None
            if job.result is None:
                return None if job.done else TaskFailure(task=job.task, reason=reason)
            job.wanted = (
                job.answers
            )  # That nothing could be compared with it is bad luck.
        if job.done or job.answers < job.wanted:
            return None
        answer, job.result = job.result, None
        return answer

    def _compare(self, job: _Job, member: Member, result: RoundResult) -> None:
        """Hold a further answer against the first.

        Raises:
            CrashError: they differ.
        """
        assert self._crew is not None
        assert job.first is not None
        self._crew.counts.compared += 1
        if result.digest != job.digest:
            why = (
                f"{job.first.place} and {member.place} gave different results for the "
                "same task"
            )
            blame = "One of these machines, or what is installed there, is broken"
            task = job.task
            raise CrashError(
                Crash(
                    round=task.round,
                    worker=task.worker,
                    job=task,
                    failures=(why,),
                    blame=blame,
                )
            )

    def close(self) -> None:
        """End the actors and the connection, and Ray if it is the campaign's own."""
        crew, self._crew = self._crew, None
        self._jobs = {}
        if crew is not None:
            crew.close()
        self._cluster.close()

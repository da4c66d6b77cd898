"""A small model of a round on the executor `ray`: what limits it, with many cores.

One process, the coordinator, plans a round, hands its tasks to actors that pull them,
takes their answers, merges and commits. Actors fold what the round before has brought
and run one task after the other. The model hands tasks out as the executor does, with
times for each step that `scale_inputs` has measured; it knows no Ray and no campaign.

All times are seconds, all sizes bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

INLINE_BYTES = 32 << 10
"""A delta up to this size goes along with the call (`crew`)."""
DRAINED = 64
"""With more references than this all answers are taken that are there (`crew`)."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A cost that grows with something: `base + each * n`."""

    base: float
    each: float = 0.0

    def __call__(self, n: float) -> float:
        """Return the cost of so many."""
        return self.base + self.each * n


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What each step takes, measured.

    Attributes:
        plan: the tasks of a round, by logical workers.
        merge: their results, by logical workers, without what they have found.
        found: merging what they have found, by bytes of the delta.
        commit: the round, by logical workers.
        stored: committing what they have found, by bytes of the delta.
        pack: a delta into an object, by its bytes.
        submit: a call of an actor, by the bytes that go along.
        call: handing out a task and hearing of its answer, if the coordinator has slept
            before, as it does with few actors.
        hurried: the same if it never sleeps.
        wait: for an answer, by references that are awaited.
        answer: taking it, by bytes of the result.
        way: of a message from one process to another.
        fold: a delta into a replica, by its bytes.
        fetch: a delta from another node, by its bytes.
        errand: what an actor does beside each task, before the next.
        around: processor time of other threads and processes for each task, which
            matters where they share a core with actors.
        services: cores that Ray itself takes on each node.
    """

    plan: Linear
    merge: Linear
    found: float
    commit: Linear
    stored: float
    pack: Linear
    submit: Linear
    call: float
    hurried: float
    wait: Linear
    answer: Linear
    way: float
    fold: Linear
    fetch: Linear
    errand: float
    around: float
    services: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """What a campaign runs on.

    Attributes:
        actors: how many, the same number on each node.
        nodes: the coordinator is on the first.
        cores: how many all of it shares, if the nodes are one machine; None if each
            actor has a core of its own, and so has the coordinator.
        ahead: whether an actor that works is given the next task while there are many.
        stretch: how many times as long all work takes, because it has to wait for a
            core; beside `cores` it is 1.
    """

    actors: int
    nodes: int = 1
    cores: float | None = None
    ahead: bool = True
    stretch: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What there is to do in a round.

    Attributes:
        tasks: processor time of each logical worker's.
        twice: which of them are run on two actors.
        delta: what the round before has brought.
        result: size of an answer.
    """

    tasks: Sequence[float]
    twice: Sequence[int] = ()
    delta: int = 0
    result: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """What became of a round.

    Attributes:
        seconds: how long it took.
        alone: how long of it nobody but the coordinator could work.
        coordinator: how long of it the coordinator worked.
        idle: which part of the time that actors had was spent on no task.
    """

    seconds: float
    alone: float
    coordinator: float
    idle: float


def simulate(machines: Machines, costs: Costs, work: Work) -> Round:
    """Return how a round goes."""
    return _Simulation(machines, costs, work).run()


@dataclass(slots=True)
class _Simulation:
    machines: Machines
    costs: Costs
    work: Work
    now: float = 0.0
    spent: float = 0.0
    slowdown: float = 1.0
    idle: deque[int] = field(default_factory=deque)
    free: list[float] = field(default_factory=list)
    """When each actor has done all that it was given."""
    answers: list[tuple[float, int, int]] = field(default_factory=list)
    """When the coordinator can hear of it, actor and task; a heap."""
    errands: list[int] = field(default_factory=list)
    single: dict[int, None] = field(default_factory=dict)
    """The actors that have one task, and can take another."""
    folded: list[bool] = field(default_factory=list)

    def run(self) -> Round:
        machines, costs, work = self.machines, self.costs, self.work
        workers, actors = len(work.tasks), machines.actors
        self.idle = deque(range(actors))
        self.free, self.errands = [0.0] * actors, [0] * actors
        self.folded = [not work.delta] * actors
        self.slowdown = machines.stretch
        if machines.cores is not None:
            # Ray's own processes take their part whenever they like.
            rest = machines.cores - costs.services * machines.nodes
            self.slowdown = max(1.0, actors / rest)
        self._spend(costs.plan(workers))
        if work.delta:
            self._spend(costs.pack(work.delta))
        before = self.now
        queue = deque([*range(workers), *work.twice])
        wanted = [1] * workers
        for task in work.twice:
            wanted[task] += 1
        left = workers
        while left:
            self._hand_out(queue)
            for task in self._wait():
                wanted[task] -= 1
                left -= not wanted[task]
        after = self.now
        self._spend(costs.merge(workers) + costs.found * work.delta)
        self._spend(costs.commit(workers) + costs.stored * work.delta)
        alone = self.now - after + before
        tasks = sum(work.tasks) + sum(work.tasks[each] for each in work.twice)
        idle = 1 - tasks * self.slowdown / (actors * self.now)
        return Round(self.now, alone, self.spent, idle)

    def _spend(self, seconds: float) -> None:
        """Let the coordinator work; on a machine without a core for it, others wait."""
        seconds *= self.machines.stretch
        self.now += seconds
        self.spent += seconds
        if self.machines.cores is None or not self.answers:
            return
        running = self.machines.actors - len(self.idle)
        part = max(0.0, running + 1 - self.machines.cores) / (running or 1)
        late = part * seconds
        self.answers = [
            (at + late if at > self.now else at, actor, task)
            for at, actor, task in self.answers
        ]
        self.free = [at + late if at > self.now else at for at in self.free]

    def _hand_out(self, queue: deque[int]) -> None:
        while queue and self.idle:
            self._give(self.idle.popleft(), queue.popleft())
        working = self.machines.actors - len(self.idle)
        while self.machines.ahead and self.single and len(queue) > working:
            self._give(next(iter(self.single)), queue.popleft())

    def _give(self, actor: int, task: int) -> None:
        """Hand a task to an actor, and the delta before the first."""
        costs, delta = self.costs, self.work.delta
        folds = not self.folded[actor]
        inline = delta if folds and delta <= INLINE_BYTES else 0
        self._spend(costs.call + (costs.submit(inline) if folds else 0.0))
        begin = max(self.now + costs.way, self.free[actor])
        if folds:
            self.folded[actor] = True
            begin += costs.fold(delta) * self.slowdown
            if not inline:
                begin += self._fetching(actor)
        length = self.work.tasks[task] + costs.errand
        if self.machines.cores is not None:
            length += costs.around
        end = begin + length * self.slowdown
        self.free[actor] = end
        self.errands[actor] += 1
        if self.errands[actor] == 1:
            self.single[actor] = None
        else:
            del self.single[actor]
        heappush(self.answers, (end + costs.way, actor, task))

    def _fetching(self, actor: int) -> float:
        """Return how long the node of an actor waits for the delta.

        The first node has it. All others have it from there: one after the other, as
        its network carries one byte at a time.
        """
        node = actor % self.machines.nodes
        fetch = self.costs.fetch
        return fetch.base + fetch.each * self.work.delta * node if node else 0.0

    def _wait(self) -> list[int]:
        """Return the tasks that are answered, as soon as one is."""
        costs, awaited = self.costs, len(self.answers)
        self.now = max(self.now, self.answers[0][0])
        self._spend(costs.wait(awaited))
        found = []
        while self.answers and self.answers[0][0] <= self.now:
            _, actor, task = heappop(self.answers)
            found.append(task)
            self.errands[actor] -= 1
            if self.errands[actor]:
                self.single[actor] = None
            else:
                del self.single[actor]
                self.idle.append(actor)
            if awaited <= DRAINED:
                break
        self._spend(costs.answer(self.work.result) * len(found))
        return found

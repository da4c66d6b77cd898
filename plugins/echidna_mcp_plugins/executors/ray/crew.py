"""The actors of a campaign, as the campaign sees them."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from echidna_mcp import __version__
from echidna_mcp.errors import UsageError
from echidna_mcp.reports.machines import ExecutorStatistics, NodeStatistics
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp_plugins.executors.ray.actor import (
    Answer,
    Arrival,
    MachineCode,
    Stretch,
    own_code,
    remote_actor,
)
from echidna_mcp_plugins.executors.ray.cluster import Cluster
from echidna_mcp_plugins.executors.ray.past import Past

ROOM_SECONDS: Final = 60.0
"""How long a campaign without any actor waits for a node that has room for one."""
_GROW_SECONDS: Final = 5.0
"""How often it is looked whether the cluster has grown, if it says how many actors."""
_MOST_FALSE_STARTS = 5
"""So many actors in a row may die before they arrive: then there is a reason for it."""
_MOST_INLINE_BYTES: Final = 32 << 10
_MANY_AWAITED: Final = 64
"""Looking for one answer among so many takes less than looking for all there are."""
_COLOURS: Final = re.compile(r"\x1b\[\d*m")
_MOST_CHARACTERS: Final = 240
_FORWARDED: Final = ("ECHIDNA_MCP_KERNELS", "ECHIDNA_MCP_HOT_CODE")
"""Variables of the campaign's process that hold on every node."""


@dataclass(frozen=True, eq=False, slots=True)
class Errand:
    """A task that an actor has been given.

    Attributes:
        answer: the reference that is ready when it is done.
        folding: the reference to what is folded before it, if anything is. It fails
            only if the actor died before the task began.
    """

    answer: Any
    folding: Any


@dataclass(eq=False, slots=True)
class Member:
    """An actor.

    Attributes:
        handle: Ray's.
        arriving: the reference that is ready when it has arrived.
        arrival: where it is; None before it has arrived.
        sent: how many events it has been given to fold.
        errands: what it runs, and what it runs after that.
        begun: when it began with the first of them, as far as can be known here.
    """

    handle: Any
    arriving: Any
    arrival: Arrival | None = None
    sent: int = 0
    errands: list[Errand] = field(default_factory=list)
    begun: float = 0.0

    @property
    def node(self) -> str:
        """Where it is, for people."""
        return self.arrival.node if self.arrival else "a node"

    @property
    def place(self) -> str:
        """Where exactly it is."""
        return f"{self.node}, process {self.arrival.pid if self.arrival else 0},"


@dataclass(frozen=True, slots=True)
class Lost:
    """An actor has died, or can't be used any more.

    Attributes:
        reason: why.
        innocent: whether the task that it was given had not begun.
    """

    reason: str
    innocent: bool


@dataclass(slots=True)
class _Node:
    tasks: int = 0
    calls: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class _Counts:
    """What statistics are made of."""

    nodes: dict[str, _Node] = field(default_factory=dict)
    lost: int = 0
    compared: int = 0


class Crew:
    """Keeps as many actors as are wanted, wherever the cluster has room for them."""

    def __init__(
        self, cluster: Cluster, setup: WorkerSetup, wanted: int, room_seconds: float
    ) -> None:
        """Connect and begin to place actors; nobody waits for them here.

        Args:
            cluster: where.
            setup: what replicas need.
            wanted: how many actors; 0: one for each CPU that there is.
            room_seconds: see `ROOM_SECONDS`.

        Raises:
            UsageError: there is no such cluster.
        """
        self._cluster = cluster
        self._ray = cluster.connect(wanted or os.cpu_count() or 1)
        self._errors = self._ray.exceptions
        self._fixed = wanted
        self._room_seconds = room_seconds
        self.wanted = wanted or max(1, cluster.cpus())
        self.counts = _Counts()
        self.past = Past(self._put)
        self._actor = remote_actor(self._ray)
        self._setup = self._ray.put(setup)
        self._code: dict[str, dict[str, bytes]] = {}
        """What is compiled, by processor and name."""
        if own := own_code():
            self._note_code(own)
        self._environment = {
            name: os.environ[name] for name in _FORWARDED if name in os.environ
        }
        self._arriving: list[Member] = []
        self.idle: list[Member] = []
        self.working: list[Member] = []
        self._false_starts = 0
        self._looked = self._staffed = time.monotonic()
        self.fill()

    def _put(self, stretch: Stretch) -> Any:
        """Return what is passed to actors for a stretch."""
        data = pickle.dumps(stretch)
        # A small one is there with the call, and not after a word with the store.
        return data if len(data) <= _MOST_INLINE_BYTES else self._ray.put(data)

    def fill(self) -> None:
        """Ask for actors in the place of those that are missing."""
        now = time.monotonic()
        if not self._fixed and now - self._looked > _GROW_SECONDS:
            self._looked = now
            self.wanted = max(1, self._cluster.cpus())
        missing = self.wanted - len(self._arriving + self.idle + self.working)
        if missing <= 0:
            return
        code = self._ray.put(
            [MachineCode(host, objects) for host, objects in self._code.items()]
        )
        for _ in range(missing):
            handle = self._actor.remote(self._setup, code, self._environment)
            self._arriving.append(Member(handle, handle.arrive.remote()))
            handle.fold.remote()  # The replica is built before there are tasks.

    def give(self, member: Member, task: RoundTask) -> Errand:
        """Hand a task to an actor, after the events that it has not seen.

        One that works already runs it as soon as it can, with no delay between.
        """
        if not member.errands:
            self.idle.remove(member)
            self.working.append(member)
            member.begun = time.monotonic()
        news = self.past.since(member.sent)
        folding = None
        # An actor that has died since tells it here, before the task.
        if news or member.sent == 0:
            folding = member.handle.fold.remote(*news)
        member.sent = self.past.length
        errand = Errand(member.handle.run.remote(pickle.dumps(task)), folding)
        member.errands.append(errand)
        return errand

    def wait(self, seconds: float) -> list[tuple[Errand, Member, Answer | Lost]]:
        """Return what has become of tasks, as soon as it is known of one.

        Raises:
            UsageError: no actor can be placed, or none can begin.
        """
        arriving = {each.arriving: each for each in self._arriving}
        working = {
            errand.answer: (errand, member)
            for member in self.working
            for errand in member.errands
        }
        awaited = [*working, *arriving]
        ready, _ = self._ray.wait(awaited, num_returns=1, timeout=seconds)
        if ready and len(awaited) > _MANY_AWAITED:
            # One by one, a round would take the square of their number.
            every = len(awaited)
            ready, _ = self._ray.wait(awaited, num_returns=every, timeout=0)
        found: list[tuple[Errand, Member, Answer | Lost]] = []
        for reference in ready:
            if reference in working:
                errand, member = working[reference]
                # If its actor is lost, that was heard of already.
                if errand in member.errands:
                    found += self._answered(errand, member)
            else:
                self._arrived(arriving[reference])
        self._check_room()
        return found

    def _answered(
        self, errand: Errand, member: Member
    ) -> list[tuple[Errand, Member, Answer | Lost]]:
        """Return what has become of a task, and of others if the actor is lost."""
        outcome: Answer | Lost
        try:
            outcome = pickle.loads(self._ray.get(errand.answer))  # noqa: S301 - ours
        except self._errors.RayError as error:
            # Whichever was heard of, it was the first that was run.
            errand = member.errands[0]
            outcome = Lost(_reason(error), innocent=self._never_began(errand))
        member.errands.remove(errand)
        found: list[tuple[Errand, Member, Answer | Lost]] = [(errand, member, outcome)]
        if isinstance(outcome, Answer):
            if outcome.code is not None:
                self._share(member, outcome.code)
            node = self.counts.nodes[member.node]
            node.tasks += 1
            node.seconds += outcome.seconds
            if not isinstance(outcome.result, str):
                node.calls += outcome.result.counters.calls
                member.begun = time.monotonic()
                if not member.errands:
                    self.working.remove(member)
                    self.idle.append(member)
                return found
        # Its replica may be in any state, if it lives.
        self._end(member)
        self.working.remove(member)
        self.counts.lost += 1
        unheard = Lost("the worker was lost before", innocent=True)
        found += [(each, member, unheard) for each in member.errands]
        member.errands.clear()
        return found

    def _note_code(self, code: MachineCode) -> None:
        """Keep what is compiled for actors that are yet to come."""
        self._code.setdefault(code.host, {}).update(code.objects)

    def _share(self, giver: Member, code: MachineCode) -> None:
        """Hand out what an actor has compiled; those of its node have it already."""
        self._note_code(code)
        reference = self._ray.put(code)
        for member in (*self._arriving, *self.idle, *self.working):
            if member.node != giver.node:
                member.handle.take.remote(reference)

    def _never_began(self, errand: Errand) -> bool:
        """Whether an actor that is lost had not even folded what came first."""
        if errand.folding is None:
            return False
        try:
            self._ray.get(errand.folding, timeout=0)
        except self._errors.RayError:
            return True
        return False

    def _arrived(self, member: Member) -> None:
        """Let an actor join those that are idle.

        Raises:
            UsageError: it is of another version, or it has died as others before it.
        """
        self._arriving.remove(member)
        try:
            arrival: Arrival = self._ray.get(member.arriving)
        except self._errors.RayError as error:
            self._end(member)
            self._false_starts += 1
            if self._false_starts > _MOST_FALSE_STARTS:
                raise UsageError(
                    f"No worker can begin on the Ray cluster: {_reason(error)}. Each "
                    "node needs echidna-mcp in the same version, with the same plugins."
                ) from error
            return
        if arrival.version != __version__:
            raise UsageError(
                f"echidna-mcp on {arrival.node} has version {arrival.version}, and "
                f"this is {__version__}; install the same one on every node."
            )
        self._false_starts = 0
        member.arrival = arrival
        self.counts.nodes.setdefault(arrival.node, _Node())
        self.idle.append(member)

    def _check_room(self) -> None:
        if self.idle or self.working:
            self._staffed = time.monotonic()
        elif time.monotonic() - self._staffed > self._room_seconds:
            raise UsageError(
                f"The Ray cluster has had no room for a worker for "
                f"{self._room_seconds:.0f} seconds: each takes a CPU, and of "
                f"{self._cluster.cpus()} there, {self._cluster.free_cpus()} are free. "
                "Add nodes, or end what else runs there."
            )

    def _end(self, member: Member) -> None:
        with contextlib.suppress(self._errors.RayError):
            self._ray.kill(member.handle)

    @property
    def statistics(self) -> ExecutorStatistics:
        """What was done so far, and where."""
        present = Counter(each.node for each in (*self.idle, *self.working))
        nodes: Mapping[str, NodeStatistics] = {
            name: NodeStatistics(
                tasks=each.tasks,
                seconds=each.seconds,
                calls=each.calls,
                workers=present[name],
            )
            for name, each in sorted(self.counts.nodes.items())
        }
        return ExecutorStatistics(
            nodes=nodes, lost=self.counts.lost, compared=self.counts.compared
        )

    def close(self) -> None:
        """End the actors, whatever they do."""
        for member in (*self._arriving, *self.idle, *self.working):
            self._end(member)
        self._arriving, self.idle, self.working = [], [], []


def _reason(error: BaseException) -> str:
    """Return in one line why an actor was lost."""
    text = _COLOURS.sub("", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # The last one says why, as in a traceback.
    why = lines[-1][:_MOST_CHARACTERS].rstrip(".") if lines else "no reason is known"
    return f"the worker was lost ({type(error).__name__}: {why})"

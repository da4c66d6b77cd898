"""What runs on a node: a replica behind the methods of an actor.

Only plain values cross to the campaign: `Arrival`, a number, and an `Answer` that is
pickled here, as tasks are there: with what is bytes already Ray does little, and much
less than with a dataclass.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from echidna_mcp import __version__
from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.events.event import Event
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
from echidna_mcp.tracebacks import traceback_text
from echidna_mcp.user_cache import user_cache
from echidna_mcp_plugins.executors.priority import lower_priority


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events that follow each other, of those on which results depend.

    Attributes:
        begin: how many came before the first.
    """

    begin: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class MachineCode:
    """Compiled kernels, and hot code of contracts, by their name in the user's cache.

    The name has the processor and its features in it, as everything else that went into
    the code: on a node with another processor nobody asks for it.

    Attributes:
        host: processor, features and compiler for which it was built.
    """

    host: str
    objects: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Arrival:
    """An actor has begun.

    Attributes:
        node: for people: name of the host, and the beginning of Ray's name for it.
        pid: of its process, on that host.
        version: of echidna-mcp there.
        taken: objects of machine code that the cache there lacked.
    """

    node: str
    pid: int
    version: str
    taken: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a task.

    Attributes:
        result: it, or the traceback of what failed.
        seconds: how long it took.
        code: what was compiled here since the answer before.
    """

    result: RoundResult | str
    seconds: float
    code: MachineCode | None = None


class ReplicaActor:
    """Folds and runs what it is given, in the order in which it is given it."""

    def __init__(
        self,
        setup: WorkerSetup,
        code: Sequence[MachineCode],
        environment: dict[str, str],
    ) -> None:
        """Take what a replica needs; it is built when it is first used.

        Args:
            setup: of the campaign.
            code: what was compiled so far, for each kind of processor.
            environment: variables that say how to run, as where the campaign runs.
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is for the campaign.
        os.environ.update(environment)
        lower_priority(setup.nice)
        self._setup = setup
        self._taken = sum(map(take_code, code))
        self._told = len(user_cache().made)
        self._replica: Replica | None = None
        self._folded = 0
        self._broken = ""

    def arrive(self) -> Arrival:
        """Tell where this is."""
        import ray  # noqa: PLC0415 (an extra)

        node: str = ray.get_runtime_context().get_node_id()
        name = f"{socket.gethostname()} (node {node[:8]})"
        return Arrival(name, os.getpid(), __version__, self._taken)

    def fold(self, *pickled: bytes) -> int:
        """Fold what is new in `Stretch`es that follow each other, building the replica.

        A failure is told by the next task, so that this only fails with the process.

        Returns:
            How many events are folded.
        """
        try:
            if self._replica is None:
                self._replica = Replica(self._setup)
            for each in pickled:
                stretch: Stretch = pickle.loads(each)  # noqa: S301 - the campaign's
                new: Sequence[Event] = stretch.events[self._folded - stretch.begin :]
                assert self._folded >= stretch.begin, "a stretch is missing"
                self._replica.fold(new)
                self._folded += len(new)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
            self._broken = traceback_text(error)
        return self._folded

    def take(self, code: MachineCode) -> int:
        """Take what another node has compiled; return how much of it was new here."""
        return take_code(code)

    def run(self, pickled: bytes) -> bytes:
        """Run a task that is pickled; return the `Answer`, which is pickled as well.

        After one that has failed, this actor is of no use any more.
        """
        return pickle.dumps(self.answer(pickle.loads(pickled)))  # noqa: S301 - as above

    def answer(self, task: RoundTask) -> Answer:
        """Run a task."""
        begin = time.monotonic()
        result: RoundResult | str = self._broken
        if not result:
            assert self._replica is not None, "fold comes first"
            try:
                result = run_round(self._replica, task)
            except BaseException as error:  # noqa: BLE001 - the same
                result = self._broken = traceback_text(error)
        return Answer(result, time.monotonic() - begin, self._made())

    def _made(self) -> MachineCode | None:
        """Return what was compiled here since this was asked for."""
        cache = user_cache()
        # A thread that compiles may add to it meanwhile.
        new = cache.made[self._told :]
        self._told += len(new)
        objects = {key: cache.get(key) for key in dict.fromkeys(new)}
        return _code({key: each for key, each in objects.items() if each is not None})


def own_code() -> MachineCode | None:
    """Return the machine code that this process uses; None if it is plain Python.

    Kernels of the fuzzer and of the native EVM, some 2 MB.
    """
    return _code(user_cache().used)


def _code(objects: Mapping[str, bytes]) -> MachineCode | None:
    return MachineCode(_host(), objects) if objects else None


def take_code(code: MachineCode) -> int:
    """Put machine code for this processor into the cache; return how much was new."""
    try:
        if code.host != _host():
            return 0
    except (EchidnaMcpError, ImportError):
        return 0  # Plain Python it is, here.
    cache = user_cache()
    # Of a contract more may be compiled than was before.
    new = {
        key: content
        for key, content in code.objects.items()
        if cache.get(key) != content
    }
    for key, content in new.items():
        cache.put(key, content, made_here=False)
    return len(new)


def _host() -> str:
    from echidna_mcp.kernel.library.build import host  # noqa: PLC0415 (llvmlite)

    return str(host())


def remote_actor(ray: Any) -> Any:
    """Return the class whose `remote` places an actor on a node that has a CPU free."""
    # Ray would restart it without what it has folded, and run a task again unasked.
    return ray.remote(
        num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
    )(ReplicaActor)

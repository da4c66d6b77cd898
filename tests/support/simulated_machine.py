"""Processes, pipes and a disk that loses what was not written through, for simulations.

A simulated process is a thread; what goes to it is pickled, as through a real pipe. It
can be killed anywhere. When the machine loses its power, what is left of a store is
what SQLite had made durable, and of the rest as much as the seed says.
"""

from __future__ import annotations

import pickle
import shutil
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from schedule import Schedule

from echidna_mcp.events.store import EventStore


class SimPipe:
    """One end of a pipe between two processes."""

    def __init__(self, now: Schedule) -> None:
        self._now = now
        self._inbox: deque[bytes] = deque()
        self._other: SimPipe
        self._closed = False
        self.owner: SimProcess | None = None

    @classmethod
    def pair(cls, now: Schedule) -> tuple[SimPipe, SimPipe]:
        ours, theirs = cls(now), cls(now)
        ours._other, theirs._other = theirs, ours
        return ours, theirs

    def send(self, message: Any) -> None:
        self._now.step()
        if self._closed or self._other._closed:
            raise BrokenPipeError
        self._other._inbox.append(pickle.dumps(message))
        self._now.step()

    def recv(self) -> Any:
        self._now.wait(lambda: self.readable)
        if self._closed:
            raise OSError("handle is closed")
        if not self._inbox:
            raise EOFError
        return pickle.loads(self._inbox.popleft())

    @property
    def readable(self) -> bool:
        return bool(self._inbox) or self._closed or self._other._closed

    def close(self) -> None:
        me = self._now.current
        # Who has handed its copy to another process closes nothing of that.
        if self.owner is None or me is None or me.process is self.owner:
            self._closed = True


def wait_for(now: Schedule) -> Callable[[Sequence[SimPipe]], list[SimPipe]]:
    """Return what `multiprocessing.connection.wait` is to be."""

    def wait(pipes: Sequence[SimPipe]) -> list[SimPipe]:
        now.wait(lambda: any(pipe.readable for pipe in pipes))
        return [pipe for pipe in pipes if pipe.readable]

    return wait


class SimProcess:
    """`multiprocessing.Process`, as a group of threads."""

    def __init__(
        self,
        now: Schedule,
        target: Callable[..., Any],
        args: tuple[Any, ...],
        name: str,
    ) -> None:
        self._now = now
        self._target, self._name = target, name
        self._pipes = [each for each in args if isinstance(each, SimPipe)]
        for pipe in self._pipes:
            pipe.owner = self
        self._packed = [
            each if isinstance(each, SimPipe) else pickle.dumps(each) for each in args
        ]
        self.exitcode: int | None = None
        self._code = -9

    def start(self) -> None:
        thread = threading.Thread(target=self._live, name=self._name, daemon=True)
        thread.start()

    def _live(self) -> None:
        me = self._now.current
        assert me is not None
        me.process = self
        args = [
            each if isinstance(each, SimPipe) else pickle.loads(each)
            for each in self._packed
        ]
        me.at_end.append(self._ended)
        self._target(*args)
        self._code = 0

    def _ended(self) -> None:
        self.exitcode = self._code
        for pipe in self._pipes:
            pipe._closed = True

    def kill(self) -> None:
        self._now.doom(lambda thread: thread.process is self)

    def is_alive(self) -> bool:
        return self.exitcode is None

    def join(self, timeout: float | None = None) -> None:
        if timeout is None:
            self._now.wait(lambda: self.exitcode is not None)
        else:
            self._now.step()

    def close(self) -> None:
        pass


class SimProcesses:
    """`multiprocessing`, for what starts processes."""

    def __init__(self, now: Schedule) -> None:
        self._now = now

    def get_context(self, _method: str) -> SimProcesses:
        return self

    def Pipe(self) -> tuple[SimPipe, SimPipe]:  # noqa: N802 - Python's name
        return SimPipe.pair(self._now)

    def Process(  # noqa: N802 - Python's name
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        name: str = "process",
        daemon: bool = False,
    ) -> SimProcess:
        assert daemon or not kwargs
        return SimProcess(self._now, target, args, name)


class SimDisk:
    """Where stores lie; it remembers what was written through.

    `watch` is to be installed in place of `EventStore._commit`.
    """

    def __init__(self, now: Schedule) -> None:
        self._now = now
        self._through: dict[Path, int] = {}
        self._commit = EventStore._commit

    def watch(self, store: EventStore, rows: Any, *, durable: bool) -> None:
        """Commit, and remember how long the log of SQLite is then, if durable."""
        self._commit(store, rows, durable=durable)
        if durable:
            self._through[store.path] = _size(_log_of(store.path))
        self._now.step()

    def after_power_loss(self, path: Path, to: Path) -> Path:
        """Copy a store as a loss of power at this moment may leave it.

        SQLite writes its log through at a durable commit. What was appended later may
        be there up to any point.
        """
        to.mkdir(parents=True)
        shutil.copy(path, to / path.name)
        log = _log_of(path)
        if log.exists():
            data = log.read_bytes()
            through = min(self._through.get(path, 0), len(data))
            kept = through + self._now.random.randrange(len(data) - through + 1)
            _log_of(to / path.name).write_bytes(data[:kept])
            self._through[to / path.name] = kept  # What is there now was on the disk.
        return to / path.name


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

"""A scheduler that owns all threads of a test: one runs at a time, a seed says which.

Under `Schedule.run` every thread that Python code starts is a simulated one. It runs
until it waits, or until the seed takes the processor away from it, which may happen at
any line of the files that are *watched*. Locks, conditions, events, futures and queues
are simulated as well, and so are the locks of imports: whoever waits for one lets
others run. So a seed gives the same interleaving every time, down to the line.

What Python leaves to chance is modelled where it has hurt: two threads that parse at
once fail as CPython 3.11 fails (`parse`).
"""

from __future__ import annotations

import ast
import ctypes
import gc
import importlib._bootstrap as bootstrap
import linecache
import queue
import random
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any

_REAL_START = threading._start_new_thread
_REAL_LOCK = threading._allocate_lock
_REAL_PARSE = ast.parse
_SWITCH = 12
"""At one watched line in so many another thread may get the processor."""
_MOST_STEPS = 3_000_000
_PATIENCE = 120.0
"""Seconds for one step; LLVM may compile in it."""


class LostError(Exception):
    """A thread has ended, or waits, and has handed the processor to nobody.

    It is a defect of the scheduler: an exception came where no thread can catch it.
    """


class DeathError(BaseException):
    """The simulated machine has lost its power; nothing runs any more."""


class StuckError(AssertionError):
    """No thread can run: a deadlock, or one that never ends."""


class _Thread:
    """A thread, and what it waits for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.baton = _REAL_LOCK()
        self.baton.acquire()
        self.ready: Callable[[], bool] | None = None
        self.ident = 0
        self.process: Any = None
        """The simulated process that it belongs to; None for the first one."""
        self.doomed = False
        self.fault: type[BaseException] | None = None
        self.at_end: list[Callable[[], None]] = []
        """What is done when it has ended, however it ended."""


class Schedule:
    """An interleaving of threads that depends on nothing but a seed.

    Attributes:
        seed: what decides everything.
        random: the stream of the seed, for all decisions of a simulation.
        steps: how often a thread might have lost the processor.
        log: who ran, in order; equal for equal seeds.
        overlaps: how often a thread parsed while another one did.
    """

    def __init__(self, seed: int, watched: Sequence[str]) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.steps = 0
        self.log: list[str] = []
        self.overlaps = 0
        self.on_line: Callable[[_Thread, FrameType], None] = lambda _t, _f: None
        self.on_step: Callable[[], None] = lambda: None
        self._watched = tuple(watched)
        self._threads: list[_Thread] = []
        self._local = threading.local()
        self._parsing: dict[Any, _Thread] = {}
        """Who parses, by process."""
        self._over = _REAL_LOCK()
        self._failure: BaseException | None = None

    # ------------------------------------------------------------------ running

    def run(self, main: Callable[[], None]) -> None:
        """Run `main`, and all threads that it starts, to their end.

        Raises:
            StuckError: they don't end.
            LostError: none of them has the processor any more.
            BaseException: what `main` raised.
        """
        self._over.acquire()
        with _uncollected(), _installed(self):
            first = self._spawn(main, "main", first=True)
            first.baton.release()
            self._await_end()
        if self._failure is not None:
            raise self._failure

    def _await_end(self) -> None:
        seen = -1
        while not self._over.acquire(timeout=_PATIENCE):
            if seen == self.steps:
                raise LostError("\n".join(self.stacks()))
            seen = self.steps
        self._over.release()

    def _spawn(
        self, action: Callable[[], None], name: str, *, first: bool = False
    ) -> _Thread:
        thread = _Thread(name)
        parent = self.current
        if parent is not None:
            thread.process = parent.process
        self._threads.append(thread)

        def live() -> None:
            thread.baton.acquire()
            self._local.thread = thread
            thread.ident = threading.get_ident()
            # Idents are used again: who had it before is not who runs now.
            threading._active.pop(thread.ident, None)  # type: ignore[attr-defined]
            try:
                sys.settrace(self._trace)
                self._check(thread)
                action()
            except DeathError:
                pass
            except BaseException as error:  # noqa: BLE001 - it is told at the end
                # Who dies in the midst of Python's own cleanup fails in another way.
                if first or (self._failure is None and not thread.doomed):
                    self._failure = error
            # An exception may still be due. It comes when a function is entered, so at
            # the latest in `_enter`; here nothing catches it but what stands here. (To
            # take it back would make CPython 3.11 look for it for ever.)
            try:
                sys.settrace(None)
                _enter()
            except BaseException:  # noqa: BLE001 - it has come, and is the last
                pass
            self._end(thread)

        _REAL_START(live, ())
        return thread

    def _end(self, thread: _Thread) -> None:
        """Hand over for good."""
        self._local.thread = None
        if thread in self._threads:
            self._threads.remove(thread)
            for told in thread.at_end:
                told()
            if self._threads:
                self._choose().baton.release()
            else:
                self._over.release()

    @property
    def current(self) -> _Thread | None:
        """The thread that asks; None if it is none of ours."""
        return getattr(self._local, "thread", None)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Do something as if in no time: no other thread runs, nothing happens."""
        me, trace = self.current, sys.gettrace()
        self._local.thread = None
        sys.settrace(None)
        try:
            yield
        finally:
            self._local.thread = me
            sys.settrace(trace)

    def _choose(self) -> _Thread:
        able = [t for t in self._threads if t.ready is None or t.doomed or t.ready()]
        if not able:
            self._failure = StuckError(
                "every thread waits:\n" + "\n".join(self.stacks())
            )
            for thread in self._threads:
                thread.doomed = True
            able = self._threads
        chosen = able[self.random.randrange(len(able))] if len(able) > 1 else able[0]
        self.log.append(chosen.name)
        return chosen

    def stacks(self) -> list[str]:
        """Return where each thread is."""
        frames = sys._current_frames()
        return [
            f"{t.name}:\n" + "".join(traceback.format_stack(frames[t.ident])[-4:])
            for t in self._threads
            if t.ident in frames
        ]

    # ------------------------------------------------------------------ switching

    def step(self) -> None:
        """Let another thread run, if the seed says so."""
        me = self.current
        if me is None:
            return
        self.steps += 1
        if self.steps > _MOST_STEPS:
            self._failure = StuckError("the simulation does not end")
            for thread in self._threads:
                thread.doomed = True
        self.on_step()
        self._check(me)
        self._yield(me)

    def wait(self, ready: Callable[[], bool]) -> None:
        """Let others run until `ready` returns true."""
        me = self.current
        if me is None:
            assert ready(), "a thread outside of the simulation would wait for ever"
            return
        self._check(me)
        me.ready = ready
        try:
            self._yield(me)
        finally:
            me.ready = None

    def _yield(self, me: _Thread) -> None:
        chosen = self._choose()
        if chosen is not me:
            chosen.baton.release()
            me.baton.acquire()
        if sys.gettrace() is None:  # An exception of ours in a trace function ends it.
            sys.settrace(self._trace)
        self._check(me)

    @staticmethod
    def _check(me: _Thread) -> None:
        if me.doomed:
            raise DeathError

    def doom(self, which: Callable[[_Thread], bool] = lambda _: True) -> None:
        """Let threads end where they are; they run nothing more than their cleanup."""
        for thread in self._threads:
            if which(thread):
                thread.doomed = True

    def _trace(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "call":
            name = frame.f_code.co_filename
            return self._trace if any(each in name for each in self._watched) else None
        if event == "line":
            me = self.current
            if me is not None:
                self.on_line(me, frame)
                if _is_of_with(frame.f_code.co_filename, frame.f_lineno):
                    pass
                elif me.doomed:
                    _raise_in(me.ident, DeathError)
                elif me.fault is not None:
                    fault, me.fault = me.fault, None
                    _raise_in(me.ident, fault)
                elif self.random.randrange(_SWITCH) == 0:
                    self.steps += 1
                    self.on_step()
                    self._hand_on(me)
        return self._trace

    def _hand_on(self, me: _Thread) -> None:
        """Switch within a trace function, which must not raise."""
        chosen = self._choose()
        if chosen is not me:
            chosen.baton.release()
            me.baton.acquire()
        if me.doomed:
            _raise_in(me.ident, DeathError)

    # ------------------------------------------------------------------ parsing

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """Parse as CPython 3.11 does, whose counter two threads must not share."""
        me = self.current
        if me is None:
            return _REAL_PARSE(*args, **kwargs)
        outer = self._parsing.get(me.process)
        self._parsing[me.process] = me
        try:
            self.step()
            if outer is not None or self._parsing[me.process] is not me:
                self.overlaps += 1
                raise SystemError("AST constructor recursion depth mismatch")
            return _REAL_PARSE(*args, **kwargs)
        finally:
            if outer is None:
                self._parsing.pop(me.process, None)
            else:
                self._parsing[me.process] = outer


def _enter() -> None:
    """Do nothing."""


@cache
def _is_of_with(file: str, line: int) -> bool:
    """Whether a context is entered or left here.

    An exception would come as the first thing in its method and, as it can't with a
    real lock, leave the lock held for ever.
    """
    return linecache.getline(file, line).lstrip().startswith(("with ", "async with "))


def _raise_in(ident: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(ident), ctypes.py_object(kind)
    )


def _told(what: threading.ExceptHookArgs) -> None:
    """Let simulated threads die in silence."""
    if what.exc_type is not DeathError:
        sys.__excepthook__(what.exc_type, what.exc_value, what.exc_traceback)  # type: ignore[arg-type]


_ACTIVE: list[Schedule] = []


def schedule() -> Schedule | None:
    """Return the schedule to which the thread that asks belongs."""
    if _ACTIVE and _ACTIVE[-1].current is not None:
        return _ACTIVE[-1]
    return None


class SimLock:
    """A lock; whoever waits for it lets others run."""

    def __init__(self) -> None:
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        now = schedule()
        if now is not None:
            if not blocking:
                now.step()
            elif timeout is not None and timeout > 0:
                now.step()  # Time runs out when the seed says so.
                if self._held and now.random.randrange(4) == 0:
                    return False
                now.wait(lambda: not self._held)
            else:
                now.step()
                now.wait(lambda: not self._held)
        if self._held:
            assert not blocking, (
                "a thread outside of the simulation would wait for ever"
            )
            return False
        self._held = True
        return True

    def release(self) -> None:
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self) -> bool:
        return self._held

    def _at_fork_reinit(self) -> None:
        self._held = False

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class SimQueue:
    """`queue.SimpleQueue`."""

    def __init__(self) -> None:
        self._items: deque[Any] = deque()

    def put(self, item: Any) -> None:
        self._items.append(item)
        if now := schedule():
            now.step()

    def get(self) -> Any:
        if now := schedule():
            now.wait(lambda: bool(self._items))
        return self._items.popleft()

    def get_nowait(self) -> Any:
        if now := schedule():
            now.step()
        if not self._items:
            raise queue.Empty
        return self._items.popleft()


class _Instead:
    """A module with some of its names replaced."""

    def __init__(self, module: Any, **names: Any) -> None:
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


class _ImportLock:
    """The lock of the import system; its holder may take it again."""

    def __init__(self) -> None:
        self._lock = SimLock()
        self._owner = 0
        self._depth = 0

    def acquire(self) -> None:
        me = threading.get_ident()
        if self._owner != me:
            try:
                self._lock.acquire()
            except DeathError:  # Python takes it in callbacks, which must not raise.
                self._lock._held = True
            self._owner = me
        self._depth += 1

    def release(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = 0
            self._lock.release()

    def held(self) -> bool:
        return self._depth > 0


@contextmanager
def replaced(*places: tuple[Any, str, Any]) -> Iterator[None]:
    """Replace attributes for a while: (object, name, value)."""
    before = [(place, name, getattr(place, name)) for place, name, _ in places]
    try:
        for place, name, value in places:
            setattr(place, name, value)
        yield
    finally:
        for place, name, value in reversed(before):
            setattr(place, name, value)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector away: it comes when memory says so, not the seed.

    What it calls may wait for a lock, in the midst of handing over as well; then the
    processor goes to a thread that can no longer take it.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _installed(now: Schedule) -> Iterator[None]:
    """Let Python's own threads be ours."""
    sentinels: dict[int, SimLock] = {}

    def set_sentinel() -> SimLock:
        lock = sentinels[threading.get_ident()] = SimLock()
        return lock

    def start(function: Callable[..., Any], args: tuple[Any, ...], *_: Any) -> int:
        name = getattr(getattr(function, "__self__", None), "name", "thread")

        def ended() -> None:
            sentinel = sentinels.pop(thread.ident, None)
            if sentinel is not None and sentinel.locked():
                sentinel.release()

        thread = now._spawn(lambda: function(*args), name)
        thread.at_end.append(ended)
        return id(thread)

    imports = _ImportLock()
    _ACTIVE.append(now)
    try:
        with replaced(
            (threading, "_start_new_thread", start),
            (threading, "_set_sentinel", set_sentinel),
            (threading, "_allocate_lock", SimLock),
            (threading, "Lock", SimLock),
            (threading, "_CRLock", None),
            (threading, "excepthook", _told),
            (queue, "SimpleQueue", SimQueue),
            (ast, "parse", now.parse),
            (
                bootstrap,
                "_thread",
                _Instead(bootstrap._thread, allocate_lock=SimLock),  # type: ignore[attr-defined]
            ),
            (
                bootstrap,
                "_imp",
                _Instead(
                    bootstrap._imp,  # type: ignore[attr-defined]
                    acquire_lock=imports.acquire,
                    release_lock=imports.release,
                    lock_held=imports.held,
                ),
            ),
        ):
            yield
    finally:
        _ACTIVE.remove(now)

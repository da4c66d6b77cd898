"""Who hears a ctrl-C: not the child processes, and this one even in native code."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import TypeVar

from echidna_mcp.background import begin

T = TypeVar("T")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Let a process that is started here inherit a deaf ear for ctrl-C.

    A terminal interrupts the children as well, and they are still importing then.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows has no terminal groups.
        yield
        return
    resource_tracker.ensure_running()  # Its start, else done later, unblocks again.
    with signal_blocked(signal.SIGINT):
        yield


@contextmanager
def signal_blocked(number: signal.Signals) -> Iterator[None]:
    """Block a signal in this thread, and in the processes that it starts here.

    Not on Windows.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        # What has come until now may be raised by this.
        signal.pthread_sigmask(signal.SIG_BLOCK, (number,))
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def interruptibly(action: Callable[[], T]) -> T:
    """Return what `action` returns; a ctrl-C raises at once, whatever it is doing.

    Python hears signals in its main thread between two of its own instructions, and a
    message in native code may be seconds long. So the main thread only waits here.
    After an interrupt the action goes on unseen, until the process ends.
    """
    return begin(action, "echidna-mcp-start").result()

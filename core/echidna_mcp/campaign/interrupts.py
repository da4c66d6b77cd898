"""Start child processes that a ctrl-C in the terminal does not reach."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Let a process that is started here inherit a deaf ear for ctrl-C.

    A terminal interrupts the children as well, and they are still importing then.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows has no terminal groups.
        yield
        return
    resource_tracker.ensure_running()  # Its start, else done later, unblocks again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

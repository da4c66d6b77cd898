"""The processor that a kernel function runs on, and who else wants it."""

from __future__ import annotations

import os
import time

from echidna_mcp.kernel.language.memory import MASK64, u64


def nanoseconds() -> u64:
    """Return the time since some moment, which only differences say anything about.

    For politeness and nothing else: no result may depend on it.
    """
    return time.monotonic_ns() & MASK64


def is_polite() -> bool:
    """Whether this thread has stepped back behind others (on Linux; else the process).

    Who has not has no reason to give way.
    """
    return hasattr(os, "getpriority") and os.getpriority(os.PRIO_PROCESS, 0) > 0


def give_way() -> None:
    """Let whoever waits for this processor have it first.

    A program that computes without a pause loses its processor only at a tick of the
    clock, every 4 ms on common kernels. A server beside it would wait as long, again
    and again. It costs well below a microsecond when nobody waits. Systems without
    `sched_yield` do nothing.
    """
    if hasattr(os, "sched_yield"):
        os.sched_yield()

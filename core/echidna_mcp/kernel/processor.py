"""The processor that a kernel function runs on, and who else wants it."""

from __future__ import annotations

import os


def give_way() -> None:
    """Let whoever waits for this processor have it first.

    A program that computes without a pause loses its processor only at a tick of the
    clock, every 4 ms on common kernels. A server beside it would wait as long, again
    and again. It costs well below a microsecond when nobody waits. Systems without
    `sched_yield` do nothing.
    """
    if hasattr(os, "sched_yield"):
        os.sched_yield()

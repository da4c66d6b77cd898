"""Programs that compute all the time on the processor of a test."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

_Result = TypeVar("_Result")

needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux schedules threads one by one"
)


@contextlib.contextmanager
def rivals(count: int) -> Iterator[int]:
    """Keep so many programs busy on one processor; yield its number."""
    processor = min(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nprint(flush=True)"
    command = [sys.executable, "-c", f"{code}\nwhile True: pass"]
    with contextlib.ExitStack() as stack:
        started = [
            stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
            for _ in range(count)
        ]
        for process in started:
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
        yield processor


def in_thread(work: Callable[[], _Result]) -> _Result:
    """Do work in a thread of its own: what it asks of the scheduler ends with it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def on_processor(processor: int, work: Callable[[], _Result]) -> _Result:
    """Do work in a thread of its own, on one processor."""

    def tied() -> _Result:
        os.sched_setaffinity(0, {processor})
        return work()

    return in_thread(tied)

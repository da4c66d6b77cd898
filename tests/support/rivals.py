"""Programs that compute all the time on the processor of a test."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

_Result = TypeVar("_Result")

needs_linux = "only Linux ties a thread to a processor"


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


def on_processor(processor: int, work: Callable[[], _Result]) -> _Result:
    """Do work in a thread of its own, on one processor."""
    results: list[_Result] = []

    def run() -> None:
        os.sched_setaffinity(0, {processor})
        results.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    (result,) = results
    return result

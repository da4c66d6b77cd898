"""`give_way`: others that want the processor get it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from sample_kernels import generous, spin

from echidna_mcp.kernel.library import Library
from echidna_mcp.kernel.memory import words
from echidna_mcp.kernel.mode import Mode
from echidna_mcp.kernel.plan import Plan

PLAN = Plan(functions=(generous, spin))
TURNS = 400
SELDOM = TURNS // 10
"""Far below what the scheduler grants of so many turns: a third or more."""
STEPS = 50_000_000
"""Of `spin`: some dozens of milliseconds, so about ten ticks of the clock."""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux ties a thread to a processor"
)


@pytest.fixture
def rival() -> Iterator[int]:
    """A program that computes all the time, on the processor that is returned."""
    processor = min(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nprint(flush=True)"
    command = [sys.executable, "-c", f"{code}\nwhile True: pass"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield processor
        process.kill()


def switches(processor: int, work: Callable[[], object]) -> int:
    """Return how often a thread on a processor lost it while it worked."""
    counted = []

    def run() -> None:
        os.sched_setaffinity(0, {processor})
        before = resource.getrusage(resource.RUSAGE_THREAD)
        work()
        after = resource.getrusage(resource.RUSAGE_THREAD)
        lost = after.ru_nivcsw - before.ru_nivcsw
        counted.append(lost + after.ru_nvcsw - before.ru_nvcsw)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return counted[0]


@pytest.mark.parametrize("mode", ["compiled", "checked", "plain"])
def test_who_gives_way_loses_the_processor_to_a_rival(rival: int, mode: Mode):
    library = Library.load(PLAN, mode=mode)
    gave_way = library.function(generous)
    assert gave_way(0) == 0
    assert switches(rival, lambda: gave_way(TURNS)) > SELDOM


def test_who_only_computes_keeps_it(rival: int):
    computed = Library.load(PLAN).function(spin)
    assert switches(rival, lambda: computed(words([1]), STEPS)) < SELDOM

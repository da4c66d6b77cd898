"""`give_way`: others that want the processor get it; `nanoseconds` pass."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import pytest
from kernel_arguments import generous, spin, timed
from rivals import needs_linux, on_processor, rivals

from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.mode import Mode
from echidna_mcp.kernel.library.plan import Plan

PLAN = Plan(functions=(generous, spin, timed))
TURNS = 400
SELDOM = TURNS // 10
"""Far below what the scheduler grants of so many turns: a third or more."""
STEPS = 250_000
"""Of `spin`: less than a tick of the clock."""
ATTEMPTS = 20
"""Others that wake up meanwhile take the processor as well, but not each time."""

pytestmark = needs_linux


def switches(work: Callable[[], object]) -> int:
    """Return how often this thread lost the processor while it worked."""
    before = resource.getrusage(resource.RUSAGE_THREAD)
    work()
    after = resource.getrusage(resource.RUSAGE_THREAD)
    lost = after.ru_nivcsw - before.ru_nivcsw
    return lost + after.ru_nvcsw - before.ru_nvcsw


@pytest.mark.parametrize("mode", ["compiled", "checked", "plain"])
def test_who_gives_way_loses_the_processor_to_a_rival(mode: Mode):
    gave_way = Library.load(PLAN, mode=mode).function(generous)
    assert gave_way(7) == 7
    with rivals(1) as processor:
        lost = on_processor(processor, lambda: switches(lambda: gave_way(TURNS)))
    assert lost > SELDOM


def test_who_only_computes_keeps_it():
    computed = Library.load(PLAN).function(spin)
    with rivals(1) as processor:
        lost = on_processor(
            processor,
            lambda: min(
                switches(lambda: computed(words([1]), STEPS)) for _ in range(ATTEMPTS)
            ),
        )
    assert lost < SELDOM


@pytest.mark.parametrize("mode", ["compiled", "checked", "plain"])
def test_nanoseconds_are_those_of_the_monotonic_clock(mode: Mode):
    look = Library.load(PLAN, mode=mode).function(timed)
    begin = time.monotonic_ns()
    seen = look(20_000)
    assert 0 < seen <= time.monotonic_ns() - begin

"""The model of a round (docs/scale.md) on cases that can be worked out by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))

from scale_model import INLINE_BYTES, Costs, Linear, Machines, Work, simulate

NOTHING = Linear(0.0)
FREE = Costs(
    plan=NOTHING,
    merge=NOTHING,
    found=0.0,
    commit=NOTHING,
    stored=0.0,
    pack=NOTHING,
    submit=NOTHING,
    call=0.0,
    hurried=0.0,
    wait=NOTHING,
    answer=NOTHING,
    way=0.0,
    fold=NOTHING,
    fetch=NOTHING,
    errand=0.0,
    around=0.0,
    services=0.0,
)


def seconds(machines: Machines, costs: Costs, *tasks: float, **work) -> float:
    return simulate(machines, costs, Work(tasks=tasks, **work)).seconds


def test_an_actor_runs_one_task_after_the_other():
    assert seconds(Machines(actors=1), FREE, 1.0, 2.0, 3.0) == 6.0


def test_the_round_ends_with_its_last_task():
    found = simulate(Machines(actors=2), FREE, Work(tasks=[1.0, 3.0]))
    assert (found.seconds, found.idle) == (3.0, pytest.approx(1 / 3))


def test_who_is_idle_first_takes_the_last_tasks():
    tasks = (4.0, 1.0, 1.0, 1.0, 1.0)
    assert seconds(Machines(actors=2, ahead=False), FREE, *tasks) == 4.0
    # What was given ahead to an actor waits for its long task.
    assert seconds(Machines(actors=2), FREE, *tasks) == 5.0


def test_a_task_ahead_hides_the_way():
    slow = replace(FREE, way=0.5)
    waits = Machines(actors=1, ahead=False)
    assert seconds(Machines(actors=1), slow, 1.0, 1.0, 1.0) == pytest.approx(5.0)
    assert seconds(waits, slow, 1.0, 1.0, 1.0) == pytest.approx(6.0)


def test_all_wait_for_what_is_done_alone():
    costs = replace(FREE, plan=Linear(1.0, 0.5), merge=Linear(0.0, 1.0))
    found = simulate(Machines(actors=4), costs, Work(tasks=[2.0, 2.0]))
    assert (found.alone, found.coordinator, found.seconds) == (4.0, 4.0, 6.0)


def test_many_tasks_wait_for_who_hands_them_out():
    costs = replace(FREE, call=1.0)
    assert seconds(Machines(actors=4), costs, 0.5, 0.5, 0.5, 0.5) == 4.5


def test_a_large_delta_is_fetched_by_other_nodes_one_after_the_other():
    costs = replace(FREE, fetch=Linear(0.0, 1.0), fold=Linear(0.0, 0.25))
    size = INLINE_BYTES + 1
    three = Machines(actors=3, nodes=3)
    assert seconds(three, costs, 1.0, 1.0, 1.0, delta=size) == 1 + 2.25 * size
    small = Machines(actors=3, nodes=3)
    assert seconds(small, costs, 1.0, 1.0, 1.0, delta=4) == 2.0


def test_actors_share_the_cores_of_a_machine():
    assert seconds(Machines(actors=2, cores=1.0), FREE, 1.0, 1.0) == 2.0
    busy = replace(FREE, services=0.25)
    both = Machines(actors=2, nodes=2, cores=2.0)
    assert seconds(both, busy, 1.5, 1.5) == pytest.approx(2.0)


def test_a_task_that_is_run_twice_needs_both_answers():
    assert seconds(Machines(actors=2), FREE, 3.0, 1.0, twice=[1]) == 3.0
    assert seconds(Machines(actors=1), FREE, 3.0, 1.0, twice=[1]) == 5.0

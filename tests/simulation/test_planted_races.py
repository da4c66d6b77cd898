"""What the simulation shows: the same schedule for a seed, and races that are there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import planted_races
import pytest
import schedule
from simulated_campaign import SMALL, Outcome, Simulation
from simulated_seeds import SEEDS

MOST_SEEDS_TO_FIND = 200


@pytest.mark.parametrize("seed", [1, 2, 13, 22])
def test_a_seed_gives_the_same_schedule_every_time(seed) -> None:
    Simulation(seed).run()  # What is compiled once a process is compiled now.
    first, second = Simulation(seed).run(), Simulation(seed).run()
    assert first == second
    assert first.steps > 300


def test_the_seeds_tell_all_stories() -> None:
    outcomes = [Simulation(seed).story for seed in SEEDS]
    assert {story.executor for story in outcomes} >= {
        *("inline", "threads:2", "threads:3", "processes:2"),
    }
    assert {story.hot for story in outcomes} == {"off", "background", "at-once"}
    for part in ("accidents", "deaths", "commands", "stops", "is_strange"):
        assert {bool(getattr(story, part)) for story in outcomes} == {False, True}


def test_a_processor_that_nobody_has_any_more_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedule, "_PATIENCE", 0.2)
    forever = threading.Lock()
    forever.acquire()
    try:
        with pytest.raises(schedule.LostError, match=r"forever\.acquire"):
            schedule.Schedule(1, ()).run(lambda: bool(forever.acquire()))
    finally:
        forever.release()


# --------------------------------------------------------------------- planted races


def found_at(run: Callable[[int], Outcome]) -> Iterator[tuple[int, str]]:
    """Yield the seeds that find something, and what."""
    for seed in range(MOST_SEEDS_TO_FIND):
        for problem in run(seed).problems[:1]:
            yield seed, problem


def calm(**story: Any) -> dict[str, Any]:
    """Return a story in which nothing happens but the schedule."""
    nothing = {"accidents": 0, "deaths": 0, "commands": 0, "stops": False}
    return {**nothing, "is_strange": False, "config": SMALL, **story}


def test_a_task_that_imports_what_the_confirmation_imports_is_found(tmp_path) -> None:
    def run(seed: int) -> Outcome:
        with planted_races.lazy_import(tmp_path / str(seed)) as backend:
            story = calm(executor="threads:2", hot="off")
            return Simulation(seed, backend=backend, **story).run()

    _, problem = next(found_at(run))
    assert "imports planted_" in problem


def test_modules_that_are_half_there_are_found_without_watching_imports(
    tmp_path,
) -> None:
    def run(seed: int) -> Outcome:
        with planted_races.lazy_import(tmp_path / str(seed)) as backend:
            story = calm(executor="threads:2", hot="off")
            return Simulation(seed, backend=backend, imports=False, **story).run()

    _, problem = next(found_at(run))
    assert "a task failed by itself" in problem
    assert "partially initialized module" in problem


def test_threads_that_parse_while_they_run_tasks_are_found() -> None:
    def run(seed: int) -> Outcome:
        story = calm(executor="threads:2", hot="at-once")
        return Simulation(seed, changes=planted_races.PARSING, **story).run()

    _, problem = next(found_at(run))
    assert "AST constructor recursion depth mismatch" in problem


def test_a_merge_by_arrival_is_found() -> None:
    def run(seed: int) -> Outcome:
        story = calm(executor="threads:2", hot="off")
        return Simulation(seed, changes=(planted_races.ARRIVAL,), **story).run()

    _, problem = next(found_at(run))
    assert "diverges at round" in problem

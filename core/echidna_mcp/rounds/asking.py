"""Tasks that ask the outside are run again with the answers.

A task is a function of what it is given, so it can't wait for a file or a program. It
ends, or goes on in vain, and tells what it was not answered. The answers become events
of the round (`OutsideAnswered`), and the task runs again until nothing is missing; what
it found before is thrown away. So the order in which tasks ask, and where they run,
decides nothing. Tasks that were not asking are not run again: they have not looked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from echidna_mcp.events.event import Event
from echidna_mcp.evm.outside import Source
from echidna_mcp.rounds.engine import Engine, Plan
from echidna_mcp.rounds.tasks import FIRST_BUDGET, RoundResult, RoundTask

Run: TypeAlias = Callable[[Sequence[Event], Sequence[RoundTask]], Iterable[RoundResult]]
"""Runs tasks on replicas that have folded some more events first."""


def answered_results(
    engine: Engine,
    plan: Plan,
    news: Sequence[Event],
    run: Run,
    source: Source,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[RoundResult]:
    """Run the tasks of a round until nothing is missing; yield their results.

    Args:
        engine: has made the plan; the answers are events of its round.
        plan: the round.
        news: what the replicas have yet to fold.
        run: runs tasks.
        source: answers requests.
        cancelled: asked before each request; once it is true, no more results come.
    """
    tasks = list(plan.tasks)
    while tasks:
        asking: list[RoundResult] = []
        for result in run(news, tasks):
            if result.missing:
                asking.append(result)
            else:
                yield result
        asking.sort(key=lambda result: result.worker)
        for result in asking:
            for request in result.missing:
                if cancelled():
                    return
                engine.answer(plan, result.worker, request, source)
        news = engine.take_answers()
        waiting = {result.worker for result in asking}
        tasks = [_shorter(task) for task in tasks if task.worker in waiting]


def _shorter(task: RoundTask) -> RoundTask:
    """Return a task with half of its budget, down to that of a first round.

    A program takes longer than many calls. A round whose tasks go on asking for ever
    more is to end nevertheless.
    """
    least = min(task.budget, FIRST_BUDGET)
    return replace(task, budget=max(task.budget // 2, least))

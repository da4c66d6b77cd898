"""What the model of a round (`scale_model`) has to know, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import linear_regression, median

from scale_messages import Messages
from scale_model import Costs, Linear
from scale_record import Recording


def fitted(messages: Messages, recordings: Sequence[tuple[int, Recording]]) -> Costs:
    """Return what steps take.

    Args:
        messages: what Ray takes.
        recordings: with how many logical workers each; at least two numbers of them.
    """
    folds = [pair for _, each in recordings for pair in each.kept.folds if pair[0]]
    fold_each, fold_base = linear_regression(*zip(*folds, strict=True))
    merge, found = _by_workers(recordings, "merge")
    commit, stored = _by_workers(recordings, "commit")
    plan, _ = _by_workers(recordings, "plan")
    # A call for each task and one for each answer, as the executor makes them.
    handling, _ = _by_workers(recordings, "handling")
    few = median(each.result for _, one in recordings for each in one.rounds)
    beside = messages.wait(2) + messages.answer(few)
    services, around = _services(recordings)
    errand = median(each for _, one in recordings for each in one.kept.between)
    return Costs(
        plan=plan,
        merge=merge,
        found=found,
        commit=commit,
        stored=stored,
        pack=messages.pack,
        submit=messages.submit,
        call=max(0.0, handling.each - beside),
        hurried=max(0.0, messages.handling - beside),
        wait=messages.wait,
        answer=messages.answer,
        way=messages.way,
        fold=Linear(max(0.0, fold_base), max(0.0, fold_each)),
        fetch=messages.fetch,
        errand=errand,
        around=max(0.0, around - errand),
        services=services,
    )


def _services(recordings: Sequence[tuple[int, Recording]]) -> tuple[float, float]:
    """Return what Ray takes of a core on one node, and for each task beside it."""
    rates = [
        (workers * (len(each.rounds) + 1) / each.seconds, each.services / each.seconds)
        for workers, each in recordings
    ]
    around, services = linear_regression(*zip(*rates, strict=True))
    return max(0.0, services), max(0.0, around)


def _by_workers(
    recordings: Sequence[tuple[int, Recording]], step: str
) -> tuple[Linear, float]:
    """Return what a step takes by workers, and by bytes of what a round has brought.

    It is least squares in two variables, both of which are never negative.
    """
    rows = []
    for workers in {workers for workers, _ in recordings}:
        those = [one for w, each in recordings if w == workers for one in each.rounds]
        # What others do makes everything longer, caches being shared.
        those.sort(key=lambda one: one.others)
        rows += [
            (float(workers), float(one.brought), float(getattr(one, step)))
            for one in those[: (len(those) + 1) // 2]
        ]
    # By turns: each of both explains what the other leaves. That ends at the optimum.
    line, rate = Linear(0.0), 0.0
    for _ in range(50):
        each, base = linear_regression(
            [workers for workers, _, _ in rows],
            [spent - rate * brought for _, brought, spent in rows],
        )
        line = Linear(max(0.0, base), max(0.0, each))
        squares = sum(brought**2 for _, brought, _ in rows)
        product = sum(b * (spent - line(w)) for w, b, spent in rows)
        rate = max(0.0, product / squares) if squares else 0.0
    return line, rate

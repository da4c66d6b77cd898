"""Jobs of the solver, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast

from echidna_mcp.events import payloads
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.solving.inputs import Calls

AHEAD: Final = 4
"""A job that is chosen at the end of round r takes effect at round r + AHEAD."""

Verdict: TypeAlias = Literal["sat", "unsat", "unknown"]
Goal: TypeAlias = tuple[str, int]
"""What an attempt is for: a block, by key of its code and counter; or a test, by an
empty key and its index."""


Solved: TypeAlias = Callable[[int], Sequence[payloads.SolverAnswered]]
"""Returns what the solver has found that takes effect in a round."""


def nothing_solved(_number: int) -> Sequence[payloads.SolverAnswered]:
    """Return that nothing was found; of a campaign without a solver."""
    return ()


@dataclass(frozen=True, slots=True)
class Origin:
    """What the calls of a job are from.

    Attributes:
        entries: numbers of sequences of the corpus.
        functions: signatures, one for each call, if it is made of single calls.
    """

    entries: tuple[int, ...] = ()
    functions: tuple[str, ...] = ()


def origin_of(payload: payloads.SolverAnswered) -> Origin:
    """Return what the calls of an answered job were from."""
    functions = tuple(payload.get("functions", ()))
    return Origin(tuple(payload["entries"]), functions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A sequence whose branches are to be turned. Picklable.

    Attributes:
        number: how many jobs were chosen before.
        round: at the end of which it was chosen.
        origin: what it is made of.
        calls: they, one after the other.
        covered: executed program counters, one byte each, by code.
        tests: indices of the tests that have not failed yet.
        spared: goals that were tried before, and are not again.
        worn: goals that are not tried again if they are nothing but a revert.
        words: those that the campaign has come upon, oldest first.
    """

    number: int
    round: int
    origin: Origin
    calls: Calls
    covered: Mapping[str, int]
    tests: tuple[int, ...]
    spared: frozenset[Goal]
    worn: frozenset[Goal] = frozenset()
    words: tuple[int, ...] = ()

    @property
    def due(self) -> int:
        """The round in which its answer takes effect."""
        return self.round + AHEAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a job has found.

    Attributes:
        number: of the job.
        tried: the goals of its queries, and what the solver has said.
        sequences: those that are worth a run.
        unfinished: whether its budget was spent before all was tried.
        cost: how much work it was; about thousandths of a second.
    """

    number: int
    tried: tuple[tuple[Goal, Verdict], ...] = ()
    sequences: tuple[Calls, ...] = ()
    unfinished: bool = False
    cost: int = 0


def payload_of(job: Job, answer: Answer, target: FuzzTarget) -> payloads.SolverAnswered:
    """Return what the event of an answer holds."""
    payload: payloads.SolverAnswered = {
        "job": job.number,
        "chosen": job.round,
        "entries": list(job.origin.entries),
        "tried": [_attempt(goal, verdict, target) for goal, verdict in answer.tried],
        "sequences": [list(sequence) for sequence in answer.sequences],
        "unfinished": answer.unfinished,
        "cost": answer.cost,
    }
    if job.origin.functions:
        payload["functions"] = list(job.origin.functions)
    return payload


def _attempt(
    goal: Goal, verdict: Verdict, target: FuzzTarget
) -> payloads.SolverAttempt:
    key, number = goal
    if key:
        return {"code": key, "counter": number, "verdict": verdict}
    return {"test": target.tests[number].name, "verdict": verdict}


def goal_of(attempt: payloads.SolverAttempt, target: FuzzTarget) -> Goal:
    """Return the goal of an attempt; the inverse of `payload_of`."""
    if "test" in attempt:
        return "", target.test_index[attempt["test"]]
    return attempt["code"], attempt["counter"]


_EXECUTED: Final = ("gasUsed", "result")


def plain_call(call: Mapping[str, Any]) -> payloads.Call:
    """Return a call of the corpus without what it did."""
    return cast("payloads.Call", {k: v for k, v in call.items() if k not in _EXECUTED})

"""Tasks, the work of one logical worker in one round, and their results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from echidna_mcp.config.campaign import News
from echidna_mcp.events import payloads
from echidna_mcp.evm.outside import Request
from echidna_mcp.fuzz.climbing.starting import Fallen
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.commands import Injection
from echidna_mcp.rounds.failures.sites import Site
from echidna_mcp.views.coverage import CoverageDelta

CALL_WORK = 200
"""Work units of a call beside its EVM steps: generation, judging, bookkeeping."""

MOST_MISSING = 64
"""Requests to the outside that a task has before it stops to wait for answers."""

SETTLED_CALLS = 10_000
"""Calls after which a function that changes nothing is called seldom."""

UNLIMITED = (1 << 63) - 1
"""More calls than any campaign makes."""

FIRST_BUDGET = 20_000
"""Work units of a worker in round 1: some dozens of calls. No less than a 4,096th of
the whole budget."""

QUIET_ROUNDS = 8
"""After each so many rounds with no news but states the next have twice as much."""

MOST_LONGER = 2
"""How often that doubles at most."""

FEWEST_QUIET = 4
"""Whole budgets without new code before any task is plain; a shorter round counts as
one."""

FEWEST_BETWEEN = 4
"""The same with no news but states."""

MOST_PLAIN = 3
"""How often the share of the tasks that are not plain is halved at most."""


Outcome: TypeAlias = tuple[int, payloads.CallResult]
"""Gas used by a call, and the name of its status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkTask:
    """A reproducer to shrink and how far shrinking is (`rounds.shrinking`)."""

    test: int
    sequence: bytes
    cursor: int
    improved: bool
    attempts: int
    value: int | None = None
    """The value that a simpler sequence must still have; None of what is falsified."""
    finding: str = ""
    """Which finding of the test it is, if that has several: the name of its record."""
    site: str | None = None
    """Key of the site at which a simpler sequence must fail; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTask:
    """The work of one logical worker in one round.

    Together with the replica's fold of all events before the round it decides the
    result; nothing else does.

    Attributes:
        budget: work units (EVM steps plus `CALL_WORK` a call).
        calls: the most calls to fuzz with, injected ones not counted.
        priorities: indices of the prioritized functions, ascending.
        inherited: numbers of the inherited sequences that this worker has yet to run.
        once: indices of the functions that this worker is to run, once and for all.
        solved: sequences that the solver has found, which run before the search.
        left_out: indices of the functions that are not to be fuzzed now, ascending.
        seldom: indices of those that are called seldom now, ascending.
        fuzz: whether to run new sequences; False while only shrinking is left.
        edges: whether edges are coverage.
        states: whether values in storage are news.
        mappings: whether those in mappings are, too.
        pairs: whether those of two words at once are.
        climbing: whether some sequences are climbed (`rounds.climbing`).
        goals: whether tests are climbed at their end, too.
        plain: whether fresh calls take nothing from those before, either, and several
            entries may be gone on from at once.
    """

    round: int
    worker: int
    budget: int
    calls: int = UNLIMITED
    priorities: tuple[int, ...] = ()
    injections: tuple[Injection, ...] = ()
    shrinks: tuple[ShrinkTask, ...] = ()
    inherited: range = range(0)
    once: tuple[int, ...] = ()
    solved: tuple[bytes, ...] = ()
    left_out: tuple[int, ...] = ()
    seldom: tuple[int, ...] = ()
    fuzz: bool = True
    edges: bool = False
    states: bool = False
    mappings: bool = False
    pairs: bool = False
    climbing: bool = True
    goals: bool = False
    plain: bool = False

    @property
    def news(self) -> News:
        """What of a call is news beside the code that it covers."""
        return News(
            edges=self.edges,
            states=self.states,
            mappings=self.mappings,
            pairs=self.pairs,
        )


def settled_views(target: FuzzTarget, executed: Mapping[str, int]) -> tuple[int, ...]:
    """Return the functions that change nothing and were called often enough.

    Most contracts have more getters than functions that lead on.

    Args:
        target: what is called.
        executed: calls by signature.
    """
    if not target.config.seldom_views or target.config.checks("stateless"):
        return ()
    return tuple(
        number
        for number, function in enumerate(target.functions)
        if function.read_only and executed.get(function.signature, 0) >= SETTLED_CALLS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sequence that was executed and is worth keeping.

    Attributes:
        sequence: its call records.
        outcomes: (gas used, status name) of each call.
        coverage: what it added to the coverage that the task started from.
        command: number of the command that injected it; None for a fuzzed one.
        inherited: its number among the inherited sequences; None if it is none.
    """

    sequence: bytes
    outcomes: tuple[Outcome, ...]
    coverage: CoverageDelta
    command: int | None = None
    # The digests of results do without it: the events of the round have it.
    inherited: int | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Falsification:
    """A test that a sequence falsified.

    Attributes:
        site: where it failed; None if that does not matter.
        value: what the sequence has raised the value of an optimization test to; None
            of all others.
    """

    test: int
    sequence: bytes
    gas_used: int
    reason: str
    # Digests do without these: they follow from the sequence.
    value: int | None = field(default=None, repr=False)
    site: Site | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkProgress:
    """How far shrinking got in a round."""

    test: int
    sequence: bytes
    cursor: int
    improved: bool
    attempts: int
    done: bool
    shorter: bool
    """Whether the reproducer became simpler in this round."""
    reason: str | None
    """Why the test fails now; None if nothing has changed."""
    value: int | None = field(default=None, repr=False)
    """Of an optimization test, with the simpler sequence."""
    finding: str = field(default="", repr=False)
    """As in the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An executed call that is logged: every injected one, a sample of the others."""

    call: bytes
    gas_used: int
    status: payloads.CallResult
    reason: str | None
    injected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LostSequences:
    """Sequences that the backend had no room for: why, and how many."""

    reason: str
    sequences: int


@dataclass(slots=True)
class Counters:
    """What a round executed; properties and shrinking do not count.

    Variants that were undone while climbing are calls, but not calls of functions:
    those are counted as sequences have them.

    `functions` are calls by index of the function, `failed` those that did not succeed,
    `discarded` those of them that asked to be passed over (`vm.assume`).

    A call that there was no room for counts as a call, though it was undone; of its gas
    and steps nothing counts.
    """

    calls: int = 0
    sequences: int = 0
    reverts: int = 0
    gas: int = 0
    steps: int = 0
    functions: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, functions: int) -> Counters:
        """Return counters for a target with so many functions."""
        none = [0] * functions
        return cls(functions=none, failed=none.copy(), discarded=none.copy())


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailure:
    """A task that gave no result: an exception of ours, or a process that died.

    Attributes:
        reason: the traceback, or how the process ended.
    """

    task: RoundTask
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """The outcome of a `RoundTask`.

    Attributes:
        raised: the greatest value of each optimization test, if it is a new one.
        words: constants observed that the dictionary lacks.
        work: work units spent.
        inherited: how many of the task's inherited sequences were run.
        lost: sequences that ended early, candidates for shrinking included, because the
            backend had no room for more (`rounds.running`).
        refused: cheatcodes that do not work and were called, and where: the signature
            of a function, the name of a property, or nothing for the deployment.
        reasons: why each of those does not work, to follow its name.
        missing: what the outside was asked for and has not answered yet. If there is
            anything the task has to run again; all else here means nothing.
        tried: marks of comparisons, ascending, and how often their other outcome was
            sought in vain, where the campaign knows it otherwise.
        fallen: comparisons to which climbing has given an outcome that nothing had
            before, as far as the campaign knows.
        abandoned: always None. Before version 0.2 it was why a task could not be run;
            it is part of the text that digests are made of.
    """

    worker: int
    findings: tuple[Finding, ...] = ()
    falsifications: tuple[Falsification, ...] = ()
    shrunk: tuple[ShrinkProgress, ...] = ()
    samples: tuple[Sample, ...] = ()
    words: tuple[int, ...] = ()
    counters: Counters = field(default_factory=Counters)
    work: int = 0
    inherited: int = field(default=0, repr=False)
    lost: tuple[LostSequences, ...] = field(default=(), repr=False)
    refused: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    reasons: tuple[str, ...] = field(default=(), repr=False)
    missing: tuple[Request, ...] = field(default=(), repr=False)
    raised: tuple[Falsification, ...] = field(default=(), repr=False)
    tried: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    fallen: tuple[Fallen, ...] = field(default=(), repr=False)
    abandoned: None = None

    @property
    def digest(self) -> str:
        """sha256 over the whole result, as hex: what a replay compares per worker."""
        # All parts are integers, strings, bytes and tuples of them: repr is exact. But
        # what it escapes depends on Python's Unicode tables, so ascii escapes the rest.
        # Nothing of lost sequences if there are none: digests from before they were
        # counted hold.
        text = ascii(self) + (ascii(self.lost) if self.lost else "")
        text += ascii(self.refused) if self.refused else ""
        discarded = self.counters.discarded
        text += ascii(discarded) if any(discarded) else ""
        text += ascii(self.raised) if self.raised else ""
        text += ascii(self.tried) if self.tried else ""
        text += ascii(self.fallen) if self.fallen else ""
        return hashlib.sha256(text.encode()).hexdigest()


def round_budget(number: int, whole: int) -> int:
    """Return the work units of a worker in a round, given those of the config.

    The first rounds are short: there are results at once, and what the workers find,
    which is most at the beginning, they share at once. Each has four times as much.
    """
    first = max(FIRST_BUDGET, whole >> 12)
    return min(first << min(2 * (number - 1), 14), whole)


def quiet_budget(budget: int, quiet: int) -> int:
    """Return the work units of a round when so many before it had no news but states.

    What a round costs beside its search is a fifth of a calibrated one when hot code
    runs. A longer one costs nothing while there is nothing to go on from in the next.
    """
    return budget << min(quiet // QUIET_ROUNDS, MOST_LONGER)


def quiet_budgets(quiet: int) -> int:
    """Return how many whole budgets a worker has had in so many quiet rounds."""
    whole = 0
    for level in range(MOST_LONGER):
        whole += min(quiet, QUIET_ROUNDS) << level
        quiet -= min(quiet, QUIET_ROUNDS)
    return whole + (quiet << MOST_LONGER)


def times_halved(number: int, leading: int, code: int) -> int:
    """Return how often the share of the tasks that are not plain is halved in a round.

    What tasks that are not plain do beside makes calls dearer, so it should lead to
    something. When the campaign has gone on without new code for as long again as it
    took until the last, every second task is plain; after each doubling of that time
    every second one of the others, too, up to `MOST_PLAIN` times. What comes nearer
    puts that off for a while only: it may come now and then for ever.

    Args:
        number: of the round.
        leading: number of the last round with news that were more than states.
        code: of the last round with new code, or a finding.
    """
    quiet = quiet_budgets(number - 1 - leading)
    return min(
        _doublings(leading - code + quiet, max(code, FEWEST_QUIET)),
        _doublings(quiet, FEWEST_BETWEEN),
        MOST_PLAIN,
    )


def _doublings(time: int, first: int) -> int:
    return (time // first).bit_length()


def is_plain(number: int, worker: int, halved: int) -> bool:
    """Whether a task is to do without climbing and without what calls have shown."""
    return (number + worker) % (1 << halved) != 0

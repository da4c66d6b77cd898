"""Which jobs the solver gets is a matter of the events, and nothing is left out."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from campaigns import small_config
from solc import compile_solidity
from stored_calls import executed, stored_call

from echidna_mcp.events.event import NewEvent
from echidna_mcp.program.target import build_target
from echidna_mcp.solving.jobs import AHEAD, Job
from echidna_mcp.views.corpus import CorpusView
from echidna_mcp.views.coverage import CoverageView
from echidna_mcp.views.dictionary import DictionaryView
from echidna_mcp.views.properties import PropertyView
from echidna_mcp.views.solving import SolvingView, tuple_at

pytestmark = pytest.mark.solc

MANY = """
contract Many {
    uint256 n;
    function a() external { n++; }
    function b() external { n++; }
    function c() external { n++; }
    function d() external { n++; }
    function echidna_ok() external pure returns (bool) { return true; }
}
"""
DEAREST = 1_050
"""What a job may cost: all its instructions, and all the steps of its queries."""


class Choosing:
    """The fold of a campaign in which nothing happens but jobs."""

    def __init__(self, patience: int = 1 << 40) -> None:
        config = small_config(solver="bitwuzla", solver_patience=patience)
        self.target = build_target(compile_solidity(MANY, "Many"), config)
        self.corpus, self.coverage = CorpusView(), CoverageView()
        tests = PropertyView(self.target.tests)
        self.dictionary = DictionaryView(())
        self.view = SolvingView(
            self.target, self.corpus, self.coverage, tests, self.dictionary
        )
        self.round = 0

    def tell(self, kind: Any, **payload: Any) -> None:
        event = NewEvent(type=kind, round=self.round, payload=payload)
        self.corpus.apply(event)
        self.dictionary.apply(event)
        self.view.apply(event)

    def keep(self, *functions: str) -> None:
        calls = [executed(stored_call(f"{name}()")) for name in functions]
        entry = len(self.corpus.entries)
        self.tell("CorpusExtended", entry=entry, calls=calls, newPoints=1, injected=0)

    def commit(self, cost: int = 1, *found: str) -> list[Job]:
        """End a round; return the jobs that were due in it, which cost so much.

        Args:
            cost: of each of them.
            found: functions that each has found a call of.
        """
        sequences = [{"calls": [stored_call(f"{name}()")]} for name in found]
        self.round += 1
        due = self.view.due(self.round)
        for job in due:
            self.tell(
                "SolverAnswered",
                job=job.number,
                chosen=job.round,
                entries=list(job.origin.entries),
                functions=list(job.origin.functions),
                tried=[],
                sequences=sequences,
                unfinished=False,
                cost=cost,
            )
        config = self.target.config
        self.tell("RoundCommitted", steps=config.round_budget * config.workers)
        return list(due)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_tuples_are_numbered_without_gaps_by_their_greatest_member(size: int) -> None:
    for count in range(1, 6):
        found = [tuple_at(number, size) for number in range(count**size)]
        assert sorted(found) == sorted(product(range(count), repeat=size))
        assert [max(each) for each in found] == sorted(max(each) for each in found)


def test_functions_that_succeed_late_are_called_with_all_others() -> None:
    choosing = Choosing()
    choosing.keep("a", "b", "c")
    jobs = [job for _ in range(9) for job in choosing.commit()]
    choosing.keep("d")
    jobs += [job for _ in range(200) for job in choosing.commit()]
    composed = [job.origin.functions for job in jobs if job.origin.functions]
    names = [f"{name}()" for name in "abcd"]
    expected = [each for size in (1, 2, 3) for each in product(names, repeat=size)]
    assert sorted(composed) == sorted(expected)


def test_jobs_go_on_however_dear_they_are() -> None:
    choosing = Choosing()
    for _ in range(60):
        choosing.keep("a", "b")
    jobs = [len(choosing.commit(DEAREST)) for _ in range(400)]
    # A whole round allows for 100.
    assert sum(jobs[200:]) in range(15, 21)


def gaps(choosing: Choosing, rounds: int, cost: int) -> list[int]:
    """Return how many rounds lie between the jobs of so many rounds, each in turn."""
    jobs = [job for _ in range(rounds) for job in choosing.commit(cost)]
    chosen = [job.round for job in jobs]
    return [after - before for before, after in pairwise(chosen)]


def test_what_finds_nothing_makes_longer_and_longer_pauses_up_to_a_limit() -> None:
    choosing = Choosing(patience=5)
    for _ in range(400):
        choosing.keep("a", "b")
    found = gaps(choosing, 6_000, cost=5)
    # Of jobs that are chosen while others run nobody knows yet what they have cost.
    late = next(at for at, gap in enumerate(found) if gap > AHEAD)
    longer = list(range(found[late], 97))
    assert found[late : late + len(longer)] == longer
    assert set(found[late + len(longer) :]) == {97}


def test_pauses_grow_four_times_slower_where_a_job_has_found_something() -> None:
    choosing = Choosing(patience=5)
    for _ in range(400):
        choosing.keep("a", "b")
    while not choosing.commit(5, "c"):
        pass
    found = gaps(choosing, 2_000, cost=5)
    late = next(at for at, gap in enumerate(found) if gap > AHEAD)
    slower = found[late : late + 40]
    assert {after - before for before, after in pairwise(slower)} == {0, 1}
    assert slower[-1] - slower[0] in (9, 10)


def test_jobs_know_the_words_that_were_come_upon_before_they_were_chosen() -> None:
    choosing = Choosing()
    choosing.keep("a", "b")
    choosing.tell("DictionaryExtended", words=["0x2a", f"0x{(1 << 256) - 1:x}"])
    early = [job for _ in range(2 * AHEAD) for job in choosing.commit()]
    choosing.tell("DictionaryExtended", words=["0x7"])
    late = [job for _ in range(2 * AHEAD) for job in choosing.commit()]
    assert {job.words for job in early} == {(42, (1 << 256) - 1)}
    assert late[-1].words == (42, (1 << 256) - 1, 7)

"""Tasks that do without climbing and the like while nothing is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import replayed, small_config, started
from corpus_contracts import compile_corpus
from hypothesis import given
from hypothesis import strategies as st
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.events.event import NewEvent
from echidna_mcp.fuzz.harvest import MOST_HARVESTED
from echidna_mcp.fuzz.tables import MOST_CHAINED
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds import tasks
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.tasks import (
    FEWEST_BETWEEN,
    FEWEST_QUIET,
    MOST_PLAIN,
    RoundTask,
    is_plain,
    quiet_budget,
    quiet_budgets,
    times_halved,
)
from echidna_mcp.views.properties import PropertyRecord, PropertyView

rounds = st.integers(1, 1 << 40)
workers = st.integers(0, 4095)
PERIOD = 1 << MOST_PLAIN
RISING = """
contract Rising {
    int total;
    function add(uint8 n) external { total += int(uint(n)); }
    function echidna_opt_total() external view returns (int) { return total; }
}
"""


def climbing_of(leading: int, quiet: int, code: int | None = None) -> int:
    """Return how many of as many workers as take turns climb after quiet rounds."""
    number = leading + 1 + quiet
    halved = times_halved(number, leading, leading if code is None else code)
    return sum(not is_plain(number, worker, halved) for worker in range(PERIOD))


def rounds_for(budgets: int) -> int:
    """Return how many quiet rounds have at least so many whole budgets."""
    return next(n for n in range(budgets + 1) if quiet_budgets(n) >= budgets)


# ------------------------------------------------------------------------------ tasks


@given(rounds, st.integers(0, 200))
def test_no_task_is_plain_before_as_much_time_has_gone_by_as_until_new_code(
    leading: int, quiet: int
):
    if quiet_budgets(quiet) < max(leading, FEWEST_QUIET):
        assert climbing_of(leading, quiet) == PERIOD


@pytest.mark.parametrize("leading", [0, 1, 100, 10_000])
def test_each_doubling_of_the_quiet_time_halves_the_share_of_tasks_that_climb(leading):
    least = max(FEWEST_QUIET, leading)
    halves = [rounds_for(least << number) for number in range(MOST_PLAIN)]
    assert [climbing_of(leading, quiet - 1) for quiet in halves] == [8, 4, 2]
    assert [climbing_of(leading, quiet) for quiet in halves] == [4, 2, 1]
    assert climbing_of(leading, 10**9 * least) == 1


def test_what_only_comes_nearer_lets_all_tasks_climb_for_some_budgets():
    first = rounds_for(FEWEST_BETWEEN)
    told = [climbing_of(1_000, quiet, code=10) for quiet in (0, first - 1, first)]
    assert told == [PERIOD, PERIOD, PERIOD // 2]


@given(rounds, st.integers(0, 200), st.integers(0, 200))
def test_what_only_comes_nearer_puts_no_task_back_that_new_code_would_not(
    code: int, later: int, quiet: int
):
    assert climbing_of(code + later, quiet, code) >= climbing_of(code, later + quiet)


@given(rounds, workers, st.integers(0, MOST_PLAIN))
def test_a_task_of_each_worker_climbs_again_and_again(
    number: int, worker: int, halved: int
):
    following = range(number, number + PERIOD)
    assert not all(is_plain(each, worker, halved) for each in following)


@given(st.integers(0, 200))
def test_quiet_budgets_are_those_of_the_rounds(quiet: int):
    assert quiet_budgets(quiet) == sum(quiet_budget(1, each) for each in range(quiet))


# -------------------------------------------------------------------------- campaigns


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every second task be plain after one quiet round."""
    monkeypatch.setattr(tasks, "FEWEST_QUIET", 1)
    monkeypatch.setattr(tasks, "FEWEST_BETWEEN", 1)


def adapting(**changes: Any) -> dict[str, Any]:
    """Return the settings of a campaign whose budget counts as calibrated."""
    return {"round_budget": 20_000, "longer_rounds": True, **changes}


def shape(running) -> list[tuple[bool, bool, bool]]:
    """Return of each task of the next round whether it climbs, sequences and tests."""
    planned = running.campaign.engine.plan().tasks
    return [(task.climbing, task.goals, task.plain) for task in planned]


@pytest.mark.solc
@pytest.mark.usefixtures("impatient")
def test_plain_tasks_are_the_same_on_every_backend_and_in_replays(tmp_path: Path):
    program = compile_corpus(("Token",))
    digests = set()
    for backend in (REFERENCE, "compiled", "checked"):
        config = small_config(**adapting(states=False, waypoints=False))
        place = tmp_path / backend
        with started(place, program, config, backend=named(backend)) as running:
            running.rounds(24)
            assert any(plain for _, _, plain in shape(running))
            digests.add(running.digests()[-1])
            assert replayed(running.events, named(backend)) == running.digests()[-1]
    assert len(digests) == 1


@pytest.mark.solc
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("changes", [{"plain_tasks": False}, {"longer_rounds": False}])
def test_all_tasks_climb_where_that_is_off_or_the_budget_was_chosen(tmp_path, changes):
    program = compile_corpus(("Token",))
    config = small_config(**adapting(**changes))
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(24)
        assert shape(running) == [(True, True, False)] * config.workers


@pytest.mark.solc
@pytest.mark.usefixtures("impatient")
def test_who_prioritizes_a_function_gets_tasks_that_climb(tmp_path):
    program = compile_corpus(("Token",))
    config = small_config(**adapting())
    wanted = ("prioritize_function", {"functionSignature": "transfer"})
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(24)
        assert (False, False, True) in shape(running)
        running.rounds(1, {25: [wanted]})
        assert shape(running) == [(True, True, False)] * config.workers


@pytest.mark.solc
@pytest.mark.usefixtures("impatient")
def test_what_only_comes_nearer_puts_plain_tasks_off_for_a_while_only(tmp_path):
    program = compile_corpus(("Token",))
    config = small_config(**adapting())
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        view, plain = running.views.coverage, []
        for number in range(1, 60):
            running.rounds(1)
            quiet = number - view.leading_round
            # As long again as it took until the last new code has gone by.
            if view.leading_round > 2 * view.code_round:
                plain.append((quiet > 0, any(each for _, _, each in shape(running))))
        assert set(plain) == {(False, False), (True, True)}


@pytest.mark.solc
@pytest.mark.usefixtures("impatient")
def test_after_a_greater_value_all_tasks_climb_again(tmp_path):
    # Values rise, and nothing else is new.
    config = small_config(
        **adapting(test_mode="optimization", states=False, waypoints=False, goals=False)
    )
    program = compile_solidity(RISING, "Rising")
    with started(tmp_path, program, config, backend=named("compiled")) as running:
        running.rounds(30)
        raised = [each.round for each in running.events if each.type == "ValueRaised"]
        view = running.views.coverage
        assert running.views.properties.round == raised[-1] > view.leading_round
        while "ValueRaised" not in (each.type for each in running.events[-8:]):
            running.rounds(1)
        assert shape(running) == [(True, False, False)] * config.workers


def test_a_finding_is_news() -> None:
    view = PropertyView([])
    view.records["falls"] = PropertyRecord(name="falls", test="falls")
    falsified = {"property": "falls", "reason": "", "calls": [], "counterexample": []}
    assert view.round == 0
    view.apply(NewEvent(type="PropertyFalsified", round=9, payload=falsified))
    assert view.round == 9


@pytest.mark.solc
def test_a_plain_task_takes_nothing_from_calls_before_and_chains_entries() -> None:
    target = build_target(compile_corpus(("Token",)), small_config())
    replica = Replica(WorkerSetup(target, named("compiled")))
    told = []
    for plain in (True, False, True):
        task = RoundTask(round=2, worker=0, budget=50_000, plain=plain)
        tables = replica.tables(task)
        told.append((tables.echoes, tables.harvest, replica.pool.most, tables.chained))
    plain = (0, 0, 0, MOST_CHAINED)
    assert told == [plain, (1, 1, MOST_HARVESTED, 0), plain]

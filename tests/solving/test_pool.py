"""Processes that die or hang cost a job, as often as is said, and nobody else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_solvers import note_and_die, note_and_hang
from campaigns import small_config
from faulty_backend import NEVER, ROOMLESS
from native_backends import named
from solc import compile_solidity
from stored_calls import executed, stored_call

from echidna_mcp.campaign import solver as pool_module
from echidna_mcp.campaign.solver import SolverPool, SolverSetup
from echidna_mcp.events.event import NewEvent
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp_plugins.solvers.bitwuzla import BITWUZLA

pytestmark = pytest.mark.solc
pytest.importorskip("bitwuzla")

DOOR = """
contract Door {
    bool opened;
    function open(uint256 a) external { if (a * 3 == 0x123456789) opened = true; }
    function echidna_shut() external view returns (bool) { return !opened; }
}
"""


@contextmanager
def one_job(
    solve: Any = BITWUZLA.solve, backend: BackendPlugin | None = None
) -> Iterator[tuple[SolverPool, int]]:
    """Yield the processes of a campaign that has one job, and the round of that."""
    config = small_config(solver="bitwuzla")
    target = build_target(compile_solidity(DOOR, "Door"), config)
    views = CampaignViews(target)
    (function,) = target.functions
    call = executed(stored_call(function.signature, function.selector + bytes(32)))
    entry = {"entry": 0, "calls": [call], "newPoints": 1, "injected": False}
    new = NewEvent(type="CorpusExtended", round=4, payload=entry)
    views.corpus.apply(new)
    views.solving.apply(new)
    whole = {"steps": config.round_budget * config.workers}
    views.solving.apply(NewEvent(type="RoundCommitted", round=4, payload=whole))
    (job,) = views.solving.pending
    plugin = replace(BITWUZLA, solve=solve)
    setup = SolverSetup(target, backend or named("compiled"), plugin)
    with closing(SolverPool(setup, views.solving)) as pool:
        yield pool, job.due


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIED", str(tmp_path / "noted"))
    return tmp_path / "noted"


def test_a_job_of_which_processes_die_has_four(noted: Path) -> None:
    with one_job(note_and_die) as (pool, due):
        (answer,) = pool.answers(due)
        time.sleep(2)
    assert answer["sequences"] == []
    assert noted.read_text() == "xxxx"


def test_a_job_that_hangs_is_not_begun_again(
    noted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_LONGEST_SECONDS", 4.0)
    with one_job(note_and_hang) as (pool, due):
        (answer,) = pool.answers(due)
        time.sleep(2)
    assert answer["sequences"] == []
    assert noted.read_text() == "x"


def test_the_start_state_is_made_elsewhere_if_there_is_no_room_for_it() -> None:
    with one_job(backend=ROOMLESS) as (pool, due):
        (answer,) = pool.answers(due)
    with one_job() as (pool, due):
        assert [*pool.answers(due)] == [answer]
    assert answer["sequences"]


def test_without_a_start_state_jobs_find_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with one_job(backend=NEVER) as (pool, due):
        (answer,) = pool.answers(due)
    assert answer["sequences"] == []
    (record,) = caplog.records
    assert record.getMessage() == (
        "The solver is off: no start state for it (RuntimeError: no room)."
    )

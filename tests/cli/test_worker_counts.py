"""Who asks for logical workers that waste the machine is told so, in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import SMALL, invoke

from echidna_mcp.cli.request.machine_use import misuse
from echidna_mcp.config.workers import MOST_WORKERS, PRESETS

DEMO = "No target is named and there is no project here: this is the demo.\n"
IDLE = (
    "Warning: A round has a task for each of 8 logical workers, which leaves 16 "
    "physical ones idle for 50 % of the time; --workers 16 keeps them busy.\n"
)


@pytest.fixture(autouse=True)
def _empty_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", [("--dry-run",), ("--format", "none", *SMALL)])
def test_idle_physical_workers_are_told(words):
    sized = ("--workers", "small", "--executor", "threads:16")
    done = invoke("run", *words, *sized)
    assert done.err.startswith(DEMO + IDLE)


def test_who_wants_it_quiet_is_not_told():
    Path("quiet.yaml").write_text("quiet: true\nexecutor: threads:16\n")
    done = invoke("run", "--dry-run", "--config", "quiet.yaml")
    assert (done.code, done.err) == (0, "")


def test_too_many_turns_are_told():
    done = invoke("run", "--dry-run", "--workers", "large", "--executor", "threads:2")
    assert done.err == DEMO + (
        "Warning: Of 256 logical workers 2 at most run at once, so a round takes 128 "
        "turns, and what one finds reaches the others late; --workers 64 or fewer are "
        "enough here.\n"
    )


def test_who_is_refused_is_told_nothing_else():
    refused = invoke("run", "missing.sol", "--executor", "threads:16").refusal()
    assert "missing.sol" in refused


@pytest.mark.parametrize(
    ("workers", "physical"),
    [(8, 1), (8, 2), (8, 3), (8, 4), (8, 8), (64, 2), (64, 64), (256, 256), (300, 100)],
)
def test_what_fits_is_no_news(workers, physical):
    assert misuse(workers, physical) == ""


@pytest.mark.parametrize(
    ("workers", "physical", "better"),
    [(8, 6, 12), (8, 1024, 1024), (64, 48, 96), (4000, 1024, MOST_WORKERS)],
)
def test_what_is_proposed_keeps_all_physical_workers_busy(workers, physical, better):
    text = misuse(workers, physical)
    assert (f"--workers {better} " in text) == bool(text)
    assert misuse(better, physical) == ""


@pytest.mark.parametrize("size", PRESETS.values())
def test_a_preset_suits_a_machine_with_as_many_cores(size):
    assert misuse(size, size) == ""
    assert misuse(size, 2 * size) != ""

"""`list` tells what campaigns have brought, and `prune` removes old ones, no others."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import (
    HOLDS,
    POKE,
    RETURN_FALSE,
    SMALL,
    UNLIMITED,
    artifact,
    files,
    invoke,
    stopped,
    tamper,
)
from evm_assembler import assemble

from echidna_mcp.cli.stored.listing import told_size
from echidna_mcp.events.lock import WriterLock

NO_ARGUMENTS = assemble(
    4,
    "CALLDATASIZE GT @refused JUMPI",
    1,
    0,
    "MSTORE",
    32,
    0,
    "RETURN refused:",
    0,
    0,
    "REVERT",
)
"""Code that answers calls without arguments with true, and fails those with any."""


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    """Work in a directory of its own, with three contracts."""
    monkeypatch.chdir(tmp_path)
    artifact(tmp_path / "Good.json")
    artifact(tmp_path / "Bad.json", runtime=RETURN_FALSE)
    artifact(tmp_path / "Idle.json", [POKE, HOLDS], runtime=NO_ARGUMENTS)


def campaign(name: str, *words: object, directory: str = "echidna-corpus") -> int:
    return invoke("run", f"{name}.json", *SMALL, "--campaigns", directory, *words).code


def listed(directory: str = "echidna-corpus") -> list[dict]:
    done = invoke("list", directory, "--json")
    assert done.code == 0, done
    return json.loads(done.out)["campaigns"]


def aged(path: Path, days: int) -> Path:
    """Let a campaign have begun so many days ago: its directory says when it began."""
    contract = path.name.split("-")[0]
    begun = datetime.now(UTC) - timedelta(days=days)
    return path.rename(path.with_name(f"{contract}-{begun:%Y%m%d-%H%M%S-%f}"))


def names(directory: str = "echidna-corpus") -> set[str]:
    return {each.name for each in Path(directory).iterdir()}


def test_each_campaign_is_listed_with_what_it_has_brought():
    assert campaign("Good", "--seed", 1) == 0
    assert campaign("Bad", "--seed", 1) == 1
    assert stopped("run", "Good.json", *UNLIMITED, "--campaigns", "echidna-corpus")
    unfinished, bad, good = listed()
    assert (unfinished["state"], unfinished["contract"]) == ("unfinished", "Good")
    assert unfinished["rounds"] >= 1
    assert (bad["state"], bad["verdict"]) == ("ended", "falsified")
    (finding,) = bad["findings"]
    assert len(finding) == 8
    assert (good["state"], good["verdict"], good["findings"]) == (
        "ended",
        "passing",
        [],
    )
    assert good["contracts"] == ["Good.json:Good"]
    assert good["calls"] >= 40
    assert not good["sealed"]
    assert good["bytes"] >= Path(good["directory"], "campaign.db").stat().st_size
    text = invoke("list").out.splitlines()
    assert len(text) == 4
    assert text[0].split() == [
        *("BEGUN", "(UTC)", "CONTRACTS", "ROUNDS", "CALLS", "FINDINGS"),
        *("VERDICT", "SIZE", "STATE", "DIRECTORY"),
    ]
    assert "falsified" in text[2]
    assert text[2].endswith(Path(bad["directory"]).name)


def test_ids_are_those_of_the_report():
    done = invoke("run", "Bad.json", *SMALL, "--campaigns", "c", "--format", "json")
    reported = [test["id"] for test in json.loads(done.out)["tests"]]
    assert listed("c")[0]["findings"] == reported


def test_a_campaign_that_is_sealed_is_listed_as_that():
    campaign("Good")
    (place,) = Path("echidna-corpus").iterdir()
    assert invoke("seal", place).code == 0
    assert listed()[0]["sealed"]
    assert "ended, sealed" in invoke("list").out


def test_a_test_that_was_not_exercised_is_no_pass():
    assert campaign("Idle") == 4
    assert listed()[0]["verdict"] == "not exercised"


def test_what_can_not_be_read_is_told_and_never_removed():
    campaign("Good")
    (place,) = Path("echidna-corpus").iterdir()
    tamper(place, "UPDATE events SET payload = '{}' WHERE seq = 1")
    (entry,) = listed()
    assert entry["state"] == "unreadable"
    assert entry["findings"] is None
    assert len(invoke("list").out.splitlines()) == 3
    done = invoke("prune", "--keep", 0, "--yes")
    assert "can't be read" in done.out
    assert place.is_dir()


def test_nothing_is_written_by_list_nor_by_prune_without_yes():
    campaign("Good")
    campaign("Bad")
    before = files(Path("echidna-corpus"))
    assert invoke("list").code == 0
    done = invoke("prune", "--keep", 0)
    assert done.code == 0
    assert done.out.count("Would remove: ") == 2
    assert "Nothing was removed; add --yes" in done.out
    assert files(Path("echidna-corpus")) == before


def test_the_newest_of_each_contract_are_kept():
    for _ in range(2):
        campaign("Good")
        campaign("Bad")
    bad, good, *_ = (Path(each["directory"]).name for each in listed())
    done = invoke("prune", "--keep", 1, "--yes")
    assert done.code == 0
    assert names() == {bad, good}
    assert "Removed 2 campaigns: " in done.out


def test_only_what_is_old_is_removed():
    for days in (0, 2, 20):
        campaign("Good")
        oldest = aged(Path(listed()[0]["directory"]), days)
    assert invoke("prune", "--older-than", "3d", "--yes").code == 0
    assert len(names()) == 2
    assert oldest.name not in names()
    assert invoke("prune", "--older-than", "36h", "--keep", 2, "--yes").code == 0
    assert len(names()) == 2
    assert invoke("prune", "--older-than", "36h", "--yes").code == 0
    assert len(names()) == 1


def test_a_campaign_that_runs_stays():
    campaign("Good")
    (place,) = Path("echidna-corpus").iterdir()
    before = files(place)
    lock = WriterLock(place / "campaign.db")
    try:
        assert listed()[0]["state"] == "running"
        done = invoke("prune", "--keep", 0, "--yes")
        assert "is running" in done.out
        assert before.keys() == files(place).keys()
    finally:
        lock.release()
    assert listed()[0]["state"] == "ended"
    assert invoke("prune", "--keep", 0, "--yes").code == 0
    assert names() == set()


def test_evidence_stays_unless_it_is_meant():
    campaign("Good")
    (place,) = Path("echidna-corpus").iterdir()
    assert invoke("seal", place).code == 0
    done = invoke("prune", "--keep", 0, "--yes")
    assert "is sealed; --sealed lets it go" in done.out
    assert len(names()) == 1
    assert invoke("prune", "--keep", 0, "--sealed", "--yes").code == 0
    assert names() == set()


def test_what_others_have_put_beside_a_campaign_stays():
    invoke("run", "Good.json", *SMALL, "--corpus-dir", "home")
    campaign("Bad", directory="home")
    Path("home/coverage").mkdir()
    Path("home/coverage/1.txt").write_text("[]")
    Path("home/notes.txt").write_text("mine")
    assert len(listed("home")) == 2
    assert invoke("prune", "home", "--keep", 0, "--yes").code == 0
    assert {each.as_posix() for each in Path("home").rglob("*")} == {
        *("home/notes.txt", "home/coverage", "home/coverage/1.txt")
    }


def test_prune_asks_for_a_rule():
    Path("echidna-corpus").mkdir()
    assert "--keep 5" in invoke("prune").refusal()


@pytest.mark.parametrize("text", ["3", "d", "3y", "-1d", "1.5h"])
def test_a_wrong_duration_is_refused(text):
    assert "30d" in invoke("prune", "--older-than", text).refusal()


@pytest.mark.parametrize("command", ["list", "prune"])
def test_a_directory_that_is_not_there_is_told(command):
    words = ("--keep", 1) if command == "prune" else ()
    told = invoke(command, "nowhere", *words).refusal()
    assert told.startswith("nowhere is no directory;")


def test_an_empty_directory_has_no_campaigns():
    Path("empty").mkdir()
    assert invoke("list", "empty").out == "There are no campaigns in empty.\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_999, "1.0 MB"),
        (10**13, "10000.0 GB"),
    ],
)
def test_sizes_are_told_for_people(number, text):
    assert told_size(number) == text

"""`--campaigns`: a directory in which each campaign finds its own again."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import RETURN_FALSE, SMALL, artifact, files, invoke, tamper

from echidna_mcp.events.store import EventStore, store_path

FLAGS = ("--campaigns", "kept", "--seed", "1", *SMALL)


def ran(target: Path, *options: object) -> Path:
    """Run a campaign to its end; return its directory."""
    done = invoke("run", target, *options)
    assert done.code in (0, 1), done
    (line,) = [x for x in done.err.splitlines() if x.startswith("Campaign: ")]
    return Path(line.removeprefix("Campaign: "))


def kept(here: Path) -> list[str]:
    return sorted(path.name for path in (here / "kept").iterdir())


def events(directory: Path) -> int:
    with EventStore.read_only(store_path(directory)) as store:
        return store.count


def test_a_contract_finds_its_campaign_again(here, target):
    first = ran(target, *FLAGS)
    assert first.parent == Path("kept")
    assert first.name.startswith("Good-")
    before = events(first)
    assert ran(target, *FLAGS) == first
    assert events(first) == before  # It had ended.
    assert kept(here) == [first.name]


def test_a_changed_contract_has_a_campaign_of_its_own_until_it_is_changed_back(
    here, target
):
    first = ran(target, *FLAGS)
    artifact(target, runtime=RETURN_FALSE)
    second = ran(target, *FLAGS)
    assert second != first
    assert ran(target, *FLAGS) == second
    artifact(target)
    assert ran(target, *FLAGS) == first
    assert kept(here) == sorted([first.name, second.name])


def test_a_seed_that_is_asked_for_is_part_of_the_campaign_and_one_that_is_not_is_none(
    target,
):
    first = ran(target, *FLAGS)
    other = ran(target, "--campaigns", "kept", "--seed", "2", *SMALL)
    assert other != first
    # The newest of those that will do.
    assert ran(target, "--campaigns", "kept", *SMALL) == other
    assert ran(target, *FLAGS) == first


def test_a_campaign_that_runs_is_left_alone(target):
    first = ran(target, *FLAGS)
    with EventStore.open(store_path(first)):
        second = ran(target, *FLAGS)
    assert second != first


def test_what_is_no_store_is_passed_over_and_kept(here, target):
    garbage = here / "kept" / "Good-20990101"
    garbage.mkdir(parents=True)
    (garbage / "campaign.db").write_text("no database")
    (here / "kept" / "notes.txt").write_text("mine")
    first = ran(target, *FLAGS)
    assert ran(target, *FLAGS) == first
    assert (garbage / "campaign.db").read_text() == "no database"


def test_a_campaign_that_was_changed_by_others_does_not_go_on(here, target):
    first = ran(target, *FLAGS)
    tamper(first, "UPDATE events SET worker = 7 WHERE seq = 3")
    before = files(here)
    sentence = invoke("run", target, *FLAGS).refusal()
    assert str(first) in sentence
    assert files(here) == before


def test_both_kinds_of_directory_are_refused(here, target):
    sentence = invoke("run", target, *FLAGS, "--corpus-dir", "one").refusal()
    assert "--corpus-dir and --campaigns are both given" in sentence
    assert not (here / "kept").exists()


def test_it_is_stronger_than_the_directory_of_a_configuration_file(here, target):
    (here / "echidna.yaml").write_text("corpusDir: one\n")
    assert ran(target, *FLAGS, "--config", "echidna.yaml").parent == Path("kept")
    assert not (here / "one").exists()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_directory_that_can_not_be_made_is_refused(here, target, name):
    (here / "file").write_text("mine")
    sentence = invoke("run", target, "--campaigns", name, "--seed", 1, *SMALL).refusal()
    assert name in sentence
    assert (here / "file").read_text() == "mine"

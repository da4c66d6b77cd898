"""`--campaigns`: a directory in which each campaign finds its own again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command_line import (
    RETURN_TRUE,
    SMALL,
    UNLIMITED,
    Outcome,
    artifact,
    files,
    invoke,
    tamper,
)
from command_line import stopped as stopped_command
from live_server import command

from echidna_mcp.events.store import EventStore, store_path

FLAGS = ("--campaigns", "kept", "--seed", "1", *UNLIMITED)


def ran(target: Path, *options: object) -> Path:
    """Run a campaign to its end; return its directory."""
    return directory_of(invoke("run", target, *options))


def stopped(target: Path, *options: object) -> Path:
    """Run a campaign without end until its next round; return its directory."""
    return directory_of(stopped_command("run", target, *options))


def directory_of(done: Outcome) -> Path:
    assert done.code in (0, 1), done
    (line,) = [x for x in done.err.splitlines() if x.startswith("Campaign: ")]
    return Path(line.removeprefix("Campaign: "))


def kept(here: Path) -> list[str]:
    return sorted(path.name for path in (here / "kept").iterdir())


def events(directory: Path) -> int:
    with EventStore.read_only(store_path(directory)) as store:
        return store.count


def test_a_contract_finds_its_campaign_again(here, target):
    first = stopped(target, *FLAGS)
    assert first.parent == Path("kept")
    assert first.name.startswith("Good-")
    before = events(first)
    assert stopped(target, *FLAGS) == first
    assert events(first) > before
    assert kept(here) == [first.name]


def test_a_campaign_that_has_ended_makes_room_for_the_next(here, target):
    limited = ("--campaigns", "kept", "--seed", "1", *SMALL)
    first = ran(target, *limited)
    second = ran(target, *limited)
    assert second != first
    assert kept(here) == sorted([first.name, second.name])


def test_a_changed_contract_has_a_campaign_of_its_own_until_it_is_changed_back(
    here, target
):
    first = stopped(target, *FLAGS)
    artifact(target, runtime=RETURN_TRUE + b"\0")
    second = stopped(target, *FLAGS)
    assert second != first
    assert stopped(target, *FLAGS) == second
    artifact(target)
    assert stopped(target, *FLAGS) == first
    assert kept(here) == sorted([first.name, second.name])


def test_a_seed_that_is_asked_for_is_part_of_the_campaign_and_one_that_is_not_is_none(
    target,
):
    first = stopped(target, *FLAGS)
    other = stopped(target, "--campaigns", "kept", "--seed", "2", *UNLIMITED)
    assert other != first
    # The newest of those that will do.
    assert stopped(target, "--campaigns", "kept", *UNLIMITED) == other
    assert stopped(target, *FLAGS) == first


def test_a_campaign_that_runs_is_left_alone(target):
    first = stopped(target, *FLAGS)
    with EventStore.open(store_path(first)):
        second = stopped(target, *FLAGS)
    assert second != first


def served(*arguments: object) -> Path:
    """Serve a campaign over standard streams; return its directory."""
    words = command("serve", *arguments, "--transport", "stdio")
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stderr is not None
        first = server.stderr.readline().decode().rstrip()
        server.stdin.close()
        server.stderr.read()
    assert first.startswith("Campaign: ")
    return Path(first.removeprefix("Campaign: "))


def test_who_asks_for_no_limit_gets_no_campaign_that_has_one(target):
    place = SMALL.index("--test-limit")
    unlimited = (*SMALL[:place], *SMALL[place + 2 :])
    endless = ("--campaigns", "kept", "--seed", "1", *unlimited)
    limited = stopped(target, *FLAGS)
    first = served(target, *endless)
    assert first != limited
    assert served(target, *endless) == first


def test_what_is_no_store_is_passed_over_and_kept(here, target):
    garbage = here / "kept" / "Good-20990101"
    garbage.mkdir(parents=True)
    (garbage / "campaign.db").write_text("no database")
    (here / "kept" / "notes.txt").write_text("mine")
    first = stopped(target, *FLAGS)
    assert stopped(target, *FLAGS) == first
    assert (garbage / "campaign.db").read_text() == "no database"


def test_a_campaign_that_was_changed_by_others_does_not_go_on(here, target):
    first = stopped(target, *FLAGS)
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
    assert stopped(target, *FLAGS, "--config", "echidna.yaml").parent == Path("kept")
    assert not (here / "one").exists()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_directory_that_can_not_be_made_is_refused(here, target, name):
    (here / "file").write_text("mine")
    sentence = invoke("run", target, "--campaigns", name, "--seed", 1, *SMALL).refusal()
    assert name in sentence
    assert (here / "file").read_text() == "mine"

"""Corpus directories that can't be used, and stores that somebody has changed."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import SMALL, UNLIMITED, artifact, files, invoke, stopped, tamper

from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.command_log import command_log_path

COMMANDS = ("verify", "replay", "run", "serve")
"""Everything that opens a store."""


def opened_by(command: str, directory: object, target: object) -> tuple[object, ...]:
    """Return the arguments with which a command opens a store."""
    if command == "verify":
        return command, directory
    if command == "replay":
        return command, directory, "--executor", "inline"
    server = ("--port", 0) if command == "serve" else ()
    where = ("--corpus-dir", directory, "--seed", 1, "--timeout", 20)
    return command, target, *where, *server, *UNLIMITED


def refused(*arguments: object) -> str:
    """Return the sentence of a refused command; check that it leaves nothing behind."""
    before = files(Path.cwd())
    sentence = invoke(*arguments).refusal()
    assert files(Path.cwd()) == before
    return sentence


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a contract and the store of a campaign that can go on."""
    root = tmp_path_factory.mktemp("recorded")
    target = artifact(root / "Good.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        stopped("run", target, "--corpus-dir", "s", "--seed", 1, *UNLIMITED)
    return root


@pytest.fixture
def store(here: Path, recorded: Path) -> Path:
    """A copy of that store in the working directory, with the contract beside it."""
    shutil.copytree(recorded / "s", here / "s")
    shutil.copy(recorded / "Good.json", here / "Good.json")
    return Path("s")


# ------------------------------------------------------- directories of no use


def directory_below_a_file(root: Path) -> str:
    return "Good.json/below"


def directory_that_is_a_file(root: Path) -> str:
    (root / "plain").write_text("a file")
    return "plain"


def dangling_symlink(root: Path) -> str:
    (root / "dangling").symlink_to(root / "nowhere")
    return "dangling"


def directory_that_nobody_can_make(root: Path) -> str:
    return "/proc/nosuch/store"


@pytest.mark.parametrize(
    ("command", "make", "why"),
    [
        ("run", directory_below_a_file, "Not a directory"),
        ("run", directory_that_is_a_file, "something else has its name"),
        ("run", dangling_symlink, "something else has its name"),
        ("run", directory_that_nobody_can_make, "No such file or directory"),
        # Here it is the campaign process that finds out.
        ("serve", directory_that_is_a_file, "something else has its name"),
    ],
)
def test_a_corpus_directory_that_can_not_be_made(target, command, make, why):
    name = make(Path.cwd())
    sentence = refused(*opened_by(command, name, target))
    assert sentence == (
        f"The directory {name} can't be made: {why}; choose another --corpus-dir."
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("mode", [0o000, 0o500])
@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_corpus_directory_that_is_forbidden(target, command, mode):
    Path("s").mkdir(mode=mode)
    assert "Permission denied" in refused(*opened_by(command, "s", target))


def store_of_text(directory: Path) -> None:
    (directory / "campaign.db").write_text("this is no database " * 100)


def store_that_is_a_directory(directory: Path) -> None:
    (directory / "campaign.db").mkdir()


def database_of_another_program(directory: Path) -> None:
    with closing(sqlite3.connect(directory / "campaign.db")) as db:
        db.execute("CREATE TABLE shopping(item)")


NONE = [
    (store_of_text, "The store s/campaign.db is not a SQLite database"),
    (store_that_is_a_directory, "s/campaign.db can't be opened: it is a directory"),
    (database_of_another_program, "The database s/campaign.db holds no campaign"),
]


@pytest.mark.parametrize("command", ["verify", "replay"])
@pytest.mark.parametrize(("make", "why"), NONE)
def test_a_store_that_is_none(target, command, make, why):
    Path("s").mkdir()
    make(Path("s"))
    assert why in refused(*opened_by(command, "s", target))


@pytest.mark.parametrize(("make", "why"), NONE)
def test_a_campaign_begins_beside_what_is_no_store(target, make, why):
    Path("s").mkdir()
    make(Path("s"))
    before = files(Path("s"))
    done = invoke("run", target, "--corpus-dir", "s", "--seed", 1, *SMALL)
    assert done.code == 0
    assert done.err.startswith("Warning: ")
    assert why in done.err
    assert "It is left alone." in done.err
    assert before.items() <= files(Path("s")).items()
    assert len(list(Path("s").glob("Good-*/campaign.db"))) == 1


@pytest.mark.parametrize("size", [0, None])
def test_what_a_crash_leaves_before_the_first_commit_is_taken_over(target, size):
    Path("s").mkdir()
    if size is None:
        EventStore.create(store_path(Path("s"))).close()
    else:
        store_path(Path("s")).touch()
    done = invoke("run", target, "--corpus-dir", "s", "--seed", 1, *SMALL)
    assert done.code == 0
    assert "Campaign: s\n" in done.err
    assert invoke("verify", "s").code == 0


# ------------------------------------------------------------ stores of others


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_store_in_use_can_be_checked(store, command):
    with EventStore.open(store_path(store)):
        assert invoke(*opened_by(command, store, None)).code == 0


# ------------------------------------------------------------- changed stores

FIRST_ROUND = "(SELECT min(seq) FROM events WHERE type = 'RoundCommitted')"
CHANGES = {
    "a payload": f"""UPDATE events SET payload =
        replace(payload, '"reverts":', '"reverts":1') WHERE seq = {FIRST_ROUND}""",
    "the seed": """UPDATE events SET payload =
        replace(payload, '"seed":1', '"seed":2') WHERE seq = 1""",
    "a payload that is no JSON": "UPDATE events SET payload = '{' WHERE seq = 1",
    "a payload of another shape": "UPDATE events SET payload = '[]' WHERE seq = 1",
    "a type": "UPDATE events SET type = 'Nonsense' WHERE seq = 2",
    "a version": "UPDATE events SET version = 99 WHERE seq = 2",
    "a round": f"UPDATE events SET round = 7 WHERE seq = {FIRST_ROUND}",
    "a time": """UPDATE events SET at = 'yesterday'
        WHERE seq = (SELECT max(seq) FROM events)""",
    "a digest": "UPDATE events SET digest = x'00' WHERE seq = 3",
    "a deleted row": "DELETE FROM events WHERE seq = 3",
    "the first row deleted": "DELETE FROM events WHERE seq = 1",
    "the end of a commit": "DELETE FROM events WHERE seq >= " + FIRST_ROUND,
    "an added row": """INSERT INTO events SELECT seq + 1, type, version, round, worker,
        at, payload, digest FROM events ORDER BY seq DESC LIMIT 1""",
}


OTHERS = {
    "the seed",
    "a time",
    "a payload that is no JSON",
    "a payload of another shape",
    "the first row deleted",
}
"""Changes after which it can't be told to be the campaign that is asked for."""


@pytest.mark.parametrize(
    ("command", "change"),
    [
        (command, change)
        for command in COMMANDS
        for change in CHANGES
        if command in ("verify", "replay") or change not in OTHERS
    ],
)
def test_a_changed_store(store, command, change):
    tamper(store, CHANGES[change])
    sentence = refused(*opened_by(command, store, "Good.json"))
    assert "The store s/campaign.db was changed by another program: " in sentence


@pytest.mark.parametrize("change", sorted(OTHERS))
def test_a_campaign_begins_beside_a_store_that_was_made_another(store, change):
    tamper(store, CHANGES[change])
    before = files(store)
    done = invoke("run", "Good.json", "--corpus-dir", store, "--seed", 1, *SMALL)
    assert done.code == 0
    assert before.items() <= files(store).items()
    assert len(list(store.glob("Good-*/campaign.db"))) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_without_its_guards(store, command):
    with closing(sqlite3.connect(store / "campaign.db")) as db:
        db.execute("DROP TRIGGER events_no_update")
    sentence = refused(*opened_by(command, store, "Good.json"))
    assert sentence.endswith("by another program: its events_no_update is missing.")


def damage(store: Path) -> None:
    path = store / "campaign.db"
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4096] = bytes(4096)
    path.write_bytes(content)


def test_a_campaign_begins_beside_a_damaged_file(store):
    damage(store)
    before = files(store)
    done = invoke("run", "Good.json", "--corpus-dir", store, "--seed", 1, *SMALL)
    assert done.code == 0
    assert before.items() <= files(store).items()
    assert len(list(store.glob("Good-*/campaign.db"))) == 1


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_damaged_file(store, command):
    damage(store)
    sentence = refused(*opened_by(command, store, "Good.json"))
    assert "The store s/campaign.db " in sentence
    assert "damaged" in sentence or "changed by another program" in sentence


@pytest.mark.parametrize("command", COMMANDS)
def test_a_cut_end_that_the_command_log_reveals(store, command):
    line = {
        "timestamp": "2026-01-01T00:00:00.000000Z",
        "tool": "clear_priorities",
        "args": {},
        "result": "success",
        "seq": 10_000,
        "round": 3,
    }
    command_log_path(store).write_text(json.dumps(line) + "\n")
    sentence = refused(*opened_by(command, store, "Good.json"))
    assert "its end was cut off, because the command log names event 10000" in sentence


def test_an_untouched_store_is_opened_by_all(store):
    for command in ("verify", "replay"):
        assert invoke(*opened_by(command, store, "Good.json")).code == 0
    stopped(*opened_by("run", store, "Good.json"))
    assert not list(store.glob("Good-*"))

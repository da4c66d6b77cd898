"""`--corpus-dir`: a directory of campaigns, which is never a reason not to start."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import (
    HOLDS,
    POKE,
    RETURN_TRUE,
    SMALL,
    UNLIMITED,
    Outcome,
    artifact,
    function,
    invoke,
    parameter,
    stopped,
)
from evm_assembler import assemble
from live_server import command

from echidna_mcp.events.store import EventStore, store_path

INLINE = ("--executor", "inline")
BRANCHING = assemble(
    36, "CALLDATASIZE GT @large JUMPI", 1, 0, "MSTORE", 32, 0, "RETURN large: STOP"
)
"""Code with a branch for calls of two arguments."""


def ran(*arguments: object, code: int = 0) -> Path:
    return directory_of(
        invoke("run", "Good.json", "--corpus-dir", "c", *SMALL, *arguments), code
    )


def halted(*arguments: object) -> Path:
    return directory_of(
        stopped("run", "Good.json", "--corpus-dir", "c", *UNLIMITED, *arguments)
    )


def directory_of(done: Outcome, code: int = 0) -> Path:
    assert done.code == code, done
    (line,) = [x for x in done.err.splitlines() if x.startswith("Campaign: ")]
    return Path(line.removeprefix("Campaign: "))


def inherited(directory: Path) -> Any:
    """Return the payload of what a campaign took over, or None."""
    with EventStore.read_only(store_path(directory)) as store:
        found = next(iter(store.read(types=("CorpusInherited",))), None)
    return None if found is None else found.payload


@pytest.fixture(autouse=True)
def good(target: Path) -> Path:
    return target


def test_the_first_campaign_lies_in_the_directory_itself():
    assert ran("--seed", 1) == Path("c")
    assert inherited(Path("c")) is None


@pytest.mark.parametrize(
    "change",
    [
        ("--seed", 2),
        ("--seed", 1, "--test-limit", 41),
        ("--seed", 1, "--seq-len", 11),
        ("--seed", 1, "--workers", 3),
        ("--seed", 1, "--test-mode", "assertion"),
    ],
)
def test_another_configuration_begins_beside_and_takes_over_the_corpus(change):
    ran("--seed", 1)
    second = ran(*change)
    assert second.parent == Path("c")
    assert second.name.startswith("Good-")
    assert inherited(second)["campaign"] == "c"
    assert inherited(second)["sequences"]


def test_a_changed_source_begins_beside_and_takes_over_what_fits(good):
    more = function("push", [parameter("uint256"), parameter("address")])
    artifact(good, (POKE, more, HOLDS), runtime=BRANCHING)
    first = ran("--seed", 3, "--test-limit", 400)
    artifact(good, (POKE, HOLDS), runtime=RETURN_TRUE + b"\0")
    done = invoke("run", "Good.json", "--corpus-dir", "c", *SMALL, "--seed", 3)
    second = directory_of(done)
    payload = inherited(second)
    assert payload["campaign"] == str(first)
    called = {call["function"] for each in payload["sequences"] for call in each}
    assert called == {"poke(uint256)"}
    assert payload["droppedCalls"] > 0
    assert "Took over " in done.err
    assert f"dropped {payload['droppedCalls']} call" in done.err


def test_one_that_has_ended_is_followed_by_another():
    first, second, third = ran("--seed", 1), ran("--seed", 1), ran("--seed", 1)
    assert len({first, second, third}) == 3
    assert inherited(third)["campaign"] == second.name


def test_one_that_was_stopped_goes_on_wherever_it_lies():
    assert halted("--seed", 1) == Path("c")
    below = halted("--seed", 2)
    assert below != Path("c")
    assert halted("--seed", 1) == Path("c")
    assert halted("--seed", 2) == below
    # Without a seed the newest will do.
    assert halted() == below


def test_the_corpus_of_the_same_contract_is_preferred(here):
    mine = ran("--seed", 1)
    artifact(here / "Other.json")
    other = invoke("run", "Other.json", "--corpus-dir", "c", *SMALL, "--seed", 1)
    assert inherited(directory_of(other))["campaign"] == "c"
    assert inherited(ran("--seed", 2))["campaign"] == mine.name


def test_a_campaign_in_use_is_left_alone():
    halted("--seed", 1)
    with EventStore.open(store_path(Path("c"))):
        done = stopped("run", "Good.json", "--corpus-dir", "c", *UNLIMITED, "--seed", 1)
    assert "c is in use; this is another campaign." in done.err
    assert directory_of(done).parent == Path("c")


def test_processes_that_start_at_once_get_a_campaign_each():
    words = command("run", "Good.json", "--corpus-dir", "c", *SMALL, "--seed", 1)
    running = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    found = set()
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        found.add(directory_of(Outcome(0, "", errors.decode())))
    assert len(found) == 4
    verified = invoke("verify", "c")
    assert verified.code == 0
    assert len(verified.out.splitlines()) == 4


def test_verify_checks_all_and_replay_takes_the_newest(here):
    ran("--seed", 1)
    ran("--seed", 2)
    newest = ran("--seed", 3)
    assert len(invoke("verify", "c").out.splitlines()) == 3
    replayed = invoke("replay", "c", *INLINE)
    assert replayed.code == 0
    assert replayed.err == f"c holds 3 campaigns; this is the newest: {newest}.\n"
    assert invoke("replay", "c/campaign.db", *INLINE).err == ""
    # Each is whole without its siblings.
    shutil.move(newest, here / "alone")
    assert invoke("replay", "alone", *INLINE).out == replayed.out


def test_one_store_that_was_changed_does_not_hide_the_others():
    ran("--seed", 1)
    second = ran("--seed", 2)
    store_path(Path("c")).write_text("garbage")
    verified = invoke("verify", "c")
    assert verified.code == 2
    assert str(second) in verified.out
    assert "c/campaign.db is not a SQLite database" in verified.err

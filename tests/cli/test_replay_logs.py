"""`replay` of command logs that are torn, edited or of another campaign."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from campaigns import small_config, started
from command_line import files, invoke

from echidna_mcp.cli.printable import counted
from echidna_mcp.demo import load_demo
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.command_log import CommandLog, command_log_path

INLINE = ("--executor", "inline")
GIVEN = {
    2: [("inject_transaction", {"sequence": ["deposit()"], "value": "5"})],
    3: [("prioritize_function", {"functionSignature": "deposit()"})],
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of four rounds with a command in the second and the third."""
    directory = tmp_path_factory.mktemp("recorded") / "s"
    with started(directory, load_demo(), small_config()) as running:
        running.rounds(4, GIVEN)
    with EventStore.read_only(store_path(directory)) as store:
        CommandLog(command_log_path(directory)).catch_up(store)
    return directory


@pytest.fixture
def log(here: Path, recorded: Path) -> Path:
    """The command log in a copy of that campaign."""
    shutil.copytree(recorded, here / "s")
    return command_log_path(Path("s"))


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def write(log: Path, changed: list[dict[str, Any]]) -> None:
    log.write_text("".join(json.dumps(line) + "\n" for line in changed))


def diverges_at(number: int, log: Path) -> None:
    done = invoke("replay", log, *INLINE)
    assert (done.code, done.out) == (1, f"{counted(number - 1, 'round')} verified.\n")
    assert done.err.startswith(f"Diverged: The replay diverges at round {number}; ")
    assert len(done.err.splitlines()) == 1


def test_the_log_and_the_directory_both_reproduce(log):
    for given in (log, log.parent):
        done = invoke("replay", given, *INLINE)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("Reproduced: 4 rounds verified, 2 commands, ")


def test_a_command_moved_by_one_round_diverges_there(log):
    first, second = lines(log)
    first["round"] = 3
    write(log, [first, second])
    diverges_at(2, log)


def test_a_command_left_out_diverges_where_it_was(log):
    write(log, lines(log)[:1])
    diverges_at(3, log)


def test_a_command_of_another_campaign_diverges_where_it_is(log):
    first, second = lines(log)
    second["args"] = {"functionSignature": "owner()"}
    write(log, [first, second])
    diverges_at(3, log)


def test_the_directory_is_still_right_when_the_log_is_not(log):
    log.write_text("garbage\n")
    assert invoke("replay", log.parent, *INLINE).code == 0


def test_an_empty_log_gives_no_commands(log):
    log.write_text("")
    diverges_at(2, log)


def test_a_torn_last_line_is_left_out(log):
    log.write_bytes(log.read_bytes()[:-20])
    diverges_at(3, log)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"garbage\n", "Line 1 of the command log s/mcp-commands.jsonl can't be used"),
        (b"\xff\xfe\x00\n", "it is not JSON"),
        (b"[]\n", "it is not a JSON object"),
        (b'{"tool": "clear_priorities"}\n', "it has no 'timestamp'"),
    ],
)
def test_a_log_that_is_none(log, content, why):
    log.write_bytes(content)
    before = files(Path.cwd())
    assert why in invoke("replay", log, *INLINE).refusal()
    assert files(Path.cwd()) == before


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("inject_transaction", {"sequence": 7}),
        ("inject_transaction", {"sequence": ["deposit()"], "value": "x"}),
        ("inject_transaction", {"sequence": ["deposit()"], "sender": "0xzz"}),
        ("inject_transaction", {}),
        ("prioritize_function", {"functionSignature": "((("}),
        ("prioritize_function", {"functionSignature": 3}),
        ("clear_priorities", {"surprise": 1}),
    ],
)
def test_arguments_that_no_tool_takes(log, tool, args):
    first, second = lines(log)
    write(log, [first, {**second, "tool": tool, "args": args}])
    sentence = invoke("replay", log, *INLINE).refusal()
    assert sentence.startswith(f"Command 2 of {log} can't be given: ")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("inject_transaction", {"sequence": ["nosuch()"]}),
        ("nosuch", {}),
        ("show_coverage", {}),
    ],
)
def test_a_command_that_does_nothing_here_diverges(log, tool, args):
    first, second = lines(log)
    write(log, [first, {**second, "tool": tool, "args": args}])
    diverges_at(3, log)


def test_a_log_that_is_a_directory(log):
    log.unlink()
    log.mkdir()
    assert "There is no campaign in s/mcp-commands.jsonl" in (
        invoke("replay", log, *INLINE).refusal()
    )
    assert invoke("replay", log.parent, *INLINE).code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--backend", "py-evn"], "did you mean py-evm?"),
        (["--executor", "proceses"], "did you mean processes?"),
        (["--plugins", "defaul"], "did you mean default?"),
    ],
)
def test_a_replay_with_plugins_that_there_are_not(log, arguments, sentence):
    assert sentence in invoke("replay", log, *arguments).refusal()

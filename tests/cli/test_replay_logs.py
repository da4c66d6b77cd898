"""`replay` of command logs that are torn, edited or of another campaign."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from campaigns import py_evm, small_config, started
from command_line import files, invoke

from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.cli.display.replay_progress import ReplayProgress
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import ReplayDivergedError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.views.command_log import CommandLog, command_log_path
from echidna_mcp.wording import counted

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
        CommandLog(store).catch_up()
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


@pytest.mark.parametrize(
    ("rounds", "told"),
    [
        ("1:4", "4 rounds verified (1 to 4), 2 commands, "),
        (":2", "2 rounds verified (1 to 2), 1 command, "),
        ("3:", "2 rounds verified (3 to 4), 1 command, "),
        ("2:3", "2 rounds verified (2 to 3), 2 commands, "),
        ("4:9", "1 round verified (4 to 4), 0 commands, "),
    ],
)
@pytest.mark.parametrize("commands", ["s", "s/mcp-commands.jsonl"])
def test_a_range_of_rounds_is_run_from_what_is_stored_before_it(
    log, commands, rounds, told
):
    done = invoke("replay", commands, "--rounds", rounds, *INLINE)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Reproduced: {told}")


@pytest.mark.parametrize(
    ("rounds", "why"),
    [
        ("5:9", "--rounds 5:9 names no round of s"),
        ("3", "--rounds '3' is no range of rounds"),
        ("3:2", "--rounds '3:2' is no range of rounds"),
        ("0:2", "--rounds '0:2' is no range of rounds"),
    ],
)
def test_a_range_that_is_none_is_refused(log, rounds, why):
    assert why in invoke("replay", "s", "--rounds", rounds, *INLINE).refusal()


def test_a_range_finds_what_differs_in_it_and_only_that(log):
    with EventStore.read_only(store_path(Path("s"))) as store:
        events = list(store.read())
    plugin = py_evm()
    for first, last, differs in ((1, 1, False), (1, 2, True), (3, 4, False)):
        recording = read_recording(events, first, last)
        if 2 in recording.digests:
            recording.digests[2] = "00"
        executor = make_executor(PluginManager.load().executors, "inline")
        with contextlib.ExitStack() as stack:
            if differs:
                caught = stack.enter_context(pytest.raises(ReplayDivergedError))
            replay(recording, recording.commands, plugin, executor)
        if differs:
            assert caught.value.details["round"] == 2


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def told(seconds: float, *, terminal: bool) -> str:
    """Return what is printed of four rounds that take so long each."""
    now = 0.0
    stream = Stream(terminal=terminal)
    calls = {1: 10, 2: 90, 3: 100, 4: 200}
    progress = ReplayProgress(calls, stream, lambda: now)
    for number in calls:
        now += seconds
        progress(number)
    progress.close()
    assert progress.rounds == 4
    return stream.getvalue()


def test_a_long_replay_tells_how_far_it_is_and_a_short_one_nothing():
    assert told(1.0, terminal=False) == ""
    assert told(30.0, terminal=False).splitlines() == [
        "Replayed 1 of 4 rounds, 0 calls/s, 19 min 30 s left",
        "Replayed 2 of 4 rounds, 2 calls/s, 3 min 0 s left",
        "Replayed 3 of 4 rounds, 2 calls/s, 1 min 30 s left",
        "Replayed 4 of 4 rounds, 3 calls/s, 0 s left",
    ]


def test_on_a_terminal_one_line_changes_and_goes():
    pictures = told(1.0, terminal=True).split("\r")
    assert [picture.rstrip() for picture in pictures[1:3]] == [
        "Replayed 1 of 4 rounds, 10 calls/s, 39 s left",
        "Replayed 2 of 4 rounds, 50 calls/s, 6 s left",
    ]
    assert pictures[-1] == ""
    assert pictures[-2].isspace()
    assert "\n" not in told(1.0, terminal=True)

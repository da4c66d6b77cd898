"""The command log holds every accepted command once, in order, whatever happens."""

from __future__ import annotations

import json
import resource

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.errors import StoreError
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.command_log import (
    LOGGED,
    CommandLine,
    CommandLog,
    command_line,
    command_log_path,
    read_command_lines,
)

ROUND = NewEvent(type="RoundCommitted", round=1, payload={})


def command(number, text="ü"):
    return NewEvent(
        type="CommandAccepted",
        round=number,
        payload={
            "tool": "inject_transaction",
            "args": {"sequence": [f"transfer({number},{text!r})"]},
            "message": f"queued {number}",
        },
    )


def refusal(args):
    return NewEvent(
        type="CommandRefused",
        round=0,
        payload={
            "tool": "inject_transaction",
            "args": args,
            "code": "INVALID_INPUT",
            "message": "no",
        },
    )


@pytest.fixture
def store(tmp_path):
    with EventStore.create(store_path(tmp_path)) as store:
        yield store


@pytest.fixture
def path(tmp_path):
    return command_log_path(tmp_path)


def expected(store):
    return b"".join(map(command_line, store.read(types=LOGGED)))


def test_each_command_is_one_line_of_the_documented_form(store, path):
    log = CommandLog(store)
    log.catch_up()
    stored = store.append([ROUND, command(3), ROUND, command(4)], durable=True)
    for event in stored:
        log.apply(event)
    first, second = path.read_text(encoding="utf-8").splitlines()
    assert list(json.loads(first).items()) == [
        ("timestamp", stored[1].at),
        ("tool", "inject_transaction"),
        ("args", {"sequence": ["transfer(3,'ü')"]}),
        ("result", "success"),
        ("seq", 2),
        ("round", 3),
        ("message", "queued 3"),
    ]
    assert json.loads(second)["seq"] == 4
    assert "ü" in first
    assert read_command_lines(path) == tuple(
        CommandLine(
            timestamp=event.at,
            tool="inject_transaction",
            args=event.payload["args"],
            result="success",
            seq=event.seq,
            round=event.round,
            message=event.payload["message"],
        )
        for event in (stored[1], stored[3])
    )


def test_applying_an_event_again_writes_nothing(store, path):
    log = CommandLog(store)
    log.catch_up()
    stored = store.append([command(1), command(2)])
    for event in (*stored, *stored):
        log.apply(event)
    log.catch_up()
    for event in stored:
        log.apply(event)
    assert path.read_bytes() == expected(store)


def test_a_campaign_without_commands_leaves_no_file(store, path):
    store.append([ROUND])
    CommandLog(store).catch_up()
    assert not path.exists()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 6), st.data())
def test_a_torn_or_short_file_is_completed(tmp_path_factory, number, data):
    directory = tmp_path_factory.mktemp("log")
    path = command_log_path(directory)
    with EventStore.create(store_path(directory)) as store:
        store.append([ROUND, *(command(n, "ü" * n) for n in range(number))])
        wanted = expected(store)
        path.write_bytes(wanted[: data.draw(st.integers(0, len(wanted)))])
        log = CommandLog(store)
        log.catch_up()
        assert path.read_bytes() == wanted
        (event,) = store.append([command(9)])
        log.apply(event)
        assert path.read_bytes() == expected(store)
    names = {p.name for p in directory.iterdir() if "commands" in p.name}
    assert names == {path.name}


def test_a_file_that_somebody_deletes_is_made_again_before_the_next_line(store, path):
    log = CommandLog(store)
    log.catch_up()
    for number in (1, 2, 3):
        (event,) = store.append([command(number)])
        path.unlink(missing_ok=True)
        log.apply(event)
        assert path.read_bytes() == expected(store)


def test_a_line_is_one_line_to_every_reader(store, path):
    (event,) = store.append([command(1, "a\x85b\u2028c\u2029d\r\ne\x0bf\x1c")])
    text = command_line(event).decode("utf-8")
    assert len(text.splitlines()) == 1
    assert json.loads(text)["args"] == event.payload["args"]


def test_what_was_refused_has_a_line_with_the_code(store, path):
    log = CommandLog(store)
    log.catch_up()
    for event in store.append([command(1), refusal(["?"]), command(2)]):
        log.apply(event)
    _, line, _ = path.read_text(encoding="utf-8").splitlines()
    told = json.loads(line)
    assert (told["result"], told["code"], told["args"]) == (
        *("error", "INVALID_INPUT"),
        ["?"],
    )
    done, failed, _ = read_command_lines(path)
    assert (done.result, done.code) == ("success", None)
    assert (failed.result, failed.code, failed.args) == (
        *("error", "INVALID_INPUT"),
        ["?"],
    )


def test_a_file_that_disagrees_is_kept_aside(store, path):
    store.append([command(1)])
    foreign = b'{"timestamp":"t","tool":"clear_priorities","args":{},"result":"ok"}\n'
    for name in ("mcp-commands.jsonl.1", "mcp-commands.jsonl.2"):
        path.write_bytes(foreign)
        CommandLog(store).catch_up()
        assert path.read_bytes() == expected(store)
        assert path.with_name(name).read_bytes() == foreign


def test_a_file_with_more_commands_than_the_store_is_kept_aside(store, path):
    store.append([command(1)])
    longer = expected(store) + b'{"more":1}\n'
    path.write_bytes(longer)
    CommandLog(store).catch_up()
    assert path.read_bytes() == expected(store)
    assert path.with_name("mcp-commands.jsonl.1").read_bytes() == longer


def test_a_foreign_log_has_no_rounds(path):
    path.write_text(
        '{"timestamp":"2025-12-20T10:30:45Z","tool":"inject_transaction",'
        '"args":{"sequence":["transfer(0x123,100)"]},"result":"success"}\n\n'
    )
    (line,) = read_command_lines(path)
    assert (line.seq, line.round, line.message) == (None, None, "")
    assert line.args == {"sequence": ["transfer(0x123,100)"]}


GOOD = b'{"timestamp":"t","tool":"x","args":{},"result":"success"}'


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b"{", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b'{"tool":"x","args":{},"result":""}', "it has no 'timestamp'"),
        (GOOD.replace(b"{}", b"[]"), "its 'args' is not an object"),
        (GOOD.replace(b'"x"', b"1"), "its 'tool' is not a string"),
        (GOOD[:-1] + b',"round":"1"}', "its 'round' is not an integer"),
        (GOOD[:-1] + b',"seq":true}', "its 'seq' is not an integer"),
    ],
)
def test_a_broken_line_is_named(path, bad, why):
    path.write_bytes(GOOD + b"\n" + bad + b"\n" + GOOD + b"\n")
    with pytest.raises(StoreError, match=why) as caught:
        read_command_lines(path)
    assert caught.value.message.startswith(f"Line 2 of the command log {path}")
    assert caught.value.details == {"line": 2}


def test_only_a_torn_last_line_is_forgiven(path):
    path.write_bytes(GOOD + b"\n" + GOOD[:20])
    assert len(read_command_lines(path)) == 1
    path.write_bytes(GOOD + b"\n" + GOOD)
    assert len(read_command_lines(path)) == 2
    path.write_bytes(b"")
    assert read_command_lines(path) == ()


def test_files_that_cannot_be_used_give_one_sentence(store, path, tmp_path):
    with pytest.raises(StoreError, match="can't be read: No such file"):
        read_command_lines(tmp_path / "none.jsonl")
    store.append([command(1)])
    path.mkdir()
    with pytest.raises(StoreError, match="can't be written: Is a directory"):
        CommandLog(store).catch_up()
    (event,) = store.append([command(2)])
    with pytest.raises(StoreError, match="can't be written: Is a directory"):
        CommandLog(store).apply(event)


def test_a_full_disk_leaves_no_torn_line_behind(store, path):
    log = CommandLog(store)
    log.catch_up()
    (first,) = store.append([command(1)], durable=True)
    log.apply(first)
    (second,) = store.append([command(2)], durable=True)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        with pytest.raises(StoreError, match="can't be written"):
            log.apply(second)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    log.apply(second)
    assert path.read_bytes() == expected(store)

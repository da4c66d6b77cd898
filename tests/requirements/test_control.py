"""Requirements on control calls and their log, over HTTP, named after their own."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_server import (
    STOP_SECONDS,
    LiveServer,
    RawClient,
    live_server,
    run_cli,
    stored,
    until,
)

from echidna_mcp.events.store import store_path
from echidna_mcp.events.verification import verify
from echidna_mcp.views.command_log import command_log_path

OPTIONS = ("--workers", 2, "--round-budget", 20_000, "--executor", "inline")
DEPOSIT = {"sequence": ["deposit()"]}
CLIENTS = 3
LARGEST = 1_000_000
"""Bytes that a file may have; the store of the demo soon wants more."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    with live_server(tmp_path / "campaign", *OPTIONS) as server:
        yield server


def error_of(client: RawClient, tool: str, arguments: Any) -> dict[str, Any] | None:
    """Make a call; return its error, None if it has none."""
    _, answer = client.send(tool, arguments)
    error: dict[str, Any] | None = json.loads(
        answer["result"]["content"][0]["text"]
    ).get("error")
    return error


def code_of(client: RawClient, tool: str, arguments: Any) -> str | None:
    """Make a call; return the code of its error, None if it has none."""
    error = error_of(client, tool, arguments)
    return None if error is None else str(error["code"])


def test_fr_010_failed_control_calls_have_a_line_with_the_code(
    server: LiveServer,
) -> None:
    failing = [
        ("inject_transaction", {"sequence": ["depositt()"]}, "PARSE_ERROR"),
        ("inject_transaction", {"sequence": []}, "INVALID_INPUT"),
        ("prioritize_function", {}, "INVALID_INPUT"),
        ("clear_priorities", {"all": True}, "INVALID_INPUT"),
    ]
    with RawClient(server.url) as client:
        client.call("clear_priorities")
        for tool, arguments, code in failing:
            assert code_of(client, tool, arguments) == code
        assert code_of(client, "read_logs", {"count": 0}) == "INVALID_INPUT"
        client.call("inject_transaction", **DEPOSIT)
        until(lambda: len(server.commands) == 6, "the lines")
    lines = server.commands
    assert [line["result"] for line in lines] == ["success", *["error"] * 4, "success"]
    told = [(line["tool"], line["args"], line["code"]) for line in lines[1:5]]
    assert told == failing
    assert all(line["message"] for line in lines)
    assert server.stop() == 0
    found = verify(store_path(server.directory))
    assert (found.commands, found.refused) == (2, 4)
    checked = run_cli("verify", server.directory)
    assert "2 commands accepted, 4 refused" in checked.stdout
    replayed = run_cli("replay", command_log_path(server.directory))
    assert replayed.returncode == 0, replayed.stderr


def test_fr_010_a_control_call_after_the_end_has_its_line_too(tmp_path: Path) -> None:
    directory = tmp_path / "campaign"
    with live_server(directory, *OPTIONS, "--test-limit", 2000) as server:
        with RawClient(server.url) as client:
            until(
                lambda: code_of(client, "clear_priorities", {}) is not None, "the end"
            )
            assert code_of(client, "inject_transaction", DEPOSIT) == (
                "CAMPAIGN_TERMINATED"
            )

            def tools() -> list[str]:
                lines = server.commands
                return [line["tool"] for line in lines if line["result"] == "error"]

            wanted = ["clear_priorities", "inject_transaction"]
            until(lambda: tools()[-2:] == wanted, "their lines")
            refused = len(tools())
        assert server.stop() == 0
    found = verify(store_path(directory))
    assert found.refused == refused


def test_the_command_log_is_made_again_if_it_is_deleted_while_the_server_runs(
    server: LiveServer,
) -> None:
    with RawClient(server.url) as client:
        client.call("inject_transaction", **DEPOSIT)
        client.call("prioritize_function", functionSignature="deposit()")
        command_log_path(server.directory).unlink()
        client.call("clear_priorities")
        until(lambda: len(server.commands) == 3, "the lines")
    tools = [line["tool"] for line in server.commands]
    assert tools == ["inject_transaction", "prioritize_function", "clear_priorities"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_us3_5_what_is_answered_success_takes_effect_though_the_server_shuts_down(
    server: LiveServer, number: signal.Signals
) -> None:
    answers: list[str | None] = []
    begun = threading.Event()

    def steer(place: int) -> None:
        with RawClient(server.url) as client:
            while True:
                value = str(place * 100_000 + len(answers))
                try:
                    code = code_of(
                        client, "inject_transaction", DEPOSIT | {"value": value}
                    )
                except (OSError, AssertionError, ValueError):
                    return  # The connection has closed.
                except Exception as error:
                    if "Remote" in type(error).__name__:
                        return
                    raise
                answers.append(code)
                begun.set()

    clients = [threading.Thread(target=steer, args=(n,)) for n in range(CLIENTS)]
    for client in clients:
        client.start()
    begun.wait(STOP_SECONDS)
    until(lambda: len(answers) > 10, "some answers")
    os.kill(server.process.pid, number)
    for client in clients:
        client.join()
    assert server.process.wait(STOP_SECONDS) == 0, server.stderr
    assert set(answers) <= {None, "CAMPAIGN_TERMINATED", "EXECUTION_TIMEOUT"}
    accepted = stored(server.directory, "CommandAccepted")
    applied = stored(server.directory, "CommandApplied")
    assert len(accepted) >= answers.count(None) > 0
    assert len(applied) == len(accepted)
    lines = [line for line in server.commands if line["result"] == "success"]
    assert [line["seq"] for line in lines] == [event.seq for event in accepted]
    refused = stored(server.directory, "CommandRefused")
    assert len(refused) >= len(answers) - answers.count(None)
    verify(store_path(server.directory))


def test_a_full_disk_is_told_with_its_cause_and_loses_nothing_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, hard))
    answers: list[dict[str, Any] | None] = []
    try:
        with live_server(tmp_path / "c", *OPTIONS, "--seed", 1) as server:
            with RawClient(server.url) as client:
                while "it stays stopped" not in server.stderr:
                    answers.append(error_of(client, "inject_transaction", DEPOSIT))
            code = server.stop()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    errors = [error for error in answers if error is not None]
    assert errors
    assert {error["code"] for error in errors} == {"CAMPAIGN_TERMINATED"}
    assert all("The store " in error["details"]["cause"] for error in errors)
    assert code == 3
    assert "Traceback" not in server.stderr
    verify(store_path(server.directory))
    accepted = stored(server.directory, "CommandAccepted")
    assert len(accepted) == answers.count(None) > 0

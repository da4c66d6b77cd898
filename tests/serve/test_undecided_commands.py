"""Who is not answered in time is told what is known; asking again doubles nothing."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest
from live_server import (
    LiveServer,
    RawClient,
    children,
    live_server,
    resume,
    suspend,
    until,
)

from echidna_mcp_plugins.transports.mcp_tools import KEY

pytestmark = pytest.mark.servers

OPTIONS = ("--workers", 2, "--round-budget", 20_000, "--executor", "inline")
DEPOSIT = {"sequence": ["deposit(0x0000000000000000000000000000000000010000)"]}


def answer_of(
    client: RawClient, tool: str, arguments: Any, key: object = None
) -> dict[str, Any]:
    _, answer = client.send(tool, arguments, **{KEY: key})
    envelope: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return envelope


def undecided(
    client: RawClient, tool: str, arguments: Any, key: str | None = None
) -> dict[str, Any]:
    """Make a call that is not answered in time; return the error."""
    error: dict[str, Any] = answer_of(client, tool, arguments, key)["error"]
    assert error["code"] == "EXECUTION_TIMEOUT", error
    return error


def accepted(server: LiveServer, tool: str) -> int:
    return sum(line["tool"] == tool for line in server.commands)


def test_a_call_that_is_made_again_after_a_timeout_is_the_same_command(tmp_path):
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        suspend(server.campaign)
        error = undecided(client, "inject_transaction", DEPOSIT)
        assert "not known yet whether it was accepted" in error["message"]
        assert "Make the same call again" in error["message"]
        assert error["details"]["accepted"] is None
        resume(server.campaign)
        until(lambda: accepted(server, "inject_transaction") == 1, "the command")
        again = answer_of(client, "inject_transaction", DEPOSIT)
        assert again["success"] is True
        assert "round" in again["message"]
        assert accepted(server, "inject_transaction") == 1
        # That settled it: the next one is a new wish.
        assert answer_of(client, "inject_transaction", DEPOSIT)["success"] is True
        assert accepted(server, "inject_transaction") == 2
        assert server.stop() == 0


def test_a_command_that_a_dying_process_did_not_take_is_taken_by_the_next(tmp_path):
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        victim = server.campaign
        suspend(victim)
        undecided(client, "inject_transaction", DEPOSIT)
        os.kill(victim, signal.SIGKILL)
        until(lambda: children(server.process.pid) not in ([], [victim]), "the next")
        successor = server.campaign
        suspend(successor)  # It takes over when the test wants it to.
        error = undecided(client, "clear_priorities", {})
        assert error["details"]["accepted"] is False
        assert "was not accepted and has no effect" in error["message"]
        resume(successor)
        until(lambda: accepted(server, "inject_transaction") == 1, "the command")
        assert answer_of(client, "inject_transaction", DEPOSIT)["success"] is True
        assert accepted(server, "inject_transaction") == 1
        assert accepted(server, "clear_priorities") == 0
        assert server.stop() == 0


def test_a_call_with_a_key_is_one_command_however_often_it_is_made(tmp_path):
    """At any time later, in the next process too, and though others make the same."""
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        victim = server.campaign
        suspend(victim)
        error = undecided(client, "inject_transaction", DEPOSIT, "first")
        assert error["details"]["key"] == "first"
        undecided(client, "inject_transaction", DEPOSIT, "second")
        resume(victim)
        first = answer_of(client, "inject_transaction", DEPOSIT, "first")
        assert first["success"] is True
        assert answer_of(client, "inject_transaction", DEPOSIT, "second")["success"]
        assert accepted(server, "inject_transaction") == 2
        os.kill(victim, signal.SIGKILL)
        until(lambda: "it goes on from the store" in server.stderr, "its successor")

        def again() -> bool:
            answer = answer_of(client, "inject_transaction", DEPOSIT, "first")
            return answer == first

        until(again, "the answer of long ago")
        assert accepted(server, "inject_transaction") == 2
        other = answer_of(client, "clear_priorities", {}, "first")["error"]
        assert other["code"] == "INVALID_INPUT"
        assert (
            'The key "first" is that of another call, of inject_transaction'
            in (other["message"])
        )
        assert accepted(server, "clear_priorities") == 0
        assert server.stop() == 0


def test_a_call_without_a_key_is_never_the_command_that_another_client_has_named(
    tmp_path,
):
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        suspend(server.campaign)
        undecided(client, "inject_transaction", DEPOSIT, "mine")
        undecided(client, "inject_transaction", DEPOSIT)
        resume(server.campaign)
        until(lambda: accepted(server, "inject_transaction") == 2, "both commands")
        named = answer_of(client, "inject_transaction", DEPOSIT, "mine")
        assert named["success"] is True
        assert answer_of(client, "inject_transaction", DEPOSIT)["success"] is True
        assert accepted(server, "inject_transaction") == 2
        assert server.stop() == 0


def test_a_key_that_is_none_is_refused(tmp_path):
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        for key in ("", "a" * 129, 7, ["a"], "\ud800", "new\nline", "ä"):
            error = answer_of(client, "clear_priorities", {}, key)["error"]
            assert error["code"] == "INVALID_INPUT", key
            assert "1 to 128 printable ASCII characters" in error["message"]
        assert accepted(server, "clear_priorities") == 0

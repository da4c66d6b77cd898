"""Requirements on control calls and their log, over HTTP, named after their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_server import (
    LiveServer,
    RawClient,
    live_server,
    run_cli,
    until,
)

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.store import store_path
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
        until(lambda: len(server.command_lines) == 6, "the lines")
    lines = server.command_lines
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
                lines = server.command_lines
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

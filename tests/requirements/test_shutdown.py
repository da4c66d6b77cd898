"""US3-5 and the edge case of a server that shuts down, under clients that steer."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

import pytest
from live_server import (
    STOP_SECONDS,
    LiveServer,
    RawClient,
    children,
    live_server,
    stored,
    until,
)

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.store import store_path

pytestmark = pytest.mark.servers

OPTIONS: Final = ("--workers", 2, "--round-budget", 20_000, "--executor", "inline")
CLIENTS: Final = 3
WAYS: Final = ("SIGINT", "SIGTERM", "limit", "full disk")
MARGIN: Final = 50_000
"""Bytes that files may still grow by when the disk is full."""
CODES: Final = {None, "CAMPAIGN_TERMINATED", "EXECUTION_TIMEOUT"}


def fill_disk(server: LiveServer) -> None:
    """Let files of the server and its campaign hardly grow any more.

    Those of the store soon want to; standard error is far smaller. The server comes
    first: what it starts later inherits its limit.
    """
    size = MARGIN + max(each.stat().st_size for each in server.directory.iterdir())
    for pid in (server.process.pid, *children(server.process.pid)):
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, size))


class Steering:
    """Clients that inject without a pause, until their connections close.

    Attributes:
        errors: of each answer, None if it was `success`.
    """

    def __init__(self, url: str) -> None:
        self.errors: list[dict[str, Any] | None] = []
        self._url = url
        self._threads = [
            threading.Thread(target=self._steer, args=(number,))
            for number in range(CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _steer(self, number: int) -> None:
        with RawClient(self._url) as client:
            for value in range(number * 10**6, (number + 1) * 10**6):
                arguments = {"sequence": ["deposit()"], "value": str(value)}
                try:
                    _, answer = client.send("inject_transaction", arguments)
                except (OSError, HTTPException, AssertionError):
                    return  # The connection is closed.
                if "result" not in answer:
                    self.errors.append({"code": answer})
                    return
                text = json.loads(answer["result"]["content"][0]["text"])
                self.errors.append(text.get("error"))


def shut_down(directory: Path, way: str) -> tuple[LiveServer, int, Steering]:
    """End a server in one of `WAYS`; return it, its exit code, and the clients."""
    limit = ("--test-limit", 20_000) if way == "limit" else ()
    with live_server(directory, *OPTIONS, *limit) as server:
        clients = Steering(server.url)
        until(lambda: len(clients.errors) > 10, "some answers")
        if way == "full disk":
            assert None in clients.errors
            fill_disk(server)
            until(lambda: "it stays stopped" in server.stderr, "it to give up")
        if way == "limit":
            until(lambda: None not in clients.errors[-1:], "the end")
        os.kill(
            server.process.pid,
            signal.SIGTERM if way == "SIGTERM" else signal.SIGINT,
        )
        code = server.process.wait(STOP_SECONDS)
        clients.join()
    return server, code, clients


def check(server: LiveServer, code: int, clients: Steering, way: str) -> None:
    """Every `success` is in store and log, and took effect."""
    assert code == (3 if way == "full disk" else 0), server.stderr
    assert "Traceback" not in server.stderr
    codes = [error and error["code"] for error in clients.errors]
    assert [code for code in codes if code not in CODES] == []
    succeeded = codes.count(None)
    accepted = stored(server.directory, "CommandAccepted")
    assert len(accepted) >= succeeded > 0
    verify(store_path(server.directory))
    lines = server.commands
    if way == "full disk":  # What is due runs when there is room again.
        causes = [error["details"]["cause"] for error in clients.errors if error]
        assert causes
        assert all("The store " in cause for cause in causes)
        return
    assert len(stored(server.directory, "CommandApplied")) == len(accepted)
    assert [line["seq"] for line in lines] == [event.seq for event in accepted]
    refused = stored(server.directory, "CommandRefused")
    assert len(refused) >= len(codes) - succeeded


@pytest.mark.parametrize("way", WAYS)
def test_us3_5_what_is_answered_success_takes_effect_though_the_server_shuts_down(
    tmp_path: Path, way: str
) -> None:
    check(*shut_down(tmp_path / "c", way), way)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(25))
@pytest.mark.parametrize("way", WAYS)
def test_us3_5_a_hundred_shutdowns_lose_nothing(
    tmp_path: Path, way: str, number: int
) -> None:
    test_us3_5_what_is_answered_success_takes_effect_though_the_server_shuts_down(
        tmp_path / str(number), way
    )

"""A terminal that goes away takes no campaign with it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from live_server import LiveServer, RawClient, command, kill_group, until

from echidna_mcp.events.store import EventStore, store_path

pytestmark = pytest.mark.servers


def test_a_campaign_goes_on_when_the_terminal_of_its_server_is_closed(tmp_path):
    terminal, end = pty.openpty()
    directory = tmp_path / "c"
    process = subprocess.Popen(
        command("serve", "--port", 0, "--workers", 2, "--corpus-dir", directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=end,
        start_new_session=True,
    )
    os.close(end)
    shown: list[bytes] = []
    gone = threading.Event()

    def read() -> None:
        with suppress(OSError):
            while not gone.is_set():
                shown.append(os.read(terminal, 4096))
        os.close(terminal)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        mark = b"MCP server listening on "
        until(lambda: mark in b"".join(shown).rpartition(b"\n")[0], "the server")
        url = b"".join(shown).partition(mark)[2].split()[0].decode()
        server = LiveServer(process, directory, Path(os.devnull), url)
        before = rounds(directory)
        gone.set()
        reader.join()
        with RawClient(server.url) as client:
            until(lambda: rounds(directory) > before + 3, "some more rounds")
            done = client.call("prioritize_function", functionSignature="deposit()")
            assert done["success"]
        assert server.campaign
        server.stop(signal.SIGTERM)
        assert server.survivors() == []
    finally:
        gone.set()
        kill_group(process.pid)
        process.wait()
        reader.join()


def rounds(directory: Path) -> int:
    with EventStore.read_only(store_path(directory)) as store:
        return len(list(store.read(types=("RoundCommitted",))))

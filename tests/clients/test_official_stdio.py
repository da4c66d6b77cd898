"""The official client over standard streams: it starts the server and ends it."""

from __future__ import annotations

import tempfile
from typing import Any

import pytest
from client_steps import (
    Connection,
    connected,
    listen_for_rounds,
    subscribe_to_rounds,
    take_every_step,
)
from live_server import kill_group, leader_of, stdio_parameters, survivors, until
from mcp.client.stdio import stdio_client

pytestmark = [
    pytest.mark.solc,
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_everything_over_stdio(lab_arguments, tmp_path, mode):
    directory = tmp_path / "campaign"
    parameters = stdio_parameters(directory, *lab_arguments)
    group = 0
    try:
        with tempfile.TemporaryFile("w+") as errors:
            transport = stdio_client(parameters, errlog=errors)
            async with connected(transport, mode) as connection:
                group = leader_of(directory)
                await something_of_every_kind(connection)
                await take_every_step(connection)
                hear = listen_for_rounds if mode == "auto" else subscribe_to_rounds
                await hear(connection)
            errors.seek(0)
            assert "Traceback" not in errors.read()
        until(lambda: survivors(group) == [], "every process to leave", 5.0)
    finally:
        if group:
            kill_group(group)


async def something_of_every_kind(connection: Connection) -> None:
    """Wait for the first falsified property; there is a corpus by then."""
    found: list[Any] = []
    while not found:
        asked = {"eventType": "PropertyFalsified", "count": 1}
        answer = await connection.client.call_tool("read_logs", asked)
        assert answer.structured_content is not None, answer
        found = answer.structured_content["events"]

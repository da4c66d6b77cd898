"""The official client over Streamable HTTP, with sessions for the older revisions."""

from __future__ import annotations

import pytest
from client_steps import (
    connected,
    listen_for_rounds,
    subscribe_to_rounds,
    take_every_step,
)

pytestmark = [
    pytest.mark.solc,
    pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning"),
]


@pytest.fixture(scope="module")
def options() -> tuple[str, ...]:
    return ("--legacy-sessions",)


async def test_everything_in_a_session(lab):
    async with connected(lab.url, "legacy") as connection:
        await take_every_step(connection)
        await subscribe_to_rounds(connection)


async def test_clients_that_know_no_sessions_do_without(lab):
    async with connected(lab.url, "auto") as connection:
        await take_every_step(connection)
        await listen_for_rounds(connection)

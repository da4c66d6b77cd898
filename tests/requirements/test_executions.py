"""The entity ToolExecution: what was called lately, as a client reads it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from live_server import RawClient, live_server
from mcp import Client

from echidna_mcp.tools.executions import CAPACITY

URI = "echidna://campaign/executions"
OPTIONS = ("--workers", 2, "--round-budget", 20_000, "--executor", "inline")


async def test_tool_execution_keeps_what_was_asked_how_long_it_took_and_what_came(
    tmp_path: Path,
) -> None:
    with (
        live_server(tmp_path / "c", *OPTIONS) as server,
        RawClient(server.url) as client,
    ):
        client.call("read_logs", count=1)
        client.send("inject_transaction", {"sequence": ["nobody()"]})
        for _ in range(CAPACITY - 2):
            client.call("get_corpus_size")
        read = await answer(server.url)
        assert read["total"] == CAPACITY
        assert len(read["executions"]) < CAPACITY
        assert read["executions"][0]["description"] == "get_corpus_size"
        for _ in range(3):
            client.call("prioritize_function", functionSignature="deposit()")
        client.send("inject_transaction", {"sequence": ["nobody()"]})
        read = await answer(server.url)
    refused, done, *_ = read["executions"]
    assert read["total"] == CAPACITY
    assert (refused["success"], refused["error"]) == (False, "PARSE_ERROR")
    assert "nobody" in refused["result"]
    assert refused["description"] == 'inject_transaction {"sequence": ["nobody()"]}'
    assert (done["success"], done["error"]) == (True, None)
    assert done["tool"] == "prioritize_function"
    assert "Prioritized function" in done["result"]
    assert 0 < done["durationMs"] < 60_000
    assert datetime.fromisoformat(done["start"]) <= datetime.fromisoformat(done["end"])
    assert read["latency"]["prioritize_function"]["calls"] == 3


async def answer(url: str) -> dict[str, Any]:
    async with Client(url) as client:
        result = await client.read_resource(URI)
    found: dict[str, Any] = json.loads(result.contents[0].text)
    assert len(result.contents[0].text.encode()) < 42_500
    return found

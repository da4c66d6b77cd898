"""A client on langchain-mcp-adapters, which needs an environment of its own (mcp < 2).

Reads connections as JSON on standard input, as `MultiServerMCPClient` takes them. Calls
all tools over each and writes what a model is shown, as JSON: by connection, the tools
and for each call its status, text and structured content.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read_logs", {"count": 3}),
    ("show_coverage", {"contract": "Lab"}),
    ("dump_lcov", {}),
    ("get_corpus_size", {}),
    ("inspect_corpus_transactions", {"limit": 2}),
    ("find_transaction_in_corpus", {"functionSignature": "add"}),
    ("inject_transaction", {"sequence": ["add(1, 2)", "deposit()"], "value": "3"}),
    ("prioritize_function", {"functionSignature": "add(uint256,uint256)"}),
    ("clear_priorities", {}),
    # Two that a model has to repair.
    ("inject_transaction", {"sequence": ["unlok(1)"]}),
    ("read_logs", {"count": 0}),
]


async def use(client: MultiServerMCPClient, name: str) -> dict[str, Any]:
    """Call every tool over one connection."""
    async with client.session(name) as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        calls = []
        for tool, arguments in CALLS:
            call = {"type": "tool_call", "name": tool, "args": arguments, "id": "1"}
            try:
                message = await tools[tool].ainvoke(call)
            except Exception as error:  # noqa: BLE001 (how it tells a failed call)
                calls.append({"tool": tool, "status": "error", "text": str(error)})
                continue
            artifact = message.artifact or {}
            calls.append(
                {
                    "tool": tool,
                    "status": message.status,
                    "text": message.text if isinstance(message.text, str) else "",
                    "structured": artifact.get("structured_content"),
                }
            )
    return {"tools": sorted(tools), "calls": calls}


async def main() -> None:
    """Use every connection."""
    connections = json.load(sys.stdin)
    client = MultiServerMCPClient(connections)
    found = {name: await use(client, name) for name in connections}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())

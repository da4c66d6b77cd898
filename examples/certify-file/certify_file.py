"""Certify a file, as an agent would: over MCP, with the tools of the set `circular`.

It is not the file that is written to the chain, but its SHA-256: who has the file can
show later that it existed, and nobody else learns what is in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

NETWORK = "testnet"
SERVER = ("serve", "--plugins", "circular", "--transport", "stdio")


async def certify(digest: str) -> dict[str, Any]:
    """Return the proof that a file with a SHA-256 was certified."""
    program = Path(sys.executable).with_name("echidna-mcp")
    server = StdioServerParameters(
        command=str(program), args=list(SERVER), env=dict(os.environ)
    )
    async with Client(stdio_client(server)) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, {"network": NETWORK, **arguments})
            if result.is_error:
                raise SystemExit(f"{tool}: {result.content[0].text}")
            return result.structured_content

        sent = await call("certify_data", data=f"sha256:{digest}")
        where = {"transaction_id": sent["transaction_id"]}
        await call("get_transaction_status", **where)  # Waits for its block.
        return await call("get_certification_proof", **where, include_data=True)


if __name__ == "__main__":
    content = Path(sys.argv[1]).read_bytes()
    proof = asyncio.run(certify(hashlib.sha256(content).hexdigest()))
    print(json.dumps(proof, indent=2))  # noqa: T201

"""Open a session with a configured network, and print what of a server it imported."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.session import open_session

SERVER = {"starlette", "uvicorn", "mcp", "sqlite_utils", "pydantic"}


async def main() -> None:
    settings = Settings.from_environment(os.environ)
    async with open_session(settings, Path(sys.argv[1])) as session:
        await certify_data(session, data="data", network="testnet")


if __name__ == "__main__":
    asyncio.run(main())
    print(json.dumps(sorted(SERVER & set(sys.modules))))  # noqa: T201 (the answer)

"""A devnet as a process: DIRECTORY PORT; prints its URL."""

from __future__ import annotations

import sys
from pathlib import Path

from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.server import LOOPBACK, Devnet, run


def tell(devnet: Devnet) -> None:
    print(devnet.url, flush=True)  # noqa: T201 (the answer)


if __name__ == "__main__":
    run(
        LOOPBACK,
        int(sys.argv[2]),
        Path(sys.argv[1]),
        options=DevnetOptions(block_seconds=0.05),
        ready=tell,
    )

"""Certify documents, whatever happens to the network: DIRECTORY DISCOVERY FIRST END.

Every second document has an idempotency key. What was certified is written down only
after the call has returned, so that a kill in between makes the next life ask again.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from echidna_mcp_plugins.circular.errors import CircularError
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.session import Session, Timing, open_session


async def nap(_seconds: float) -> None:
    await asyncio.sleep(0.02)


async def certify(session: Session, results: Path, number: int) -> None:
    place = results / str(number)
    while not place.exists():
        try:
            answer = await certify_data(
                session,
                data=f"document {number}",
                network="testnet",
                idempotency_key=f"key {number}" if number % 2 else None,
            )
        except CircularError as error:
            if not error.retry:
                raise
            await nap(0)
        else:
            draft = results / f"{number}.new"
            draft.write_text(answer.result["transaction_id"], "ascii")
            draft.rename(place)


async def main(directory: Path, discovery: str, first: int, end: int) -> None:
    results = directory / "results"
    results.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "CIRCULAR_CEP_NAG_DISCOVERY_URL": discovery}
    settings = Settings.from_environment(environment)
    timing = Timing(sleep=nap)
    async with open_session(settings, directory, timing=timing) as session:
        print("ready", flush=True)  # noqa: T201 (the answer)
        # Four at a time, so that one waits while another is sent.
        slots = asyncio.Semaphore(4)

        async def one(number: int) -> None:
            async with slots:
                await certify(session, results, number)

        await asyncio.gather(*map(one, range(first, end)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])))

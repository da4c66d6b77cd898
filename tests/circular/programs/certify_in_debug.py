"""A whole run with everything logged: DIRECTORY DISCOVERY DATA_FILE.

Prints all that could show a secret: representations, pickles, exceptions.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import logging
import os
import pickle
import sys
import traceback
from collections.abc import Awaitable
from pathlib import Path

import httpx2

from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.errors import CircularError
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.get_wallet_nonce import get_wallet_nonce
from echidna_mcp_plugins.circular.tools.session import Session, Timing, open_session

TESTNET = {"network": "testnet"}


def show(value: object) -> None:
    """Print what a debugger, a log or a crash report would."""
    print(repr(value), str(value), f"{value}", f"{value!r:>10}")  # noqa: T201
    for serialize in (pickle.dumps, json.dumps, copy.deepcopy):
        with contextlib.suppress(TypeError, ValueError, AttributeError):
            print(serialize.__name__, repr(serialize(value)))  # noqa: T201


async def fails(call: Awaitable[object]) -> None:
    """Print the exception with which a call ends, and all that it carries."""
    try:
        await call
    except CircularError as error:
        problem: BaseException | None = error
        print("".join(traceback.format_exception(error)))  # noqa: T201
        while problem is not None:
            show(problem)
            show(vars(problem))
            show(problem.args)
            problem = problem.__cause__ or problem.__context__
    else:
        raise AssertionError("it did not fail")


async def order(base: str, name: str, **what: object) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        await client.post(f"{base}/devnet/{name}", json=what)


async def nap(_seconds: float) -> None:
    await asyncio.sleep(0.01)


async def use(session: Session, base: str, data: str) -> None:
    sent = (await certify_data(session, data=data, **TESTNET)).result
    asked = {"transaction_id": sent["transaction_id"], **TESTNET}
    await get_transaction_status(session, **asked)
    await get_certification_proof(session, **asked)
    await get_wallet_nonce(session, wallet_address=sent["sender"], **TESTNET)

    only = {"method": "AddTransaction"}
    for fault in (
        {"name": "outage", "calls": 4},
        {"name": "ratelimit", "calls": 4},
        {"name": "slow", "calls": 4, "seconds": 600},
    ):
        await order(base, **fault, **only)
        await fails(certify_data(session, data=data, **TESTNET))
        await certify_data(session, data=data, **TESTNET)
    await fails(certify_data(session, data=data * 99_999, **TESTNET))
    await fails(certify_data(session, data=f"{data}\ud800", **TESTNET))
    wrong = {"wallet_address": "ab" * 32}
    await fails(certify_data(session, data=data, **wrong, **TESTNET))
    wrong = {"idempotency_key": "k" * 201}
    await fails(certify_data(session, data=data, **wrong, **TESTNET))

    document, wallet = Document(data), session.wallet("testnet", None)
    for value in (
        *(session, session.settings, session.settings.networks, session.journal),
        *(document, wallet, wallet.key, wallet.key.public, session.exchange),
        *(session.settings.networks["testnet"].key, session.nag("testnet")),
        [wallet.key, document],
    ):
        show(value)


async def main(directory: Path, discovery: str, data: str) -> None:
    environment = {**os.environ, "CIRCULAR_CEP_NAG_DISCOVERY_URL": discovery}
    settings = Settings.from_environment(environment)
    timing = Timing(sleep=nap, poll_seconds=0.05, polls=200, time_limit=0.5)
    base = discovery.removesuffix("/network/getNAG")
    async with open_session(settings, directory, timing=timing) as session:
        await use(session, base, data)
    # The server is not there any more.
    gone = {**environment, "CIRCULAR_CEP_NAG_DISCOVERY_URL": "http://127.0.0.1:9"}
    settings = Settings.from_environment(gone)
    async with open_session(settings, directory, timing=timing) as session:
        await fails(certify_data(session, data=data, **TESTNET))
    key = environment["CIRCULAR_CEP_TESTNET_PRIVATE_KEY"]
    for wrong in (f"{key}0", f"{key[:-1]}x"):
        with contextlib.suppress(CircularError):
            Settings.from_environment({"CIRCULAR_CEP_TESTNET_PRIVATE_KEY": wrong})
            raise AssertionError("a key that is none was taken")


if __name__ == "__main__":
    logging.basicConfig(level=1, filename=Path(sys.argv[1], "everything.log"))
    place, where, file = sys.argv[1:]
    asyncio.run(main(Path(place), where, Path(file).read_text("utf-8")), debug=True)

"""A devnet of its own for each test, and clients of it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.server import Devnet, serving
from echidna_mcp_plugins.circular.document import Document
from echidna_mcp_plugins.circular.keys import SigningKey
from echidna_mcp_plugins.circular.secret import Secret
from echidna_mcp_plugins.circular.settings import Settings
from echidna_mcp_plugins.circular.tools.session import Session, Timing, open_session
from echidna_mcp_plugins.circular.transaction import Transaction

PROGRAMS = Path(__file__).parent / "programs"


def secret(name: str) -> str:
    """Return the private key of a wallet that tests call `name`."""
    return hashlib.sha256(name.encode()).hexdigest()


def plain_client() -> httpx2.AsyncClient:
    """Return a client for this machine, which needs no certificates."""
    return httpx2.AsyncClient(trust_env=False, verify=False)


@dataclass
class Lab:
    """A directory with devnets and clients."""

    directory: Path
    pauses: list[float] = field(default_factory=list)

    def devnet(
        self, *, block_seconds: float | None = 0.05, port: int = 0, **options: Any
    ) -> AbstractAsyncContextManager[Devnet]:
        """Serve the devnet of this directory."""
        chosen = DevnetOptions(block_seconds=block_seconds, **options)
        return serving(self.directory / "chain", port=port, options=chosen)

    def environment(self, discovery: str, key: str = "alice", **more: str) -> dict:
        """Return the variables of a client that is configured for a devnet."""
        return {
            "CIRCULAR_CEP_NAG_DISCOVERY_URL": discovery,
            "CIRCULAR_CEP_TESTNET_PRIVATE_KEY": secret(key),
            **{f"CIRCULAR_CEP_{name}": value for name, value in more.items()},
        }

    def client(
        self,
        devnet: Devnet,
        key: str = "alice",
        *,
        place: str = "client",
        timing: Timing | None = None,
        **more: str,
    ) -> AbstractAsyncContextManager[Session]:
        """Open a session that pauses for no time and writes the pauses down."""
        environment = self.environment(devnet.discovery, key, **more)
        return open_session(
            Settings.from_environment(environment),
            self.directory / place,
            timing=timing or self.timing(),
        )

    def timing(self, **more: Any) -> Timing:
        """Return short waits; those between attempts are only written down."""

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)
            await asyncio.sleep(min(seconds, 0.05))

        return Timing(**{"sleep": pause, "poll_seconds": 0.05, "polls": 40, **more})

    async def order(self, devnet: Devnet, name: str, **order: Any) -> dict[str, Any]:
        """Give the devnet an order."""
        async with plain_client() as client:
            response = await client.post(f"{devnet.url}/devnet/{name}", json=order)
        assert response.status_code == 200, response.text
        return response.json()

    async def call(
        self, devnet: Devnet, method: str, suffix: str = "", **body: Any
    ) -> dict[str, Any]:
        """Call a method of the gateway as a foreign client would."""
        url = f"{devnet.url}/NAG.php?cep=Circular_{method}_{suffix}"
        async with plain_client() as client:
            response = await client.post(url, json=body)
        assert response.status_code == 200
        return response.json()

    async def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + 120
        while not condition():
            assert time.monotonic() < deadline, f"waited for {what}"
            await asyncio.sleep(0.01)

    def begun(self, session: Session, data: str) -> Transaction | None:
        """Return the transaction of data that was signed, but has no known answer."""
        wallet, document = session.wallet("testnet", None), Document(data)
        record = session.journal.unfinished(wallet, document)
        return record and Transaction.certify(
            document,
            sender=wallet.address,
            blockchain=wallet.blockchain,
            nonce=record.nonce,
            timestamp=record.timestamp,
            key=wallet.key,
        )

    async def run(
        self, program: str, *arguments: object, environment: dict[str, str]
    ) -> Any:
        """Run a program of this folder to its end; return the JSON that it prints."""
        process = await start(program, *arguments, environment=environment)
        output, errors = await process.communicate()
        assert process.returncode == 0, errors.decode()[-4000:]
        return json.loads(output)


async def start(
    program: str, *arguments: object, environment: dict[str, str]
) -> asyncio.subprocess.Process:
    """Start a program of this folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CIRCULAR_")}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAMS / program),
        *map(str, arguments),
        env={**kept, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
async def devnet(lab: Lab) -> AsyncIterator[Devnet]:
    async with lab.devnet() as running:
        yield running


@pytest.fixture
def key_of() -> Callable[[str], SigningKey]:
    return lambda name: SigningKey(Secret(secret(name)))


@pytest.fixture
def start_program():
    return start


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with plain_client() as found:
        yield found


@pytest.fixture
def secret_of() -> Callable[[str], str]:
    return secret

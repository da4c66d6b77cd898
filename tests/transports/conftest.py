from __future__ import annotations

import asyncio
import runpy
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.server.http import HttpServer
from echidna_mcp_plugins.transports import http, sse

SAMPLE = Path(__file__).with_name("sample_server.py")

Serve: TypeAlias = Callable[..., AbstractAsyncContextManager[HttpServer]]


@pytest.fixture(scope="session")
def sample_program() -> Path:
    return SAMPLE


@pytest.fixture(scope="session")
def sample() -> dict[str, Any]:
    """The names of the sample server, run in this process."""
    return runpy.run_path(str(SAMPLE), run_name="sample_server")


@pytest.fixture(scope="session")
def sample_catalogue(sample: dict[str, Any]) -> Catalogue:
    catalogue = sample["sample_catalogue"]()
    assert isinstance(catalogue, Catalogue)
    return catalogue


@pytest.fixture
def begun(sample: dict[str, Any]) -> list[int]:
    """The calls of `wait` that this test has begun."""
    calls: list[int] = sample["BEGUN"]
    calls.clear()
    return calls


@pytest.fixture
def serve(sample_catalogue: Catalogue) -> Serve:
    """Serve the sample tools over both HTTP transports, in this event loop."""

    @asynccontextmanager
    async def serving(
        *, sessions: bool = False, declare_dialect: bool = False, **options: Any
    ) -> AsyncIterator[HttpServer]:
        transports = [*http.register_transports(), *sse.register_transports()]
        chosen = TransportOptions(
            legacy_sessions=sessions, declare_dialect=declare_dialect
        )
        server = HttpServer(transports, options=chosen, **options)
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(server.serve(sample_catalogue, ready.set_result))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert await ready == server.url
            yield server
        finally:
            server.stop()
            await task

    return serving

from __future__ import annotations

import asyncio
import runpy
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from echidna_mcp.server.http import HttpServer
from echidna_mcp.tools.service import ToolService
from echidna_mcp_plugins.transports.http import http_transport
from echidna_mcp_plugins.transports.sse import sse_transport

SAMPLE = Path(__file__).with_name("sample_server.py")

Serve: TypeAlias = Callable[..., AbstractAsyncContextManager[HttpServer]]


@pytest.fixture(scope="session")
def sample_program() -> Path:
    return SAMPLE


@pytest.fixture(scope="session")
def sample_service() -> ToolService:
    program = runpy.run_path(str(SAMPLE), run_name="sample_server")
    service = program["sample_service"]()
    assert isinstance(service, ToolService)
    return service


@pytest.fixture
def serve(sample_service: ToolService) -> Serve:
    """Serve the sample tools over both HTTP transports, in this event loop."""

    @asynccontextmanager
    async def serving(
        *, sessions: bool = False, declare_dialect: bool = False, **options: Any
    ) -> AsyncIterator[HttpServer]:
        transports = [
            http_transport(sessions=sessions, declare_dialect=declare_dialect),
            sse_transport(declare_dialect=declare_dialect),
        ]
        server = HttpServer(transports, **options)
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(server.serve(sample_service, ready.set_result))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert await ready == server.url
            yield server
        finally:
            server.stop()
            await task

    return serving

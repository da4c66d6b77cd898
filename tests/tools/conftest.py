from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from handmade_campaign import HandmadeCampaign
from tool_plugins import make_service

Ask = Callable[..., Awaitable[Any]]


@pytest.fixture
def campaign() -> HandmadeCampaign:
    return HandmadeCampaign()


@pytest.fixture
def ask(campaign: HandmadeCampaign, tmp_path: Path) -> Ask:
    """Call a tool; its result, or the failure of the test."""
    service = make_service(campaign, tmp_path)

    async def call(tool: str, **arguments: Any) -> Any:
        outcome = await service.call(tool, arguments)
        assert outcome.error is None, outcome.error
        return outcome.content

    return call


@pytest.fixture
def refused(campaign: HandmadeCampaign, tmp_path: Path) -> Ask:
    """Call a tool that must fail; the body of its error."""
    service = make_service(campaign, tmp_path)

    async def call(tool: str, **arguments: Any) -> Any:
        outcome = await service.call(tool, arguments)
        assert outcome.error is not None, outcome.content
        assert outcome.error["success"] is False
        return outcome.error["error"]

    return call

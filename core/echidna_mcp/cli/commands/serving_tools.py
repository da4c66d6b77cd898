"""Serving tools that need no campaign."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.cli.commands.interruption import interruptible
from echidna_mcp.tools.stage import Stage

if TYPE_CHECKING:
    from echidna_mcp.cli.commands.front import HttpFront, Offer, StdioFront


async def tools_over_http(offer: Offer, front: HttpFront) -> None:
    """Serve until it is interrupted."""
    catalogue = _catalogue(offer)
    try:
        await asyncio.to_thread(front.load)
        serving = front.serve(catalogue, _nothing)
        async with interruptible(serving, _nothing) as task:
            await task
    finally:
        front.close()
        await catalogue.tools.close()


async def tools_over_stdio(offer: Offer, front: StdioFront) -> None:
    """Serve the client that started us until it leaves."""
    catalogue = _catalogue(offer)
    try:
        await asyncio.to_thread(front.load)
        async with interruptible(front.serve(catalogue), _nothing) as task:
            await task
    finally:
        await catalogue.tools.close()


def _catalogue(offer: Offer) -> Catalogue:
    """Return the tools alone: what else plugins offer is of a campaign."""
    stage = Stage()
    return Catalogue(offer.service(stage), stage)


def _nothing() -> None:
    """Do nothing: there is no campaign to be shown or ended."""

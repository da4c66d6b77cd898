"""`echidna-mcp serve`: a campaign with its tools over MCP."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.cli.commands.front import (
    HttpFront,
    Offer,
    Service,
    StdioFront,
    token_of,
)
from echidna_mcp.cli.commands.tracing import Tracing
from echidna_mcp.cli.request.campaign import make_request, read_settings
from echidna_mcp.tools.offered import selected

if TYPE_CHECKING:
    from echidna_mcp.server.campaign_child import CampaignChild


def serve(parameters: dict[str, Any], service: Service, child: CampaignChild) -> None:
    """Run the command.

    Args:
        parameters: of the campaign, from the command line.
        service: how it is served.
        child: the process that is to run the campaign.
    """
    token = token_of(service)
    settings = read_settings(parameters)
    plugins = settings.plugins
    tools = selected(plugins.tools, service.tools, read_only=service.read_only)
    offer = Offer(tools, read_only=service.read_only)
    if service.transport == "stdio":
        stdio = StdioFront(plugins, service.options)
        from echidna_mcp.cli.commands.serving import serve_stdio  # noqa: PLC0415 (slow import)

        if not asyncio.run(serve_stdio(settings, offer, stdio, child)):
            sys.exit(2)
        return
    request = make_request(settings, unlimited=True)
    http = HttpFront(plugins, service, token)
    spec = request.spec(keep_going=True)
    child.begin(spec)
    # The campaign starts while this process imports what serves it.
    from echidna_mcp.cli.commands.serving import serve_http  # noqa: PLC0415

    asyncio.run(serve_http(request, spec, offer, http, child))


def run_served(
    parameters: dict[str, Any], port: int, token: str | None, child: CampaignChild
) -> None:
    """Run the command `run --mcp-port` (FR-011): serve until the campaign ends.

    Args:
        parameters: of the campaign, from the command line.
        port: of the loopback interface.
        token: that clients must send; None for none.
        child: the process that is to run the campaign.
    """
    service = Service(
        transport="http",
        host="127.0.0.1",
        port=port,
        token=token,
        token_file=None,
        allowed_hosts=(),
        tools=None,
        read_only=False,
        options=TransportOptions(),
    )
    token = token_of(service)
    tracing = Tracing(parameters.pop("trace"))
    settings = read_settings(parameters)
    tools = selected(settings.plugins.tools, None, read_only=False)
    request = make_request(settings, unlimited=False)
    http = HttpFront(settings.plugins, service, token)
    spec = request.spec(keep_going=False)
    child.begin(spec)
    from echidna_mcp.cli.commands.conclusion import conclude  # noqa: PLC0415 (slow imports)
    from echidna_mcp.cli.commands.serving import serve_until_the_end  # noqa: PLC0415

    offer = Offer(tools, read_only=False)
    views, place = asyncio.run(serve_until_the_end(request, spec, offer, http, child))
    conclude(request, tracing, views, place)

"""`echidna-mcp serve`: a campaign with its tools over MCP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.cli.ci.wishes import CiWishes
from echidna_mcp.cli.commands.front import (
    HttpFront,
    Service,
    StdioFront,
    tokens_of,
)
from echidna_mcp.cli.commands.interruption import run_async
from echidna_mcp.cli.commands.sealing import sealed_at_the_end
from echidna_mcp.cli.commands.tracing import Tracing
from echidna_mcp.cli.commands.writing_back import written_back
from echidna_mcp.cli.request.campaign import make_request, read_settings
from echidna_mcp.cli.request.evidence import wishes_at_the_end
from echidna_mcp.cli.request.machine_use import tell_misuse
from echidna_mcp.tools.principal import LOCAL

if TYPE_CHECKING:
    from echidna_mcp.plugins.manager import PluginManager
    from echidna_mcp.server.campaign_child import CampaignChild


def serve(parameters: dict[str, Any], service: Service, child: CampaignChild) -> None:
    """Run the command.

    Args:
        parameters: of the campaign, from the command line.
        service: how it is served.
        child: the process that is to run the campaign.
    """
    tokens = tokens_of(service)
    sealing = wishes_at_the_end(parameters)
    settings = read_settings(parameters)
    plugins = settings.plugins
    offer = service.offer(plugins, campaign=True)
    if service.transport == "stdio":
        stdio = StdioFront(plugins, service.options)
        from echidna_mcp.cli.commands.serving import serve_stdio  # noqa: PLC0415 (slow import)

        with sealed_at_the_end(sealing) as ended, written_back(settings, ended):
            if not run_async(serve_stdio(settings, offer, stdio, child, ended)):
                sys.exit(2)
        return
    request = make_request(settings, unlimited=True)
    tell_misuse(settings)
    http = HttpFront(plugins, service, tokens)
    spec = request.spec(keep_going=True)
    child.begin(spec)
    # The campaign starts while this process imports what serves it.
    from echidna_mcp.cli.commands.serving import serve_http  # noqa: PLC0415

    with sealed_at_the_end(sealing) as ended, written_back(settings, ended):
        ended.append(run_async(serve_http(request, spec, offer, http, child)))


def needs_no_campaign(plugins: PluginManager) -> bool:
    """Whether a selection of plugins has tools, and none that needs a campaign."""
    tools = plugins.tools.values()
    return bool(tools) and not any(tool.spec.needs_campaign for tool in tools)


def serve_tools(plugins: PluginManager, service: Service) -> None:
    """Run the command without a campaign.

    Args:
        plugins: what offers the tools.
        service: how they are served.
    """
    tokens = tokens_of(service)
    offer = service.offer(plugins, campaign=False)
    from echidna_mcp.cli.commands.serving_tools import (  # noqa: PLC0415 (slow import)
        tools_over_http,
        tools_over_stdio,
    )

    if service.transport == "stdio":
        run_async(tools_over_stdio(offer, StdioFront(plugins, service.options)))
    else:
        run_async(tools_over_http(offer, HttpFront(plugins, service, tokens)))


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
        tier=LOCAL.tier,
        tools=None,
        read_only=False,
        options=TransportOptions(),
    )
    tokens = tokens_of(service)
    sealing = wishes_at_the_end(parameters)
    tracing = Tracing(parameters.pop("trace"), parameters.pop("export_foundry"))
    ci = CiWishes.taken_from(parameters)
    settings = read_settings(parameters)
    request = make_request(settings, unlimited=False)
    tell_misuse(settings)
    http = HttpFront(settings.plugins, service, tokens)
    spec = request.spec(keep_going=False)
    child.begin(spec)
    from echidna_mcp.cli.commands.conclusion import (  # noqa: PLC0415 (slow imports)
        conclude,
        ended_campaign,
    )
    from echidna_mcp.cli.commands.serving import serve_until_the_end  # noqa: PLC0415

    offer = service.offer(settings.plugins, campaign=True)
    with sealed_at_the_end(sealing) as ended, written_back(settings, ended):
        views, place = run_async(serve_until_the_end(request, spec, offer, http, child))
        ended.append(place)
        conclude(request, tracing, ci, ended_campaign(request, views, place))

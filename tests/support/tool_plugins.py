"""The nine tool plugins behind a real ToolService."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from handmade_campaign import HandmadeCampaign

from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp_plugins.tools import (
    clear_priorities,
    dump_lcov,
    find_transaction_in_corpus,
    get_corpus_size,
    inject_transaction,
    inspect_corpus_transactions,
    prioritize_function,
    read_logs,
    show_coverage,
)

PLUGINS: tuple[ModuleType, ...] = (
    clear_priorities,
    dump_lcov,
    find_transaction_in_corpus,
    get_corpus_size,
    inject_transaction,
    inspect_corpus_transactions,
    prioritize_function,
    read_logs,
    show_coverage,
)


def make_service(
    campaign: HandmadeCampaign, corpus_dir: Path, *, strict: bool = True
) -> ToolService:
    """Return all nine tools on a campaign; results are checked against the schemas."""
    tools = [tool for plugin in PLUGINS for tool in plugin.register_tools()]
    context = campaign.context(corpus_dir)
    return ToolService(tools, Stage(context), strict_output=strict)

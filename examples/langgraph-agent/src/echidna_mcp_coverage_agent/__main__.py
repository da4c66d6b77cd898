"""`python -m echidna_mcp_coverage_agent`: raise the coverage of a running campaign."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from langchain.chat_models import init_chat_model

from echidna_mcp_coverage_agent.campaign import connect
from echidna_mcp_coverage_agent.graph import Limits, raise_coverage


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    usual = Limits()
    found = argparse.ArgumentParser(
        prog="echidna-mcp-coverage-agent",
        description="Raise the coverage of a running echidna-mcp campaign.",
    )
    found.add_argument("source", type=Path, help="what the server was started with")
    found.add_argument(
        "--model",
        required=True,
        help="PROVIDER:MODEL, as init_chat_model of LangChain knows it; "
        "its API key is taken from the provider's variable",
    )
    found.add_argument("--url", default="http://127.0.0.1:8080/mcp")
    found.add_argument(
        "--functions", type=int, default=usual.functions, help="functions to look after"
    )
    found.add_argument(
        "--attempts", type=int, default=usual.attempts, help="sequences for each"
    )
    return found


async def run(arguments: argparse.Namespace) -> str:
    """Run the agent and return its report."""
    model = init_chat_model(arguments.model)
    token = os.environ.get("ECHIDNA_MCP_TOKEN")
    limits = Limits(functions=arguments.functions, attempts=arguments.attempts)
    async with connect(arguments.url, token) as campaign:
        return await raise_coverage(campaign, model, arguments.source, limits)


def main() -> None:
    """Run the command line."""
    sys.stdout.write(asyncio.run(run(parser().parse_args())) + "\n")


if __name__ == "__main__":
    main()

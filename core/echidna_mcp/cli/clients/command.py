"""The command `config`, its argument and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from echidna_mcp.cli.request.words import Choice


def _clients(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete the name of a client."""
    from echidna_mcp.cli.clients.snippets import clients  # noqa: PLC0415

    return [CompletionItem(name) for name in clients() if name.startswith(begun)]


@click.command("config", short_help="Print what tells a client of this server.")
@click.argument("client", shell_complete=_clients)
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option(
    "--transport",
    type=Choice(["http", "stdio"]),
    help="Connect to a server that runs, or let the client start one "
    "[default: http; stdio for claude-desktop].",
)
@click.option(
    "--url",
    metavar="URL",
    help="Server that runs [default: http://127.0.0.1:8080/mcp].",
)
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="Its port, if it is on this machine.",
)
@click.option(
    "--with-token",
    is_flag=True,
    help="Let the client take the server's token from ECHIDNA_MCP_TOKEN.",
)
@click.option(
    "--contract", metavar="NAME", help="Contract to fuzz, if the client starts it."
)
@click.option(
    "--corpus-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory of the campaign, if the client starts it.",
)
@click.option(
    "--campaigns",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory of campaigns, if the client starts it [default: ./echidna-corpus].",
)
@click.option(
    "--uvx",
    is_flag=True,
    help="Let uvx fetch and run the server instead of this installation.",
)
def config_command(*, client: str, **wishes: Any) -> None:
    """Print the snippet or command that connects CLIENT.

    CLIENT is claude-code, claude-desktop, cursor, vscode, codex, windsurf, zed,
    gemini-cli or inspector. TARGET is what to fuzz, if the client starts the server
    (--transport stdio); without one, the project where it starts, or the bundled demo.

    Standard output is only the snippet; standard error says where it belongs. Nothing
    is written.
    """
    from echidna_mcp.cli.clients.connection import Wishes, print_config  # noqa: PLC0415

    print_config(client, Wishes(**wishes))

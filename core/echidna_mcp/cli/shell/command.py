"""`echidna-mcp completion`: the script by which a shell completes our commands.

It is that of the library which reads the command line: the shell runs the program with
a variable set, and the program prints what may come next.
"""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.request.words import Choice

PROGRAM: Final = "echidna-mcp"
COMPLETION_VARIABLE: Final = "_ECHIDNA_MCP_COMPLETE"

_SHELLS: Final = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}
_PLACES: Final = {
    "bash": "~/.local/share/bash-completion/completions/echidna-mcp",
    "zsh": "a directory of $fpath, as _echidna-mcp",
    "fish": "~/.config/fish/completions/echidna-mcp.fish",
}


@click.command("completion", short_help="Print what lets a shell complete this.")
@click.argument("shell", type=Choice([*_SHELLS]))
@click.pass_context
def completion_command(context: click.Context, *, shell: str) -> None:
    """Print the script that lets SHELL complete commands, options and values.

    In bash: source <(echidna-mcp completion bash). Standard error says where it is
    found by every shell that starts. Nothing is written.
    """
    made = _SHELLS[shell](context.find_root().command, {}, PROGRAM, COMPLETION_VARIABLE)
    # Its `source` would start a bash to ask for its version.
    show(made.source_template % made.source_vars())
    show(f"It belongs into {_PLACES[shell]}.", err=True)

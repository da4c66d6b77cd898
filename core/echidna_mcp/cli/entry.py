"""The console script: it loads the commands, and a ctrl-C meanwhile is no traceback."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from echidna_mcp.cli.main import main as run  # noqa: PLC0415 - takes a second

        run()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)

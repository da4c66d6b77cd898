"""The console script: it loads the commands, and a ctrl-C meanwhile is no traceback.

This module is imported again in every process that is spawned, so it imports nothing.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from echidna_mcp.cli.main import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)

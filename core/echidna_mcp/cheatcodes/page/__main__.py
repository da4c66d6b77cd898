"""Prints `docs/cheatcodes.md`."""

import sys

from echidna_mcp.cheatcodes.page.page import page

sys.stdout.write(page())

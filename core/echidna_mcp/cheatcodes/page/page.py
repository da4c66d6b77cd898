"""The page of the documentation that says what happens to each cheatcode.

`beginning.md` comes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import groupby
from typing import Final

from echidna_mcp.cheatcodes.handlers.control import ignore
from echidna_mcp.cheatcodes.registry import working
from echidna_mcp.cheatcodes.table import Cheatcode, foundry_cheatcodes, refusal_of

_TITLES: Final = {
    "crypto": "Keys and signatures",
    "environment": "Environment",
    "evm": "EVM",
    "filesystem": "Files",
    "json": "JSON",
    "scripting": "Scripts",
    "string": "Texts",
    "testing": "Tests",
    "toml": "TOML",
    "utilities": "Utilities",
}


def page() -> str:
    """Return the page, in Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield files(__package__).joinpath("beginning.md").read_text("utf-8").rstrip()
    known = sorted(foundry_cheatcodes(), key=lambda c: (c.group, c.signature))
    yield ""
    yield f"{len(working())} of {len(known)} work."
    for group, members in groupby(known, key=lambda c: c.group):
        yield from (
            "",
            f"### {_TITLES[group]}",
            "",
            "| cheatcode | here |",
            "|---|---|",
        )
        for each in members:
            yield f"| `{each.signature}` | {_fate(each)} |"


def _fate(cheatcode: Cheatcode) -> str:
    found = working().get(cheatcode.selector)
    if found is None:
        return f"refused: it {refusal_of(cheatcode).rstrip('.')}"
    return "does nothing" if found.handler is ignore else "works"

"""Call sequences as people read them on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.reports.sequence_texts import sequence_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echidna_mcp.program.target import FuzzTarget

EMPTY = "No transactions were needed to reach the failure."


def sequence_lines(
    target: FuzzTarget, texts: Sequence[str], calls: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the lines of `sequence_texts`, printable; a sentence if there is none."""
    lines = sequence_texts(target, texts, calls)
    return [printable(line) for line in lines] or [EMPTY]

"""Tool `dump_lcov`: coverage for other programs (FR-003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp._generated.tools import dump_lcov_tool
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.reports.lcov import abridged
from echidna_mcp.tools.size import ANSWER_BYTES
from echidna_mcp_plugins.tools.output_path import inside, write_atomically

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import DumpLcovInput
    from echidna_mcp._generated.outputs import DumpLcovOutput
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(args: DumpLcovInput, context: ToolContext) -> DumpLcovOutput:
    """Return the tracefile; write it as well if a path is given.

    The file holds all of it, the answer as many source files as fit.

    Raises:
        InvalidInputError: the path is outside of the corpus directory, or unusable, or
            nothing may be written.
    """
    path = None
    if args.output_path is not None:
        if context.read_only:
            raise InvalidInputError(
                "This server only reads (--read-only), so it writes no file; "
                "leave outputPath out.",
                argument="outputPath",
            )
        path = inside(args.output_path, context.corpus_dir)
    text = context.reports.lcov(context.views.coverage)
    if path is not None and args.output_path is not None:
        write_atomically(path, text, args.output_path)
    progress = context.views.progress
    if progress.stopped is None:
        context.warnings.append(
            f"Snapshot at round {progress.round}: the campaign is still fuzzing, "
            "so coverage may grow."
        )
    return abridged(text, ANSWER_BYTES)


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (dump_lcov_tool(handle),)

"""Tool `asset.scripts.todos`: comments in C# scripts that begin with TODO or FIXME."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl

from echidna_mcp_script_todos._generated import outputs
from echidna_mcp_script_todos._generated.tools import asset_scripts_todos_tool

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import CallContext, Tool

    from echidna_mcp_script_todos._generated.inputs import AssetScriptsTodosInput

_COMMENT = re.compile(r"//\s*(TODO|FIXME)\b[:\s]*(.*)")


async def handle(
    args: AssetScriptsTodosInput, context: CallContext
) -> outputs.AssetScriptsTodosOutput:
    """Return the comments of the project that is served."""
    root = context.directories.get("unity-project")
    if root is None:
        raise InvalidInputError(
            "No Unity project is served; start the server with --unity-project DIR."
        )
    # Beside the event loop: a project has thousands of scripts.
    found = await asyncio.to_thread(lambda: list(_comments(root)))
    wanted = [todo for todo in found if args.kind in {None, todo["kind"]}]
    return outputs.AssetScriptsTodosOutput(
        todos=wanted[: args.maximum], total=len(wanted)
    )


def _comments(root: Path) -> Iterator[outputs.AssetScriptsTodosOutputTodosItem]:
    for path in sorted(root.glob("Assets/**/*.cs")):
        if not path.resolve().is_relative_to(root.resolve()):
            continue  # A link that leads out of the project.
        lines = path.read_text("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, 1):
            match = _COMMENT.search(line)
            if match:
                yield outputs.AssetScriptsTodosOutputTodosItem(
                    path=path.relative_to(root).as_posix(),
                    line=number,
                    kind=match[1],
                    text=match[2].strip(),
                )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (asset_scripts_todos_tool(handle),)

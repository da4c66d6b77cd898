"""Which tools a server offers: `--tools` and `--read-only`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from echidna_mcp.errors import UsageError
from echidna_mcp.wording import listed, not_offered

if TYPE_CHECKING:
    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.tools.tool import Tool

_CONTROL = "control"


def selected(
    tools: Mapping[str, Tool], names: str | None = None, *, read_only: bool = False
) -> tuple[Tool, ...]:
    """Return the tools that are offered, in order of name.

    Args:
        tools: all that plugins register, by name.
        names: those to offer, separated by commas; None for all.
        read_only: leave out the tools that steer the campaign, and those that change
            something beyond it; wins over `names`.

    Raises:
        UsageError: there is no tool of a name, or none is left.
    """
    wanted = sorted(tools) if names is None else _names(names, tools)
    found = tuple(
        tools[name] for name in wanted if not (read_only and _changes(tools[name].spec))
    )
    if not found and tools:
        raise UsageError(
            f"--tools and --read-only leave no tool; there are {listed(sorted(tools))}."
        )
    return found


def _changes(spec: ToolSpec) -> bool:
    """Whether a tool changes more than a file in the directory of the campaign."""
    return spec.category == _CONTROL or (spec.open_world and not spec.read_only)


def _names(text: str, tools: Mapping[str, Tool]) -> list[str]:
    names = sorted({name.strip() for name in text.split(",") if name.strip()})
    for name in names:
        if name not in tools:
            raise UsageError(not_offered("--tools", name, tools))
    return names

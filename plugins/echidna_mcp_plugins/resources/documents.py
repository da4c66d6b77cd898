"""`echidna://campaign/contracts/{tool}`: the contract documents of the tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from echidna_mcp.catalogue.resource import Resource, Variables
from echidna_mcp.contracts import declared
from echidna_mcp.errors import ResourceNotFoundError
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.wording import listed
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json

if TYPE_CHECKING:
    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.tools.tool import ToolContext


def document_resources() -> Sequence[Resource]:
    """Return them."""
    return (
        Resource(
            name="contract",
            uri=f"{ROOT}/contracts/{{tool}}",
            title="Contract of a tool",
            description="What a tool takes and gives: its schemas with the declared "
            "dialect (JSON Schema draft-07), error codes, deadline and examples.",
            mime_type=JSON,
            read=_read,
            values={"tool": _names},
            listed=lambda context: [{"tool": name} for name in _names(context)],
        ),
    )


async def _read(values: Variables, context: ToolContext) -> str:
    for spec in context.tools:
        if spec.name == values["tool"]:
            return as_json(_document(spec))
    raise ResourceNotFoundError(
        f"There is no tool {shown(values['tool'])}; "
        f"there are {listed(list(_names(context))) or 'none'}.",
        tool=clean(values["tool"]),
    )


def _document(spec: ToolSpec) -> dict[str, Any]:
    return {
        **spec.to_json(),
        "inputSchema": declared(spec.input_schema),
        "outputSchema": declared(spec.output_schema),
    }


def _names(context: ToolContext) -> Iterable[str]:
    return [spec.name for spec in context.tools]

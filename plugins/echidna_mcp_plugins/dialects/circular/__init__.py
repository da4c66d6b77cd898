"""The dialect of Circular's contracts: an input schema with outputs and errors."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.contracts.dialect import Dialect, Document
from echidna_mcp.plugins import hookimpl
from echidna_mcp_plugins.dialects.circular.contract import check
from echidna_mcp_plugins.dialects.circular.reading import read


def _is_meant(document: Document) -> bool:
    return (
        any(key in document for key in ("output", "errors"))
        and "properties" in document
        and "inputSchema" not in document
    )


CIRCULAR = Dialect(
    name="circular",
    title="Circular tool contract",
    is_meant=_is_meant,
    check=check,
    read=read,
)


@hookimpl
def register_dialects() -> Sequence[Dialect]:
    """Offer the dialect (hook)."""
    return (CIRCULAR,)

"""Plugin `resources`: the campaign to read, under `echidna://campaign`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.plugins import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.catalogue.resource import Resource


@hookimpl
def register_resources() -> Sequence[Resource]:
    """Offer them (hook)."""
    # Imported when they are asked for: only a server needs them.
    from echidna_mcp_plugins.resources.campaign import (  # noqa: PLC0415
        campaign_resources,
    )
    from echidna_mcp_plugins.resources.corpus import corpus_resources  # noqa: PLC0415
    from echidna_mcp_plugins.resources.coverage import (  # noqa: PLC0415
        coverage_resources,
    )
    from echidna_mcp_plugins.resources.documents import (  # noqa: PLC0415
        document_resources,
    )
    from echidna_mcp_plugins.resources.findings import finding_resources  # noqa: PLC0415

    return (
        *campaign_resources(),
        *corpus_resources(),
        *coverage_resources(),
        *document_resources(),
        *finding_resources(),
    )

"""Plugin `prompts`: tasks that a person gives to an agent from a menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.plugins import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.catalogue.prompt import Prompt


@hookimpl
def register_prompts() -> Sequence[Prompt]:
    """Offer them (hook)."""
    from echidna_mcp_plugins.prompts.raise_coverage import (  # noqa: PLC0415
        raise_coverage_prompt,
    )
    from echidna_mcp_plugins.prompts.triage_property import (  # noqa: PLC0415
        triage_property_prompt,
    )
    from echidna_mcp_plugins.prompts.write_handler import (  # noqa: PLC0415
        write_handler_prompt,
    )

    return (raise_coverage_prompt(), triage_property_prompt(), write_handler_prompt())

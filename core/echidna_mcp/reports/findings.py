"""What findings are known by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.rounds.failures.sites import finding_id

if TYPE_CHECKING:
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord


def finding_of(views: CampaignViews, record: PropertyRecord) -> str:
    """Return the lasting id of a finding, or the one that a test would have.

    It is the stored one; campaigns with one finding a test store none.
    """
    contract = views.target.program.main_contract.name
    return record.finding or finding_id(contract, record.name)

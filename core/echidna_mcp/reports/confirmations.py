"""What the reference EVM has said of a finding, as it is stored with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echidna_mcp.program.target import ASKED
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.events.payloads import ReproducerConfirmed
    from echidna_mcp.program.target import TestCase
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord


def confirmation_of(
    views: CampaignViews, record: PropertyRecord
) -> dict[str, Any] | None:
    """Return what the reference has said of a reproducer, as JSON values.

    That is the payload of `ReproducerConfirmed`, but for the name of the finding, and
    `text`, as `confirmation_text` has it.

    Returns:
        None if nothing is stored.
    """
    payload = record.confirmation
    if payload is None:
        return None
    told = {name: value for name, value in payload.items() if name != "property"}
    return {"text": confirmation_text(views, record), **told}


def confirmation_text(views: CampaignViews, record: PropertyRecord) -> str:
    """Return the same in a line: `confirmed on py-evm 0.12: call 3 fails the test: …`.

    It has text of the contract. Empty if nothing is stored.
    """
    payload = record.confirmation
    if payload is None:
        return ""
    reference = " ".join((payload["reference"], payload.get("version", ""))).rstrip()
    said = _said(views.test_of(record.name), payload)
    return f"confirmed on {reference}: {said}"


def _said(test: TestCase, payload: ReproducerConfirmed) -> str:
    calls, reason = payload["calls"], payload["reason"]
    if test.kind in ASKED:
        after = f"after {counted(len(calls), 'call')}" if calls else "without any call"
        has = f"has the {reason}" if test.kind == "optimization" else reason
        return f"{after} {test.name} {has}"
    what = "assertion" if test.kind == "assertion" else "test"
    return f"call {calls[-1]['call']} fails the {what}: {reason}"

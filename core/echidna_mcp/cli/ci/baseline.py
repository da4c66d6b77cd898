"""Findings that are known already, so that only new ones fail a build."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.ci.results import finding_id
from echidna_mcp.cli.request.place import stores_in
from echidna_mcp.errors import UsageError
from echidna_mcp.events.store import EventStore
from echidna_mcp.reports.findings import finding_of
from echidna_mcp.reports.foundry_verdicts import foundry_verdicts
from echidna_mcp.views.campaign import CampaignViews


def known_findings(path: Path) -> frozenset[str]:
    """Return the ids of findings that a baseline has.

    Args:
        path: a report of `run --format json`, or a directory of a campaign or of
            campaigns, all of which count.

    Raises:
        UsageError: it is neither.
        StoreError: a campaign can't be read.
    """
    if path.is_dir():
        return frozenset().union(*map(_of_campaign, _stores(path)))
    try:
        document = json.loads(path.read_text("utf-8"))
        return frozenset(_of_report(document))
    except OSError as error:
        raise UsageError(
            f"--baseline {path} can't be read ({error.strerror}); name a JSON report "
            "or a directory of campaigns."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"--baseline {path} is no report of `run --format json`; name one, or a "
            "directory of campaigns."
        ) from None


def _stores(path: Path) -> list[Path]:
    stores = stores_in(path)
    if not stores:
        raise UsageError(
            f"--baseline {path} has no campaign; name a JSON report or a directory of "
            "campaigns."
        )
    return stores


def _of_campaign(path: Path) -> frozenset[str]:
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        views = CampaignViews.folded([*store.read()])
    found = {finding_of(views, each) for each in views.properties.falsified}
    if views.target.config.of_foundry:
        # An invariant fails as well if a handler does.
        verdicts = foundry_verdicts(views, views.not_exercised())
        failed = [each.test for each in verdicts if each.status == "failed"]
        found |= {finding_id(views.target.program.main, each) for each in failed}
    return frozenset(found)


def _of_report(document: Any) -> Iterator[str]:
    """Yield the ids of a report of a campaign, or of a suite and its campaigns."""
    for test in document["tests"]:
        if test["status"] in ("falsified", "failed"):
            contract = test.get("contract") or document["contract"]
            yield test.get("id") or finding_id(contract, test["name"])
    for campaign in document.get("campaigns", ()):
        yield from _of_report(campaign)

"""What is said of Foundry's tests at the end of a campaign, test by test.

Forge says that every invariant of a contract fails if a handler fails an assertion, or
what comes after the invariants does, and so do we; what has failed is told as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from echidna_mcp.program.fixtures import why_no_rows
from echidna_mcp.program.foundry_tests import foundry_kind
from echidna_mcp.views.exercise import SKIPPED

if TYPE_CHECKING:
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

Status: TypeAlias = Literal["passed", "failed", "skipped", "not exercised", "disputed"]

_INVARIANTS: Final = ("invariant", "optimization")
"""Kinds of tests that are invariants of forge: it maximizes what returns an int256."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundryVerdict:
    """One test of a contract.

    Attributes:
        contract: `path:Name`.
        test: signature; `setUp()` if the contract could not be set up.
        kind: as in `program.foundry_tests`.
        reason: why it failed, was skipped or not exercised; the value of an invariant
            that is maximized; may be empty.
        calls: runs of a stateless test, calls of the sequences of an invariant.
        record: with its reproducer, if it has one.
    """

    contract: str
    test: str
    kind: str
    status: Status
    reason: str = ""
    calls: int = 0
    record: PropertyRecord | None = None


def foundry_verdicts(
    views: CampaignViews, unexercised: Mapping[str, str]
) -> list[FoundryVerdict]:
    """Return what a campaign says of the tests, in their order.

    Args:
        views: the fold of the campaign.
        unexercised: what it says of tests that were not exercised.
    """
    if views.target.config.checks("invariant"):
        return list(_invariants(views, unexercised))
    return list(_stateless(views, unexercised))


def handler_failures(views: CampaignViews) -> list[PropertyRecord]:
    """Return what fails all invariants of a campaign: calls, and what comes after."""
    if not views.target.config.checks("invariant"):
        return []
    return [
        record
        for record in views.properties.falsified
        if _test_kind(views, record) not in _INVARIANTS
    ]


def _test_kind(views: CampaignViews, record: PropertyRecord) -> str:
    return views.test_of(record.name).kind


def _invariants(
    views: CampaignViews, unexercised: Mapping[str, str]
) -> Iterator[FoundryVerdict]:
    failures = handler_failures(views)
    because = [f"{each.name} failed: {each.reason}" for each in failures]
    for name, record in views.properties.records.items():
        if _test_kind(views, record) not in _INVARIANTS:
            continue
        status: Status = "passed"
        reason = ""
        if record.maximizes and record.calls is not None:
            reason = record.reason
        elif record.calls is not None:
            status, reason = "failed", record.reason
        elif because:
            status, reason = "failed", "; ".join(because)
        elif record.dispute is not None:
            status = "disputed"
        elif name in unexercised:
            status, reason = "not exercised", unexercised[name]
        yield FoundryVerdict(
            contract=views.target.program.main,
            test=name,
            kind="invariant",
            status=status,
            reason=reason,
            calls=views.progress.calls,
            record=record,
        )


def _stateless(
    views: CampaignViews, unexercised: Mapping[str, str]
) -> Iterator[FoundryVerdict]:
    once = views.target.run_once
    for index, function in enumerate(views.target.functions):
        name = function.signature
        record = views.properties.records[name]
        skipped = views.exercise.skipped(name)
        status: Status = "passed"
        reason = ""
        if record.calls is not None:
            status, reason = "failed", record.reason
        elif record.dispute is not None:
            status = "disputed"
        elif skipped is not None:
            status, reason = "skipped", skipped.removeprefix(SKIPPED)
        elif index in once and not views.target.calldata_of(index):
            # A table without rows fails, in forge as well.
            status = "failed"
            reason = why_no_rows(function, views.target.world.fixtures)
        elif views.exercise.discarded[name] > views.target.config.max_rejects:
            # Forge lets it fail: too few inputs are left to say anything.
            status, reason = "failed", unexercised.get(name, "")
        elif name in unexercised:
            status, reason = "not exercised", unexercised[name]
        yield FoundryVerdict(
            contract=views.target.program.main,
            test=name,
            kind=foundry_kind(function) or "",
            status=status,
            reason=reason,
            calls=views.progress.functions.get(name, 0)
            - views.exercise.discarded[name],
            record=record,
        )

"""The end of `run`: the report and the exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.reporter import final_report
from echidna_mcp.errors import DisputedTestsError, EchidnaMcpError
from echidna_mcp.plugins.selection import pick_backend

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from echidna_mcp.cli.commands.tracing import Tracing
    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.views.campaign import CampaignViews


NOT_EXERCISED: Final = 4
"""Exit code: nothing was falsified, but a test was not exercised."""


def conclude(
    request: Request, tracing: Tracing, views: CampaignViews, directory: Path
) -> None:
    """Print the result of a campaign, and exit with what it says.

    That is 1 if a test was falsified, and 4 if none was, but one was not exercised.

    Args:
        request: what was asked for.
        tracing: which traces and exports are wanted.
        views: the fold of the campaign.
        directory: of the campaign.

    Raises:
        DisputedTestsError: two EVMs disagree on a test.
    """
    form = request.options.format
    traces = tracing.documents(request, views) if form == "json" else None
    earlier = [] if form == "none" else earlier_of(request, views)
    show(final_report(form, views, request.unhonoured, traces, earlier), nl=False)
    if form != "json":
        tracing.show(request, views)
        show(f"Campaign: {directory}", err=True)
    tracing.export(request, views)
    if views.properties.falsified:
        sys.exit(1)
    refuse_disputes([record.name for record in views.properties.disputed])
    unexercised = {*views.not_exercised()} - request.may_be_unexercised
    if unexercised:
        sys.exit(NOT_EXERCISED)


def earlier_of(request: Request, views: CampaignViews) -> list[EarlierVerdict]:
    """Return what became of what had failed before; say why if that can't be told.

    The result is there already, and must not be lost.
    """
    if not views.corpus.earlier:
        return []
    from echidna_mcp.corpora.earlier import earlier_verdicts  # noqa: PLC0415 (slow imports)

    try:
        backend = pick_backend(request.plugins.backends, request.options.backend)
        return earlier_verdicts(views, backend)
    except EchidnaMcpError as error:
        show(f"Warning: what failed before is not replayed: {error.message}", err=True)
        return []


def refuse_disputes(disputed: Sequence[str]) -> None:
    """Refuse to say that all is well where two EVMs disagree.

    Raises:
        DisputedTestsError: they do, on a test.
    """
    if disputed:
        raise DisputedTestsError(
            f"Whether these tests pass is undecided: {printable(', '.join(disputed))}. "
            "Two EVMs disagree, so one of them has a bug; please report it, with the "
            "contract and the call sequence.",
            tests=list(disputed),
        )

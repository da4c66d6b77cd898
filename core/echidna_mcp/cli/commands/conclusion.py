"""The end of `run`: the report and the exit code."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echidna_mcp.cli.ci.results import campaign_results
from echidna_mcp.cli.commands.covering import cover
from echidna_mcp.cli.commands.tracing import trace_finder
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.reporter import final_report
from echidna_mcp.errors import DisputedTestsError, EchidnaMcpError
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.reports.missing import closing_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from echidna_mcp.cli.ci.results import TestResult
    from echidna_mcp.cli.ci.wishes import CiWishes
    from echidna_mcp.cli.commands.tracing import Tracing
    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.config.campaign import OutputFormat
    from echidna_mcp.corpora.earlier import EarlierVerdict
    from echidna_mcp.views.campaign import CampaignViews


NOT_EXERCISED: Final = 4
"""Exit code: nothing was falsified, but a test was not exercised."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A campaign that has ended.

    Attributes:
        views: its fold.
        directory: where it lies.
        earlier: what became of what had failed before; empty if nobody asks for it.
    """

    views: CampaignViews
    directory: Path
    earlier: Sequence[EarlierVerdict] = ()


def conclude(request: Request, tracing: Tracing, ci: CiWishes, ended: Ended) -> None:
    """Print the result of a campaign, and exit with what it says.

    That is 1 if a test was falsified that is not known, and 4 if none was, but one was
    not exercised.

    Args:
        request: what was asked for.
        tracing: which traces and exports are wanted.
        ci: which files are wanted, and what is known.
        ended: the campaign.

    Raises:
        DisputedTestsError: two EVMs disagree on a test.
    """
    views, directory, form = ended.views, ended.directory, request.options.format
    traces = tracing.documents(request, views) if form == "json" else None
    unexercised = views.not_exercised()
    results = campaign_results(views, unexercised, trace_finder(request, views))
    text = final_report(
        form,
        views,
        request.unhonoured,
        traces,
        unexercised=unexercised,
        details=ci.details(results, request.root),
        earlier=ended.earlier,
    )
    show(text, nl=False)
    if form != "json":
        tracing.show(request, views)
    cover(request, views, directory)
    if form != "json":
        show(f"Campaign: {directory}", err=True)
    tracing.export(request, views)
    tell_end(form, ci, results, request.root, closing_line([views], unexercised))
    if ci.new(results):
        sys.exit(1)
    refuse_disputes([record.name for record in views.properties.disputed])
    if {*unexercised} - request.may_be_unexercised:
        sys.exit(NOT_EXERCISED)


def tell_end(
    form: OutputFormat | None,
    ci: CiWishes,
    results: Sequence[TestResult],
    root: Path,
    closing: str,
) -> None:
    """Print what comes after a report, and write the files that are wanted.

    Args:
        form: of the report; those for machines end with it.
        ci: which files are wanted, and what is known.
        results: all tests.
        root: directory of the project.
        closing: the last line.
    """
    if form == "github":
        show(ci.annotations(results, root), nl=False)
    if form not in ("json", "none"):
        for line in (*ci.known_lines(results), closing):
            show(printable(line))
    ci.write(results, root)


def ended_campaign(
    request: Request, views: CampaignViews, directory: Path, *, watched: bool = False
) -> Ended:
    """Return a campaign, with what became of what had failed before if that is told.

    Args:
        request: what was asked for.
        views: the fold of the campaign.
        directory: of the campaign.
        watched: whether somebody tells it beside the report.
    """
    is_told = watched or request.options.format != "none"
    return Ended(views, directory, _earlier(request, views) if is_told else ())


def _earlier(request: Request, views: CampaignViews) -> list[EarlierVerdict]:
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

"""Coverage reports at the end of a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.config.campaign import COVERAGE_FORMATS
from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.reports.coverage_facts import coverage_facts
from echidna_mcp.reports.coverage_files import NAME, write_coverage
from echidna_mcp.views.campaign import CampaignViews

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echidna_mcp.cli.request.campaign import Request


def cover(request: Request, views: CampaignViews, directory: Path) -> None:
    """Write the coverage of a campaign that has ended, as far as it is wanted.

    The result is there already: what fails is only a warning. Campaigns of a suite
    share a directory that is given, so that each has files named after it.

    Args:
        request: what was asked for.
        views: the fold of the campaign.
        directory: of the campaign.
    """
    options = request.options
    of_suite = request.config.of_foundry
    formats = options.coverage_formats
    if formats is None:
        nowhere = of_suite and options.coverage_dir is None
        formats = () if nowhere else COVERAGE_FORMATS
    if not formats or not request.config.coverage or not views.progress.round:
        return
    given = options.coverage_dir
    try:
        backend = pick_backend(request.plugins.backends, options.backend)
        written = write_coverage(
            coverage_facts(views, backend, options.coverage_excludes),
            directory if given is None else Path(given),
            formats,
            f"{NAME}.{directory.name}" if given is not None and of_suite else NAME,
        )
    except EchidnaMcpError as error:
        text = f"Warning: coverage is not written: {printable(error.message)}"
        show(text, err=True)
        return
    if options.progress_format not in ("json", "none"):
        show(_places(written), err=True)


def _places(written: Sequence[Path]) -> str:
    """Return the line that says where coverage is."""
    names = ", ".join(path.name for path in written)
    return f"Coverage: {printable(f'{written[0].parent}: {names}')}"

"""Coverage reports: at the end of a campaign, and of one that is stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.request.place import newest_campaign
from echidna_mcp.config.campaign import COVERAGE_FORMATS
from echidna_mcp.errors import EchidnaMcpError, UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.reports.coverage_facts import coverage_facts
from echidna_mcp.reports.coverage_files import NAME, write_coverage
from echidna_mcp.views.campaign import CampaignViews

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.config.campaign import CoverageFormat


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


def write_stored(
    directory: Path,
    formats: Sequence[CoverageFormat],
    output: Path | None,
    excludes: Sequence[str],
    plugins: str,
) -> None:
    """Write the coverage of a stored campaign, and print the files' names.

    Args:
        directory: of a campaign, or of campaigns, of which the newest is taken.
        formats: which files are written; all if there are none.
        output: where; None for the directory of the campaign.
        excludes: patterns of sources that are left out.
        plugins: as in `--plugins`.

    Raises:
        UsageError: there is no such campaign, it has collected no coverage, or the
            files can't be written.
        StoreError: the campaign can't be read, or was changed by another program.
    """
    if not directory.is_dir():
        raise UsageError(f"There is no directory {directory}; name one of a campaign.")
    place = newest_campaign(directory)
    path = store_path(place)
    verify_campaign(path, other_log=True)
    with EventStore.read_only(path) as store:
        events = [*store.read()]
    views = CampaignViews.folded(events)
    if not views.target.config.coverage:
        raise UsageError(
            f"{place} has collected no coverage; run it with coverage: true."
        )
    backends = PluginManager.load(plugins).backends
    backend = pick_backend(backends, events[0].payload["backend"])
    written = write_coverage(
        coverage_facts(views, backend, excludes),
        output or place,
        formats or COVERAGE_FORMATS,
    )
    for each in written:
        show(printable(str(each)))


def _places(written: Sequence[Path]) -> str:
    """Return the line that says where coverage is."""
    names = ", ".join(path.name for path in written)
    return f"Coverage: {printable(f'{written[0].parent}: {names}')}"

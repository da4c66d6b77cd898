"""`echidna-mcp coverage`: the coverage of a stored campaign as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.stored.campaign import StoredCampaign
from echidna_mcp.config.campaign import COVERAGE_FORMATS, CoverageFormat
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.reports.coverage_facts import coverage_facts
from echidna_mcp.reports.coverage_files import write_coverage


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
    campaign = StoredCampaign.read(directory)
    if not campaign.views.target.config.coverage:
        raise UsageError(
            f"{campaign.place} has collected no coverage; run it with coverage: true."
        )
    backends = PluginManager.load(plugins).backends
    backend = pick_backend(backends, campaign.backend)
    written = write_coverage(
        coverage_facts(campaign.views, backend, excludes),
        output or campaign.place,
        formats or COVERAGE_FORMATS,
    )
    for each in written:
        show(printable(str(each)))

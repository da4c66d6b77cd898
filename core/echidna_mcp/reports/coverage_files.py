"""Coverage reports as files, one for each format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from echidna_mcp.errors import UsageError
from echidna_mcp.reports.coverage_page import coverage_page
from echidna_mcp.reports.lcov import lcov
from echidna_mcp.reports.marks import marked_text

if TYPE_CHECKING:
    from echidna_mcp.config.campaign import CoverageFormat
    from echidna_mcp.reports.coverage_facts import CoverageFacts

NAME: Final = "covered"
"""Of the files, before the format, as in Echidna."""


def coverage_text(facts: CoverageFacts, form: CoverageFormat) -> str:
    """Return a report in one format."""
    match form:
        case "txt":
            return marked_text(facts.files, facts.sources, facts.failures)
        case "html":
            return coverage_page(facts)
        case "lcov":
            return lcov(facts.files)
        case _:
            assert_never(form)


def write_coverage(
    facts: CoverageFacts,
    directory: Path,
    formats: Sequence[CoverageFormat],
    name: str = NAME,
) -> list[Path]:
    """Write `name.txt` and so on; those that are there are replaced.

    Returns:
        The files.

    Raises:
        UsageError: the directory can't be made or written to.
    """
    written = []
    for form in formats:
        path = directory / f"{name}.{form}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            # A server may be killed meanwhile; a reader then has the old one.
            fresh = path.with_name(f".{path.name}.part")
            fresh.write_text(coverage_text(facts, form), "utf-8", newline="")
            fresh.replace(path)
        except OSError as error:
            raise UsageError(
                f"{path} can't be written ({error.strerror}); choose another directory "
                "for coverage (--coverage-dir, coverageDir)."
            ) from None
        written.append(path)
    return written

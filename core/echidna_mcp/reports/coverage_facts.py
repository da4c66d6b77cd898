"""What reports of coverage say, whatever their format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from echidna_mcp.reports.files import FileCoverage, file_coverage
from echidna_mcp.reports.function_statistics import (
    FunctionStatistics,
    function_statistics,
)
from echidna_mcp.reports.globs import kept_paths
from echidna_mcp.reports.hits import Hits, corpus_hits
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.reports.marks import Failures, failure_marks
from echidna_mcp.reports.uncovered import uncalled_contracts, uncovered_functions

if TYPE_CHECKING:
    from echidna_mcp.rounds.backend import BackendPlugin
    from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageFacts:
    """All that a report of coverage says.

    Attributes:
        title: name of the contract that was fuzzed.
        files: what is covered, by path.
        sources: their texts, by path.
        failures: where calls ended that failed.
        hits: what was counted.
        functions: what became of calls.
        points: program counters that were executed, of all codes.
        edges: whether the campaign knows which way each jump went.
        calls: that the campaign has made.
        digest: state digest at the end.
    """

    title: str
    files: Mapping[str, FileCoverage]
    sources: Mapping[str, str]
    failures: Failures
    hits: Hits
    functions: Sequence[FunctionStatistics]
    points: int
    edges: bool
    calls: int
    digest: str


def coverage_facts(
    views: CampaignViews, backend: BackendPlugin, excludes: Sequence[str] = ()
) -> CoverageFacts:
    """Return what reports say of a campaign; its corpus is executed once more.

    Args:
        views: the fold of the campaign.
        backend: what it ran on.
        excludes: patterns of paths that are left out (`reports.globs`).

    Raises:
        DeploymentError, NotReproducibleError: see `corpus_hits`.
    """
    target, coverage = views.target, views.coverage
    index = CoverageIndex(
        target.program, uncovered_functions(target), uncalled_contracts(target)
    )
    hits = corpus_hits(views, backend, index)
    files = file_coverage(index, coverage.covered(), coverage.jumps(), hits)
    with_code = [path for path in sorted(files) if files[path].lines]
    kept = kept_paths(with_code, excludes)
    texts = {source.path: source.content for source in target.program.sources}
    return CoverageFacts(
        title=target.program.main_contract.name,
        files={path: files[path] for path in kept},
        sources={path: texts[path] for path in kept},
        failures=failure_marks(index, coverage.map.endings),
        hits=hits,
        functions=function_statistics(views),
        points=coverage.points,
        edges=target.config.edges,
        calls=views.progress.calls,
        digest=views.progress.state_digest,
    )

"""Coverage by source file: what several contracts share is merged.

Lines, functions and branches that inheritance and libraries put into many contracts are
one thing in the source; covered in one contract is covered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from echidna_mcp.program.model import Program, Span
from echidna_mcp.reports.hits import NO_HITS, Hits, Way
from echidna_mcp.reports.lines import (
    NO_JUMPS,
    BranchCoverage,
    ContractCoverage,
    CoverageIndex,
    Covered,
    Jumps,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCount:
    """A branch, and how often each of its two ways was taken.

    Attributes:
        span: its source.
        line: where that begins.
        reached: how often its condition was evaluated; the numbers are counts as those
            of `FileCoverage`.
        fell_through, jumped: how often execution went on after it, or jumped.
    """

    span: Span
    line: int
    reached: int
    fell_through: int
    jumped: int


@dataclass(slots=True)
class FileCoverage:
    """What is covered of one file.

    A count is 0 for what was never executed. Otherwise it is the number of calls of the
    corpus that execute it, or 1 where they were not counted (`reports.hits`).

    Attributes:
        lines: executable lines.
        functions: by (line, name).
        ends: the lines on which they end, in the same way.
        branches: by source range.
    """

    lines: dict[int, int] = field(default_factory=dict)
    functions: dict[tuple[int, str], int] = field(default_factory=dict)
    ends: dict[tuple[int, str], int] = field(default_factory=dict)
    branches: dict[Span, BranchCount] = field(default_factory=dict)

    def ordered_branches(self) -> list[BranchCount]:
        """Return the branches in source order."""
        return sorted(
            self.branches.values(),
            key=lambda b: (b.line, b.span.start, b.span.length),
        )


def file_coverage(
    index: CoverageIndex,
    covered: Covered,
    jumps: Jumps = NO_JUMPS,
    hits: Hits = NO_HITS,
) -> dict[str, FileCoverage]:
    """Return the coverage of each file with code, by path.

    What was executed is what the campaign says; `hits` only count it.
    """
    return merged(index.program, index.report(covered, jumps).contracts, hits)


def merged(
    program: Program, contracts: Iterable[ContractCoverage], hits: Hits = NO_HITS
) -> dict[str, FileCoverage]:
    """Return the coverage of each file, given that of the contracts of a program."""
    files: dict[str, FileCoverage] = {}
    paths = [source.path for source in program.sources]
    for contract in contracts:
        for path, line in contract.lines:
            files.setdefault(path, FileCoverage()).lines.setdefault(line, 0)
        for path, line in contract.covered_lines:
            files[path].lines[line] = max(1, hits.lines[path, line])
        for function in contract.functions:
            file = files.setdefault(function.path, FileCoverage())
            name = function.signature.partition("(")[0]
            key = (function.line, name)
            count = 0
            if function.covered_lines:
                count = max(1, hits.functions[function.path, function.line])
            file.functions[key] = max(file.functions.get(key, 0), count)
            file.ends[key] = function.last_line
        for branch in contract.branches:
            span = branch.branch.span
            branches = files.setdefault(paths[span.file], FileCoverage()).branches
            branches[span] = _counted(branches.get(span), branch, hits)
    return files


def _counted(known: BranchCount | None, new: BranchCoverage, hits: Hits) -> BranchCount:
    """Return the counts of a branch; those of all contracts are in `hits` already."""
    span = new.branch.span

    def count(executed: bool, before: int, way: Way) -> int:
        return max(before, 1, hits.branches[span, way]) if executed else before

    before = known or BranchCount(
        span=span, line=new.branch.line, reached=0, fell_through=0, jumped=0
    )
    return BranchCount(
        span=span,
        line=before.line,
        reached=count(new.reached, before.reached, "reached"),
        fell_through=count(new.fell_through, before.fell_through, "fell_through"),
        jumped=count(new.jumped, before.jumped, "jumped"),
    )

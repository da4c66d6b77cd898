"""Coverage by source file: what several contracts share is merged.

Lines, functions and branches that inheritance and libraries put into many contracts are
one thing in the source; covered in one contract is covered.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from echidna_mcp.program.model import Span
from echidna_mcp.reports.lines import (
    NO_JUMPS,
    BranchCoverage,
    CoverageIndex,
    Covered,
    Jumps,
)


@dataclass(slots=True)
class FileCoverage:
    """What is covered of one file.

    Attributes:
        lines: executable lines, and whether each was executed.
        functions: (line, name), and whether any of its lines was executed.
        branches: by source range.
    """

    lines: dict[int, bool] = field(default_factory=dict)
    functions: dict[tuple[int, str], bool] = field(default_factory=dict)
    branches: dict[Span, BranchCoverage] = field(default_factory=dict)

    def ordered_branches(self) -> list[BranchCoverage]:
        """Return the branches in source order."""
        return sorted(
            self.branches.values(),
            key=lambda b: (b.branch.line, b.branch.span.start, b.branch.span.length),
        )


def file_coverage(
    index: CoverageIndex, covered: Covered, jumps: Jumps = NO_JUMPS
) -> dict[str, FileCoverage]:
    """Return the coverage of each file with code, by path."""
    files: dict[str, FileCoverage] = {}
    paths = [source.path for source in index.program.sources]
    for contract in index.report(covered, jumps).contracts:
        for path, line in contract.lines:
            files.setdefault(path, FileCoverage()).lines.setdefault(line, False)
        for path, line in contract.covered_lines:
            files[path].lines[line] = True
        for function in contract.functions:
            functions = files.setdefault(function.path, FileCoverage()).functions
            key = (function.line, function.signature.partition("(")[0])
            hit = function.covered_lines > 0
            functions[key] = functions.get(key, False) or hit
        for branch in contract.branches:
            span = branch.branch.span
            branches = files.setdefault(paths[span.file], FileCoverage()).branches
            branches[span] = _merge(branches.get(span), branch)
    return files


def _merge(known: BranchCoverage | None, new: BranchCoverage) -> BranchCoverage:
    if known is None:
        return new
    return BranchCoverage(
        branch=known.branch,
        reached=known.reached or new.reached,
        fell_through=known.fell_through or new.fell_through,
        jumped=known.jumped or new.jumped,
    )

"""Coverage as an LCOV tracefile.

Source of the format: geninfo(1). A coverage map knows which instructions were executed,
not how often, so every count is 1 or 0. Lines, functions and branches that several
contracts share (inheritance, libraries) are merged: covered in one is covered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
class _File:
    lines: dict[int, bool] = field(default_factory=dict)
    functions: dict[tuple[int, str], bool] = field(default_factory=dict)
    branches: dict[Span, BranchCoverage] = field(default_factory=dict)


def lcov(index: CoverageIndex, covered: Covered, jumps: Jumps = NO_JUMPS) -> str:
    """Return the tracefile of all contracts that take part (DumpLcov, FR-003).

    Files are in order of path, records in order of line, so equal coverage gives equal
    text. Branch 0 of a block is the fall-through, branch 1 the jump; `-` means that the
    condition was never evaluated.
    """
    files = _collect(index, covered, jumps)
    records = [
        line
        for path in sorted(files)
        for line in _record(path, files[path])
        if files[path].lines
    ]
    return "".join(f"{line}\n" for line in records)


def _collect(index: CoverageIndex, covered: Covered, jumps: Jumps) -> dict[str, _File]:
    files: dict[str, _File] = {}
    paths = [source.path for source in index.program.sources]
    for contract in index.report(covered, jumps).contracts:
        for path, line in contract.lines:
            files.setdefault(path, _File()).lines.setdefault(line, False)
        for path, line in contract.covered_lines:
            files[path].lines[line] = True
        for function in contract.functions:
            functions = files.setdefault(function.path, _File()).functions
            key = (function.line, function.signature.partition("(")[0])
            hit = function.covered_lines > 0
            functions[key] = functions.get(key, False) or hit
        for branch in contract.branches:
            span = branch.branch.span
            branches = files.setdefault(paths[span.file], _File()).branches
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


def _record(path: str, file: _File) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{path}"
    yield from _functions(file)
    yield from _branches(file)
    for line, hit in sorted(file.lines.items()):
        yield f"DA:{line},{int(hit)}"
    yield f"LF:{len(file.lines)}"
    yield f"LH:{sum(file.lines.values())}"
    yield "end_of_record"


def _functions(file: _File) -> Iterator[str]:
    # Readers split at commas and key functions by name: signatures would not survive,
    # and neither would overloads, which get their line as a suffix.
    ordered = sorted(file.functions.items())
    times = Counter(name for (_, name), _ in ordered)
    named = [
        (line, name if times[name] == 1 else f"{name}:{line}", hit)
        for (line, name), hit in ordered
    ]
    for line, name, _ in named:
        yield f"FN:{line},{name}"
    for _, name, hit in named:
        yield f"FNDA:{int(hit)},{name}"
    yield f"FNF:{len(named)}"
    yield f"FNH:{sum(hit for _, _, hit in named)}"


def _branches(file: _File) -> Iterator[str]:
    found = hit = 0
    blocks: Counter[int] = Counter()
    ordered = sorted(
        file.branches.values(),
        key=lambda b: (b.branch.line, b.branch.span.start, b.branch.span.length),
    )
    for branch in ordered:
        line = branch.branch.line
        for number, taken in enumerate((branch.fell_through, branch.jumped)):
            count = str(int(taken)) if branch.reached else "-"
            yield f"BRDA:{line},{blocks[line]},{number},{count}"
            found += 1
            hit += count == "1"
        blocks[line] += 1
    yield f"BRF:{found}"
    yield f"BRH:{hit}"

"""Coverage to read: a summary with what is missing, sources with marks, LCOV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.catalogue.resource import Resource, Variables, touched_by
from echidna_mcp.reports.files import FileCoverage
from echidna_mcp.reports.lcov import abridged
from echidna_mcp.tools.display import clean
from echidna_mcp.tools.size import ANSWER_BYTES, fitting
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json, number

if TYPE_CHECKING:
    from echidna_mcp.reports.lines import ContractCoverage
    from echidna_mcp.tools.tool import ToolContext

LINES: Final = 200
"""Lines of a source on one page."""

_WIDTH: Final = 400
_ROOM_OF_SOURCES: Final = 10_000

_GROWS: Final = touched_by("CoverageIncreased")


def coverage_resources() -> Sequence[Resource]:
    """Return them."""
    return (
        Resource(
            name="coverage",
            uri=f"{ROOT}/coverage",
            title="Coverage",
            description="Line and branch coverage of each contract, the lines not "
            "reached yet, and where its sources can be read.",
            mime_type=JSON,
            read=_read_coverage,
            touched=_GROWS,
        ),
        Resource(
            name="lcov",
            uri=f"{ROOT}/coverage.lcov",
            title="LCOV",
            description="Coverage as an LCOV tracefile, as dump_lcov gives it.",
            mime_type="text/plain",
            read=_read_lcov,
            touched=_GROWS,
        ),
        Resource(
            name="source",
            uri=f"{ROOT}/sources/{{file}}/{{page}}",
            title="Source with coverage",
            description=f"A page of {LINES} lines of a source file, each with its "
            "text and whether it was reached, and the branches on them. File and page "
            f"are numbers from 0; {ROOT}/coverage lists the files.",
            mime_type=JSON,
            read=_read_source,
            values={"file": _files, "page": lambda _context: ("0",)},
        ),
    )


async def _read_coverage(_values: Variables, context: ToolContext) -> str:
    views = context.views
    report = context.reports.report(views.coverage)
    contracts = fitting(
        (_contract(contract) for contract in report.contracts),
        ANSWER_BYTES - _ROOM_OF_SOURCES,
    )
    return as_json(
        {
            "round": views.progress.round,
            "lineCoverage": report.line_percent,
            "points": views.coverage.points,
            "states": len(views.coverage.map.states),
            "contracts": contracts,
            "totalContracts": len(report.contracts),
            "sources": fitting(_sources(context), _ROOM_OF_SOURCES),
        }
    )


def _contract(contract: ContractCoverage) -> dict[str, Any]:
    covered = set(contract.covered_lines)
    missing: dict[str, list[int]] = {}
    for path, line in contract.lines:
        if (path, line) not in covered:
            missing.setdefault(path, []).append(line)
    return {
        "name": contract.qualified_name,
        "lineCoverage": contract.line_percent,
        "branchCoverage": contract.branch_percent,
        "lines": len(contract.lines),
        "coveredLines": len(contract.covered_lines),
        "functions": [
            {
                "signature": function.signature,
                "path": function.path,
                "line": function.line,
                "lines": function.lines,
                "coveredLines": function.covered_lines,
            }
            for function in contract.functions
        ],
        "uncoveredLines": {path: _ranges(lines) for path, lines in missing.items()},
    }


def _ranges(lines: Sequence[int]) -> str:
    """Return ascending numbers as `3-5,9`."""
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ",".join(
        str(first) if first == last else f"{first}-{last}" for first, last in ranges
    )


def _sources(context: ToolContext) -> Iterator[dict[str, Any]]:
    found = context.reports.files(context.views.coverage)
    for index in map(int, _files(context)):
        source = context.views.target.program.sources[index]
        lines = source.content.count("\n") + 1
        gaps = _gaps(found.get(source.path, FileCoverage()))
        yield {
            "file": index,
            "path": source.path,
            "pages": -(-lines // LINES),
            "firstGap": min(gaps, default=None),
            "pagesWithGaps": sorted({(line - 1) // LINES for line in gaps}),
        }


def _gaps(coverage: FileCoverage) -> set[int]:
    """Return the lines that were not reached, or with a branch that was not taken."""
    missed = {line for line, hits in coverage.lines.items() if not hits}
    return missed | {
        each.line
        for each in coverage.ordered_branches()
        if not (each.fell_through and each.jumped)
    }


async def _read_lcov(_values: Variables, context: ToolContext) -> str:
    return abridged(context.reports.lcov(context.views.coverage), ANSWER_BYTES)


async def _read_source(values: Variables, context: ToolContext) -> str:
    views = context.views
    sources = views.target.program.sources
    file = number(values["file"], len(sources), "source file")
    source = sources[file]
    texts = source.content.split("\n")
    page = number(values["page"], -(-len(texts) // LINES), "page of this file")
    first = page * LINES
    coverage = context.reports.files(views.coverage).get(source.path, FileCoverage())
    lines = list(_lines(texts[first : first + LINES], first + 1, coverage))
    return as_json(
        {
            "file": file,
            "path": source.path,
            "page": page,
            "totalLines": len(texts),
            "round": views.progress.round,
            "lines": fitting(lines),
        }
    )


def _lines(
    texts: Iterable[str], first: int, coverage: FileCoverage
) -> Iterator[dict[str, Any]]:
    """Yield the lines; those that can't be covered have neither mark nor branches.

    A branch is a pair: whether execution went on after it, and whether it jumped. Null
    means that its condition was never evaluated.
    """
    branches: dict[int, list[list[bool] | None]] = {}
    for each in coverage.ordered_branches():
        ways = [each.fell_through > 0, each.jumped > 0]
        pair = ways if each.reached else None
        branches.setdefault(each.line, []).append(pair)
    for number_, text in enumerate(texts, first):
        line: dict[str, Any] = {"line": number_, "text": clean(text, _WIDTH)}
        if number_ in coverage.lines:
            line["covered"] = coverage.lines[number_] > 0
        if number_ in branches:
            line["branches"] = branches[number_]
        yield line


def _files(context: ToolContext) -> Iterable[str]:
    """Return the numbers of files in which lines can be covered."""
    found = context.reports.files(context.views.coverage)
    for index, source in enumerate(context.views.target.program.sources):
        if source.path in found:
            yield str(index)

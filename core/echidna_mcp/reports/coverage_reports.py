"""Coverage reports of a running campaign, made again only when there is news."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.reports.files import file_coverage
from echidna_mcp.reports.lcov import lcov
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.reports.uncovered import uncalled_contracts, uncovered_functions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.program.model import Contract
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.reports.files import FileCoverage
    from echidna_mcp.reports.lines import ContractCoverage, CoverageReport
    from echidna_mcp.views.coverage import CoverageView


class CoverageReports:
    """Answers from a coverage view, in milliseconds, and at once if nothing changed.

    Everything that depends on the target alone is computed in the constructor.

    Args:
        target: what the campaign fuzzes.
    """

    def __init__(self, target: FuzzTarget) -> None:
        self._index = CoverageIndex(
            target.program, uncovered_functions(target), uncalled_contracts(target)
        )
        for contract in self._index.participants({}):
            self._index.map(contract)
        self._counted = (-1, -1)
        self._covered: dict[str, list[int]] = {}
        self._jumps: dict[str, set[tuple[int, int]]] = {}
        self._report: CoverageReport | None = None
        self._files: dict[str, FileCoverage] | None = None
        self._lcov: str | None = None

    def report(self, coverage: CoverageView) -> CoverageReport:
        """Return the coverage of all contracts that take part."""
        self._update(coverage)
        if self._report is None:
            self._report = self._index.report(self._covered, self._jumps)
        return self._report

    def contract(self, contract: Contract, coverage: CoverageView) -> ContractCoverage:
        """Return the coverage of one contract of the program."""
        self._update(coverage)
        return self._index.contract(contract, self._covered, self._jumps)

    def files(self, coverage: CoverageView) -> Mapping[str, FileCoverage]:
        """Return the coverage of each file with code, by path."""
        self._update(coverage)
        if self._files is None:
            self._files = file_coverage(self._index, self._covered, self._jumps)
        return self._files

    def lcov(self, coverage: CoverageView) -> str:
        """Return an LCOV tracefile (FR-003)."""
        self._update(coverage)
        if self._lcov is None:
            self._lcov = lcov(self.files(coverage))
        return self._lcov

    def _update(self, coverage: CoverageView) -> None:
        # Points count (code, program counter) pairs. They and the edges are all that a
        # report depends on, and never become fewer: same numbers are the same coverage.
        counted = (coverage.points, len(coverage.map.edges))
        if counted != self._counted:
            self._covered = coverage.covered()
            self._jumps = coverage.jumps()
            self._report = None
            self._files = None
            self._lcov = None
            self._counted = counted

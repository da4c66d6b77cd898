"""Coverage reports of a running campaign; only what has news is looked at again."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from echidna_mcp.program.identity import creation_key, runtime_key
from echidna_mcp.reports.files import merged
from echidna_mcp.reports.lcov import lcov
from echidna_mcp.reports.lines import CoverageIndex, CoverageReport
from echidna_mcp.reports.uncovered import uncalled_contracts, uncovered_functions
from echidna_mcp.views.coverage import counters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.program.model import Contract
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.reports.files import FileCoverage
    from echidna_mcp.reports.lines import ContractCoverage
    from echidna_mcp.views.coverage import CoverageView


class CoverageReports:
    """Answers from a coverage view, in milliseconds, and at once if nothing changed.

    A campaign may have hundreds of contracts, and news of a few of them at a time.

    Everything that depends on the target alone is computed in the constructor.

    Args:
        target: what the campaign fuzzes.
    """

    def __init__(self, target: FuzzTarget) -> None:
        self._index = CoverageIndex(
            target.program, uncovered_functions(target), uncalled_contracts(target)
        )
        called = [callee.contract for callee in target.callees]
        for contract in (*self._index.participants({}), *called):
            self._index.map(contract)
        self._counted = (-1, -1)
        self._bits: dict[str, int] = {}
        """As they were when their counters were told last."""
        self._covered: dict[str, list[int]] = {}
        self._jumps: dict[str, set[tuple[int, int]]] = {}
        self._edges = 0
        """How many are among the jumps."""
        self._contracts: dict[str, ContractCoverage] = {}
        """By qualified name, as far as they have no news."""
        self._report: CoverageReport | None = None
        self._files: dict[str, FileCoverage] | None = None
        self._lcov: str | None = None

    def report(self, coverage: CoverageView) -> CoverageReport:
        """Return the coverage of all contracts that take part."""
        self._update(coverage)
        if self._report is None:
            contracts = self._index.participants(self._covered)
            told = tuple(self._contract(contract) for contract in contracts)
            self._report = CoverageReport(contracts=told)
        return self._report

    def contract(self, contract: Contract, coverage: CoverageView) -> ContractCoverage:
        """Return the coverage of one contract of the program."""
        self._update(coverage)
        return self._contract(contract)

    def _contract(self, contract: Contract) -> ContractCoverage:
        name = contract.qualified_name
        if name not in self._contracts:
            self._contracts[name] = self._index.contract(
                contract, self._covered, self._jumps
            )
        return self._contracts[name]

    def files(self, coverage: CoverageView) -> Mapping[str, FileCoverage]:
        """Return the coverage of each file with code, by path."""
        report = self.report(coverage)
        if self._files is None:
            self._files = merged(self._index.program, report.contracts)
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
            news = self._new_counters(coverage) | self._new_jumps(coverage)
            for contract in self._index.program.contracts:
                if not news.isdisjoint((runtime_key(contract), creation_key(contract))):
                    self._contracts.pop(contract.qualified_name, None)
            self._report = None
            self._files = None
            self._lcov = None
            self._counted = counted

    def _new_counters(self, coverage: CoverageView) -> set[str]:
        """Take in new program counters; return of which codes they are."""
        now = coverage.bits()
        news = {
            key: counters(bits)
            for key, bits in now.items()
            if self._bits.get(key) != bits
        }
        self._covered |= news
        self._bits = now
        return set(news)

    def _new_jumps(self, coverage: CoverageView) -> set[str]:
        """Take in new edges, which follow those before; return of which codes."""
        edges = coverage.map.edges
        news = set()
        for key, jump, target in islice(edges, self._edges, None):
            self._jumps.setdefault(key, set()).add((jump, target))
            news.add(key)
        self._edges = len(edges)
        return news

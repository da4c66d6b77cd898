"""Line, branch and function coverage from executed program counters and edges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from echidna_mcp.program.creatable import creatable
from echidna_mcp.program.identity import creation_key, runtime_key
from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.source_lines import SourceLines
from echidna_mcp.reports.contract_map import (
    BranchPoint,
    ContractMap,
    Site,
    map_contract,
)

Covered = Mapping[str, Collection[int]]
"""Executed program counters by code key (`program.identity`), depths merged."""
Jumps = Mapping[str, Collection[tuple[int, int]]]
"""Edges by code key: (program counter of the jump, that of the block entered next)."""
NO_JUMPS: Final[Jumps] = MappingProxyType({})
"""Where edges are not collected."""


def percentage(covered: int, total: int) -> float:
    """Return the share in per cent, rounded half up to one decimal; 0.0 of nothing."""
    if not total:
        return 0.0
    return (covered * 2000 + total) // (2 * total) / 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCoverage:
    """Lines of one function. Code of its modifiers counts for the modifiers.

    Attributes:
        signature: as in `FunctionSource`.
        path, line: where it starts.
        last_line: where it ends.
        lines, covered_lines: numbers of executable and executed lines.
    """

    signature: str
    path: str
    line: int
    last_line: int
    lines: int
    covered_lines: int

    @property
    def line_percent(self) -> float:
        """Executed lines in per cent."""
        return percentage(self.covered_lines, self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCoverage:
    """The outcomes of one branch. `reached`: its condition was evaluated."""

    branch: BranchPoint
    reached: bool
    fell_through: bool
    jumped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCoverage:
    """What has been covered of one contract, inherited code included.

    Attributes:
        points, instructions: executed and all program counters, both codes together.
        lines, covered_lines: executable and executed (path, line) pairs, ascending.
        branches: in source order; each has two outcomes.
        functions: in source order, without those that have no code.
    """

    name: str
    qualified_name: str
    points: int
    instructions: int
    lines: tuple[tuple[str, int], ...]
    covered_lines: tuple[tuple[str, int], ...]
    branches: tuple[BranchCoverage, ...]
    functions: tuple[FunctionCoverage, ...]

    @property
    def line_percent(self) -> float:
        """Executed lines in per cent; 0.0 if the source is unknown."""
        return percentage(len(self.covered_lines), len(self.lines))

    @property
    def branch_percent(self) -> float:
        """Outcomes seen in per cent; a contract that never branches has them all."""
        if not self.branches:
            return 100.0 if self.lines else 0.0
        seen = sum(b.fell_through + b.jumped for b in self.branches)
        return percentage(seen, 2 * len(self.branches))

    @property
    def bytecode_percent(self) -> float:
        """Executed instructions in per cent (FR-002)."""
        return percentage(self.points, self.instructions)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageReport:
    """Coverage of all contracts that take part in a campaign."""

    contracts: tuple[ContractCoverage, ...]

    @property
    def bytecode_percent(self) -> float:
        """Executed instructions of all contracts in per cent (FR-002)."""
        return percentage(
            sum(c.points for c in self.contracts),
            sum(c.instructions for c in self.contracts),
        )

    @property
    def line_percent(self) -> float:
        """Average of the contracts, weighted by their numbers of lines."""
        return percentage(
            sum(len(c.covered_lines) for c in self.contracts),
            sum(len(c.lines) for c in self.contracts),
        )


class CoverageIndex:
    """Answers what is covered. Built once for a program; a query takes milliseconds.

    The contracts that take part are the target, those that its code can create, and any
    other that was executed: a project also compiles contracts no campaign gets to.

    Args:
        uncovered: functions that have no coverage of their own (`reports.uncovered`).
        uncalled: qualified names of contracts that take part only if their deployed
            code was executed.
    """

    def __init__(
        self,
        program: Program,
        uncovered: Collection[Span] = (),
        uncalled: Collection[str] = (),
    ) -> None:
        self.program = program
        self._uncovered = frozenset(uncovered)
        self._uncalled = frozenset(uncalled)
        self._lines = SourceLines(program)
        self._paths = [source.path for source in program.sources]
        self._maps: dict[str, ContractMap] = {}
        self._expected = _creatable(program)

    def participants(self, covered: Covered) -> tuple[Contract, ...]:
        """Return the contracts that take part, in order of qualified name."""
        return tuple(
            contract
            for contract in self.program.contracts
            if runtime_key(contract) in covered
            or (
                contract.qualified_name not in self._uncalled
                and (
                    contract.qualified_name in self._expected
                    or creation_key(contract) in covered
                )
            )
        )

    def report(self, covered: Covered, jumps: Jumps = NO_JUMPS) -> CoverageReport:
        """Return the coverage of all contracts that take part."""
        contracts = self.participants(covered)
        return CoverageReport(
            contracts=tuple(self.contract(c, covered, jumps) for c in contracts)
        )

    def contract(
        self, contract: Contract, covered: Covered, jumps: Jumps = NO_JUMPS
    ) -> ContractCoverage:
        """Return the coverage of one contract of the program."""
        static = self.map(contract)
        runtime = covered.get(runtime_key(contract), ())
        creation = covered.get(creation_key(contract), ())
        hit = _hit(static.runtime, runtime) | _hit(static.creation, creation)
        return ContractCoverage(
            name=contract.name,
            qualified_name=contract.qualified_name,
            points=len(runtime) + len(creation),
            instructions=static.instructions,
            lines=self._places(static, range(len(static.units))),
            covered_lines=self._places(static, hit),
            branches=_branches(
                static, frozenset(runtime), jumps.get(runtime_key(contract))
            ),
            functions=self._functions(static, hit),
        )

    def map(self, contract: Contract) -> ContractMap:
        """Return the static half of `contract`."""
        name = contract.qualified_name
        if name not in self._maps:
            self._maps[name] = map_contract(contract, self._lines, self._uncovered)
        return self._maps[name]

    def _places(
        self, static: ContractMap, units: Collection[int]
    ) -> tuple[tuple[str, int], ...]:
        numbered = {static.units[unit][:2] for unit in units}
        return tuple((self._paths[file], line) for file, line in sorted(numbered))

    def _functions(
        self, static: ContractMap, hit: Collection[int]
    ) -> tuple[FunctionCoverage, ...]:
        totals = [0] * len(static.functions)
        covered = [0] * len(static.functions)
        for index, unit in enumerate(static.units):
            if unit.function >= 0:
                totals[unit.function] += 1
                covered[unit.function] += index in hit
        return tuple(
            FunctionCoverage(
                signature=signature,
                path=self._paths[place.span.file],
                line=place.line,
                last_line=self._lines.line(
                    place.span.file, place.span.start + place.span.length - 1
                ),
                lines=total,
                covered_lines=seen,
            )
            for place, total, seen in zip(
                static.functions, totals, covered, strict=True
            )
            if total
            for signature in place.signatures
        )


def _hit(table: Sequence[int], counters: Collection[int]) -> set[int]:
    size = len(table)
    if max(counters, default=-1) >= size:
        counters = [counter for counter in counters if counter < size]
    found = set(map(table.__getitem__, counters))
    found.discard(-1)
    return found


def _branches(
    static: ContractMap,
    runtime: frozenset[int],
    jumps: Collection[tuple[int, int]] | None,
) -> tuple[BranchCoverage, ...]:
    """Judge outcomes by edges, or, if there are none, by what the jumps lead to.

    Without edges a target that can also be reached in another way (the end of an `if`
    without `else`) counts as jumped to when it was executed at all.
    """

    def went(site: Site, target: int) -> bool:
        if jumps is not None:
            return (site.jump, target) in jumps
        return site.jump in runtime and target in runtime

    return tuple(
        BranchCoverage(
            branch=branch,
            reached=any(site.jump in runtime for site in branch.sites),
            fell_through=any(went(site, site.fallthrough) for site in branch.sites),
            jumped=any(went(site, site.target) for site in branch.sites),
        )
        for branch in static.branches
    )


def _creatable(program: Program) -> frozenset[str]:
    """Return the target and all contracts whose creation code its code contains."""
    children = creatable(program, [program.main_contract.creation_code])
    return frozenset((program.main, *(child.qualified_name for child in children)))

"""The map of one contract: all lines and branches that can be covered."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from echidna_mcp.program.model import Contract, FunctionSource, Span
from echidna_mcp.program.source_lines import SourceLines
from echidna_mcp.program.sourcemap import (
    PUSH1,
    PUSH32,
    MapEntry,
    decode_map,
    instruction_starts,
)

_JUMPI = 0x57


class Unit(NamedTuple):
    """A line of a function: the smallest thing that is covered or not.

    `function` indexes `ContractMap.functions`; it is -1 outside of functions.
    """

    file: int
    line: int
    function: int


class Site(NamedTuple):
    """A conditional jump: its program counter and where it may go."""

    jump: int
    fallthrough: int
    target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPoint:
    """A branching piece of source, and the conditional jumps compiled from it.

    There are several sites where the compiler emitted the source several times, as it
    does with modifiers.
    """

    span: Span
    line: int
    sites: tuple[Site, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPlace:
    """A function in the source. Signatures with defaults filled in share a place."""

    signatures: tuple[str, ...]
    span: Span
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractMap:
    """Everything of a contract that coverage needs and that never changes.

    Attributes:
        units: what program counters are mapped to.
        runtime, creation: for each program counter the index of its unit, or -1.
        instructions: number of instructions, both codes together.
    """

    contract: Contract
    units: tuple[Unit, ...]
    runtime: Sequence[int]
    creation: Sequence[int]
    instructions: int
    branches: tuple[BranchPoint, ...]
    functions: tuple[FunctionPlace, ...]


def map_contract(
    contract: Contract, lines: SourceLines, uncovered: Collection[Span] = ()
) -> ContractMap:
    """Relate the instructions of `contract` to lines, functions and branches.

    An instruction belongs to the line on which its source range starts.

    Args:
        uncovered: functions of which nothing is counted.
    """
    functions = _places(contract.functions, lines)
    finder = _FunctionFinder(functions)
    units: dict[Unit, int] = {}
    counters = []
    instructions = 0
    for code, text in (
        (contract.runtime_code, contract.runtime_map),
        (contract.creation_code, contract.creation_map),
    ):
        table = [-1] * len(code)
        mapped = _mapped(code, text)
        instructions += len(mapped)
        for counter, entry in mapped:
            line = lines.line(entry.file, entry.start)
            function = finder.find(entry.file, entry.start)
            if line and (function < 0 or functions[function].span not in uncovered):
                unit = Unit(entry.file, line, function)
                table[counter] = units.setdefault(unit, len(units))
        counters.append(table)
    return ContractMap(
        contract=contract,
        units=tuple(units),
        runtime=counters[0],
        creation=counters[1],
        instructions=instructions,
        branches=tuple(
            point
            for point in _branch_points(contract, lines)
            if not any(span.holds(point.span) for span in uncovered)
        ),
        functions=functions,
    )


def _mapped(code: bytes, text: str) -> list[tuple[int, MapEntry]]:
    # A source map ends where the instructions end and data begins.
    return list(zip(instruction_starts(code), decode_map(text), strict=False))


def _places(
    functions: Iterable[FunctionSource], lines: SourceLines
) -> tuple[FunctionPlace, ...]:
    by_span: dict[Span, list[str]] = {}
    for function in functions:
        by_span.setdefault(function.span, []).append(function.signature)
    ordered = sorted(by_span, key=lambda s: (s.file, s.start, s.length))
    return tuple(
        FunctionPlace(
            signatures=tuple(by_span[span]),
            span=span,
            line=lines.line(span.file, span.start),
        )
        for span in ordered
        if lines.line(span.file, span.start)
    )


class _FunctionFinder:
    """Finds the function that holds an offset. Functions don't overlap."""

    def __init__(self, functions: Sequence[FunctionPlace]) -> None:
        self._functions = functions
        self._starts = [(f.span.file, f.span.start) for f in functions]

    def find(self, file: int, offset: int) -> int:
        at = bisect_right(self._starts, (file, offset)) - 1
        if at < 0:
            return -1
        span = self._functions[at].span
        inside = span.file == file and offset < span.start + span.length
        return at if inside else -1


def _branch_points(contract: Contract, lines: SourceLines) -> tuple[BranchPoint, ...]:
    """Group the conditional jumps of the runtime code by the source they stand for.

    Without knowledge of the source, each source range with a jump is a branch.
    """
    code = contract.runtime_code
    known = set(contract.branches)
    # A compiler that gives the source of functions gives that of branches.
    everything = not known and not contract.functions
    sites: dict[Span, list[Site]] = {}
    target = -1
    for counter, entry in _mapped(code, contract.runtime_map):
        opcode = code[counter]
        if opcode == _JUMPI and target >= 0:
            span = Span(entry.file, entry.start, entry.length)
            if lines.line(span.file, span.start) and (span in known or everything):
                site = Site(counter, counter + 1, target)
                sites.setdefault(span, []).append(site)
        target = _pushed(code, counter) if PUSH1 <= opcode <= PUSH32 else -1
    return tuple(
        BranchPoint(
            span=span,
            line=lines.line(span.file, span.start),
            sites=tuple(sites[span]),
        )
        for span in sorted(sites, key=lambda s: (s.file, s.start, s.length))
    )


def _pushed(code: bytes, counter: int) -> int:
    size = code[counter] - PUSH1 + 1
    return int.from_bytes(code[counter + 1 : counter + 1 + size], "big")

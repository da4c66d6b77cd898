"""Where in the source a message failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.sourcemap import decode_map, instruction_starts
from echidna_mcp.reports.source_lines import SourceLines
from echidna_mcp.traces.model import SourceLine

_NEIGHBOURS: Final = 2
"""Lines that are shown before and after the one that is meant."""


class FailureFinder:
    """Finds source lines by the blocks that a frame entered last."""

    def __init__(self, program: Program) -> None:
        self._sources = program.sources
        self._lines = SourceLines(program)
        self._maps: dict[tuple[str, bool], dict[int, Span]] = {}

    def places(self, frame: FrameResult, contract: Contract) -> tuple[SourceLine, ...]:
        """Return where a frame failed.

        Args:
            frame: it has failed.
            contract: whose code it ran.

        Returns:
            The statement in which it ended, then, if that is in another file than the
            contract, where the contract's own came to it. Empty without source maps.
        """
        found: list[SourceLine] = []
        for span in self._spans(frame, contract):
            place = self._place(span)
            if place is None or (found and place.path != contract.source):
                continue
            found.append(place)
            if place.path == contract.source:
                break
        return tuple(found)

    def _spans(self, frame: FrameResult, contract: Contract) -> Iterator[Span]:
        """Yield what the blocks of a frame are for, the last one first.

        What the compiler made for a whole function or contract says nothing of where
        in it something happened.
        """
        known = self._map(contract, creates=frame.creates)
        functions = [each.span for each in contract.functions]
        for pc in reversed(frame.trail):
            span = known.get(pc)
            if span is not None and not any(map(span.holds, functions)):
                yield span

    def _map(self, contract: Contract, *, creates: bool) -> dict[int, Span]:
        """Return what each instruction of a code is for, by its program counter."""
        key = (contract.qualified_name, creates)
        if key not in self._maps:
            code = contract.creation_code if creates else contract.runtime_code
            text = contract.creation_map if creates else contract.runtime_map
            entries = zip(instruction_starts(code), decode_map(text), strict=False)
            self._maps[key] = {
                pc: Span(entry.file, entry.start, entry.length)
                for pc, entry in entries
                if 0 <= entry.file < len(self._sources)
            }
        return self._maps[key]

    def _place(self, span: Span) -> SourceLine | None:
        number = self._lines.line(span.file, span.start)
        if not number:
            return None
        source = self._sources[span.file]
        lines: Sequence[str] = source.content.split("\n")
        first = max(number - _NEIGHBOURS, 1)
        last = min(number + _NEIGHBOURS, len(lines))
        return SourceLine(
            path=source.path,
            line=number,
            around=tuple((n, lines[n - 1]) for n in range(first, last + 1)),
        )

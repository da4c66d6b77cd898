"""Where in the source a message failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from echidna_mcp.evm.frames import FrameResult
from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.source_lines import SourceLines
from echidna_mcp.program.statements import Statements
from echidna_mcp.traces.model import SourceLine

_NEIGHBOURS: Final = 2
"""Lines that are shown before and after the one that is meant."""


class FailureFinder:
    """Finds source lines by the blocks that a frame entered last."""

    def __init__(self, program: Program) -> None:
        self._sources = program.sources
        self._lines = SourceLines(program)
        self._statements = Statements(program)

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
        for span in self._statements.of_blocks(
            contract, reversed(frame.trail), creates=frame.creates
        ):
            place = self._place(span)
            if place is None or (found and place.path != contract.source):
                continue
            found.append(place)
            if place.path == contract.source:
                break
        return tuple(found)

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

"""Lines of source files, by the byte offsets that source maps use."""

from __future__ import annotations

from bisect import bisect_right

from echidna_mcp.program.model import Program, SourceFile


class SourceLines:
    """Converts offsets to line numbers."""

    def __init__(self, program: Program) -> None:
        self._starts = [_line_starts(source) for source in program.sources]
        self._sizes = [len(source.content.encode()) for source in program.sources]

    def line(self, file: int, offset: int) -> int:
        """Return the line, from 1; 0 if there is no such place."""
        if not 0 <= file < len(self._starts) or not 0 <= offset < self._sizes[file]:
            return 0
        return bisect_right(self._starts[file], offset)


def _line_starts(source: SourceFile) -> list[int]:
    starts = [0]
    for line in source.content.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts[:-1]

"""What in the source a block of code is for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from echidna_mcp.program.model import Contract, Program, Span
from echidna_mcp.program.sourcemap import decode_map, instruction_starts

_MOST_TEXT: Final = 200
"""Bytes of a statement that are quoted."""


class Statements:
    """Finds statements by program counters; what is found is kept."""

    def __init__(self, program: Program) -> None:
        self._sources = program.sources
        self._texts: dict[int, bytes] = {}
        self._maps: dict[tuple[str, bool], dict[int, Span]] = {}

    def of_blocks(
        self, contract: Contract, blocks: Iterable[int], *, creates: bool
    ) -> Iterator[Span]:
        """Yield what blocks are for, in their order, where that is told.

        What the compiler made for a whole function or contract says nothing of where
        in it something happened.

        Args:
            contract: whose code they are of.
            blocks: program counters of their last instructions.
            creates: whether that is the creation code.
        """
        known = self._map(contract, creates=creates)
        functions = [each.span for each in contract.functions]
        for pc in blocks:
            span = known.get(pc)
            if span is not None and not any(map(span.holds, functions)):
                yield span

    def text(self, span: Span) -> str:
        """Return the first line of a statement, without the blanks around it."""
        content = self._content(span.file)[span.start : span.start + span.length]
        line = content[:_MOST_TEXT].partition(b"\n")[0]
        return line.decode("utf-8", "replace").strip()

    def number(self, span: Span, within: Contract) -> int:
        """Return how many statements with the same text come before in its function."""
        functions = [each.span for each in within.functions if each.span.holds(span)]
        begin = max((each.start for each in functions), default=0)
        content = self._content(span.file)
        own = content[span.start : span.start + span.length]
        return content[begin : span.start].count(own) if own else 0

    def _content(self, file: int) -> bytes:
        if file not in self._texts:
            self._texts[file] = self._sources[file].content.encode()
        return self._texts[file]

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

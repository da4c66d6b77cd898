"""The calls of a sequence in the order in which they are executed, probes included."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison
from echidna_mcp.fuzz.kernels import Kernels
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.fuzz.probe import (
    COMPARISON_KIND,
    COMPARISON_LEFT,
    COMPARISON_RIGHT,
    COMPARISON_ROW,
    PLACE_WORDS,
    PROBE_WORDS,
    count_places,
    places_left,
    skip_displaced,
    take_place,
)
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.memory import poke256, store64, words


class PlainCalls:
    """The calls of a sequence as it was built."""

    def __init__(self, sequence: bytearray) -> None:
        self._sequence = sequence
        self._at = 0

    def next(self) -> bytes:
        """Return the record of the call to execute now; empty after the last one."""
        start = self._at
        if start == len(self._sequence):
            return b""
        self._at += call_length(self._sequence, start)
        return bytes(self._sequence[start : self._at])

    def executed(self, comparisons: Sequence[Comparison]) -> None:
        """Take note of what the call that `next` returned has compared."""


class ProbingCalls(PlainCalls):
    """The same, from call number `start` on each with a chain of probes behind it.

    How probes are made, which calls they displace, and how calls are numbered,
    `fuzz.probe` tells.
    """

    def __init__(
        self, sequence: bytearray, start: int, tables: FuzzTables, kernels: Kernels
    ) -> None:
        super().__init__(sequence)
        self._ahead = start
        self._tables = tables
        self._probe_call = kernels.probe_call
        self._places = words([0] * PLACE_WORDS)
        count_places(tables, sequence, 0, len(sequence), self._places)
        self._call = self._probe = b""
        self._tried = words([0] * PROBE_WORDS)
        self._log = bytearray(MOST_COMPARISONS * COMPARISON_ROW)
        self._out = bytearray(MAX_CALL_BYTES)

    def next(self) -> bytes:
        """Return the record of the call to execute now; empty after the last one."""
        self._call = self._probe
        if not self._call:
            self._tried[0] = 0
            self._at = skip_displaced(
                self._tables,
                self._places,
                self._sequence,
                self._at,
                len(self._sequence),
            )
            self._call = super().next()
            self._ahead = max(self._ahead - 1, 0)
        if self._call:
            take_place(self._tables, self._places, bytearray(self._call), 0)
        return self._call

    def executed(self, comparisons: Sequence[Comparison]) -> None:
        """Take note of what the call that `next` returned has compared."""
        call = bytearray(self._call)
        self._probe = b""
        if self._ahead > 0 or not places_left(self._tables, self._places, call, 0):
            return
        for number, comparison in enumerate(comparisons):
            row = number * COMPARISON_ROW
            store64(self._log, row + COMPARISON_KIND, comparison.kind)
            poke256(self._log, row + COMPARISON_LEFT, comparison.left)
            poke256(self._log, row + COMPARISON_RIGHT, comparison.right)
        end = self._probe_call(
            self._tables,
            self._log,
            len(comparisons),
            self._tried,
            call,
            0,
            self._out,
            0,
        )
        self._probe = b"" if end == FAIL else bytes(self._out[:end])

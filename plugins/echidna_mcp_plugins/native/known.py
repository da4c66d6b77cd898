"""What a campaign knows of the blocks of a machine's programs."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from echidna_mcp.kernel.memory import load64
from echidna_mcp.views.coverage import CoverageMap
from echidna_mcp_plugins.native.machine import (
    BLOCK_ENDINGS,
    BLOCK_KNOWN,
    BLOCK_LAST,
    BLOCK_ROW,
    BLOCK_START,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_FINGERPRINT,
    PROGRAM_ROW,
    Machine,
)

_WORDS = BLOCK_ROW // 8


class KnownBlocks:
    """Writes a coverage map into `BLOCK_KNOWN` and `BLOCK_ENDINGS`."""

    def __init__(self, machine: Machine, key: Callable[[int], str]) -> None:
        self._m = machine
        self._key = key
        self._keys: dict[tuple[int, int], str] = {}
        self._state: tuple[int, ...] | None = None
        self._depths = array("Q")
        self._endings = array("Q")

    def reset(self, known: CoverageMap) -> None:
        """Make `known`, and nothing else, what is known of all blocks.

        Args:
            known: only ever grows.
        """
        m = self._m
        # Whatever makes the columns out of date changes one of these numbers.
        state = (
            m.program_end,
            m.block_end,
            len(known.endings),
            sum(bits.bit_count() for bits in known.visited.values()),
        )
        if state != self._state:
            self._state = state
            self._compute(known)
        end = m.block_end // 8
        view = memoryview(m.blocks).cast("Q")
        view[BLOCK_KNOWN // 8 : end : _WORDS] = memoryview(self._depths)
        view[BLOCK_ENDINGS // 8 : end : _WORDS] = memoryview(self._endings)

    def _compute(self, known: CoverageMap) -> None:
        m = self._m
        rows = m.block_end // BLOCK_ROW
        self._depths, self._endings = (array("Q", bytes(8 * rows)) for _ in range(2))
        visited: dict[str, list[tuple[int, bytes]]] = {}
        for (key, depth), bits in known.visited.items():
            marks = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
            visited.setdefault(key, []).append((1 << depth, marks))
        endings: dict[str, dict[int, int]] = {}
        for key, counter, status in known.endings:
            by_counter = endings.setdefault(key, {})
            by_counter[counter] = by_counter.get(counter, 0) | 1 << status
        for program in range(PROGRAM_ROW, m.program_end, PROGRAM_ROW):
            key = self._key_of(program)
            self._fill(program, visited.get(key, []), endings.get(key, {}))

    def _key_of(self, program: int) -> str:
        # Rows are given to other programs once they are forgotten.
        identity = (program, load64(self._m.programs, program + PROGRAM_FINGERPRINT))
        key = self._keys.get(identity)
        if key is None:
            key = self._keys[identity] = self._key(program)
        return key

    def _fill(
        self,
        program: int,
        visited: list[tuple[int, bytes]],
        endings: dict[int, int],
    ) -> None:
        m = self._m
        start = load64(m.programs, program + PROGRAM_BLOCKS)
        count = load64(m.programs, program + PROGRAM_BLOCK_COUNT)
        for row in range(start, start + count * BLOCK_ROW, BLOCK_ROW):
            number = row // BLOCK_ROW
            first = load64(m.blocks, row + BLOCK_START)
            self._depths[number] = sum(
                bit for bit, marks in visited if first < len(marks) and marks[first]
            )
            last = load64(m.blocks, row + BLOCK_LAST)
            self._endings[number] = endings.get(last, 0)

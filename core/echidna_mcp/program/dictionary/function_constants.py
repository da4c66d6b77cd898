"""Constants by function: what the code of each one pushes, as far as others don't.

A contract of many functions has a dictionary in which the constants of one are rare
among those of all. What a function compares its arguments with mostly stands in its own
code: so that is found in the bytecode, and calls draw from it (Slither tells Echidna
constants by function, too).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from echidna_mcp.program.dictionary.constants import instructions_of
from echidna_mcp.program.sourcemap import metadata_start

_Row = tuple[int, int, int | None]
"""Counter, opcode, and the operand of a PUSH."""

_JUMP, _JUMPI, _JUMPDEST, _PUSH1 = 0x56, 0x57, 0x5B, 0x60
_EQ, _SUB, _XOR, _SHL = 0x14, 0x03, 0x18, 0x1B
_ENDS = frozenset({0x00, _JUMP, _JUMPI, 0xF3, 0xFD, 0xFE, 0xFF})
_WORD = 1 << 256
_LEAST = 1 << 8
"""Smaller numbers come by themselves, and mostly are slots, shifts and offsets."""
_MOST = 1 << 160
"""What is no less is the topic of an event, a message, or the selector of an error."""
_SELECTORS = range(1 << 24, 1 << 32)
"""Such numbers are selectors of what is called, unless they are written in a source."""
_COMPARED_WITHIN = 4
"""Instructions from the selector to the JUMPI that chooses its function."""


class Blocks:
    """Some code, read as blocks."""

    def __init__(self, code: bytes) -> None:
        self._rows = list(_shifted(instructions_of(code[: metadata_start(code)])))
        self._number = {at: number for number, (at, _, _) in enumerate(self._rows)}
        self._landings = frozenset(
            at for at, opcode, _ in self._rows if opcode == _JUMPDEST
        )
        self._known: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    def entries(self) -> dict[int, int]:
        """Return where each function begins, by its selector, as code chooses it."""
        found: dict[int, int] = {}
        for number, (_, _, selector) in enumerate(self._rows):
            if selector is None:
                continue
            near = self._rows[number + 1 : number + 1 + _COMPARED_WITHIN]
            how = next((op for _, op, _ in near if op in (_EQ, _SUB, _XOR)), None)
            for (_, _, target), (at, opcode, _) in pairwise(near):
                if opcode == _JUMPI and target is not None and how is not None:
                    found.setdefault(selector, target if how == _EQ else at + 1)
        return found

    def pushed_from(self, entry: int) -> frozenset[int]:
        """Return what is pushed from an entry on, wherever its jumps may lead."""
        found: set[int] = set()
        open_blocks, seen = [entry], {entry}
        while open_blocks:
            pushed, leads_to = self._block(open_blocks.pop())
            found |= pushed
            open_blocks += leads_to - seen
            seen |= leads_to
        return frozenset(found)

    def _block(self, at: int) -> tuple[frozenset[int], frozenset[int]]:
        """Return what a block pushes, and where it may lead."""
        if at not in self._known:
            rows = self._rows_of(at)
            leads_to = self._targets(rows)
            pushed = {operand for _, _, operand in rows if operand is not None}
            self._known[at] = frozenset(pushed - leads_to), leads_to
        return self._known[at]

    def _rows_of(self, at: int) -> list[_Row]:
        """Return the instructions from a counter on, to where they branch or end."""
        rows = []
        for number in range(self._number.get(at, len(self._rows)), len(self._rows)):
            rows.append(self._rows[number])
            if self._rows[number][1] in _ENDS:
                break
        return rows

    def _targets(self, rows: Sequence[_Row]) -> frozenset[int]:
        """Return where a block may lead: to what it jumps, returns, or falls to.

        An offset of one byte is often a landing by chance, and is one if it is pushed
        right before a jump.
        """
        found = {
            operand
            for _, opcode, operand in rows
            if operand in self._landings and opcode != _PUSH1
        }
        for (_, _, operand), (at, opcode, _) in pairwise(rows):
            if opcode in (_JUMP, _JUMPI) and operand in self._landings:
                found.add(operand)
            if opcode == _JUMPI:
                found.add(at + 1)
        return frozenset(found)


def _shifted(rows: Iterable[_Row]) -> Iterator[_Row]:
    """Yield instructions, of which a constant that is shifted left is a single one.

    Optimizers write so what ends with zeros: selectors of errors, texts, powers of two.
    """
    held: list[tuple[int, int, int]] = []
    """The last PUSHes, two at most."""
    for at, opcode, operand in rows:
        if opcode == _SHL and len(held) == 2:
            (first, pushed, word), (_, _, shift) = held
            held = [(first, pushed, (word << min(shift, 256)) % _WORD)]
        elif operand is None:
            yield from held
            yield at, opcode, None
            held = []
        else:
            yield from held[:-1]
            held = [*held[-1:], (at, opcode, operand)]
    yield from held


@lru_cache(64)
def constants_of_functions(
    code: bytes, selectors: tuple[int | None, ...], written: frozenset[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the constants of functions, in ascending order.

    What more than half of them push belongs to none, unless there is but one; nor do
    jump targets, numbers of one byte and of more than 20, those of four that no source
    has, and powers of two and masks, by which fields are packed. A function that the
    code does not choose by comparing its selector has none.

    Args:
        code: runtime code of a contract.
        selectors: of the functions; None of what has no selector.
        written: the numbers that stand in the sources.
    """
    read = Blocks(code)
    entries = read.entries()
    pushed = [
        read.pushed_from(entries[each]) if each in entries else frozenset[int]()
        for each in selectors
    ]
    return tuple(_own(pushed, written))


def _own(
    pushed: Sequence[Iterable[int]], written: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    counts = Counter(word for each in pushed for word in each)
    most = max(1, len(pushed) // 2)
    for each in pushed:
        yield tuple(
            word
            for word in sorted(each)
            if counts[word] <= most
            and _may_be_meant(word)
            and (word not in _SELECTORS or word in written)
        )


def _may_be_meant(word: int) -> bool:
    """Whether a number of the code may be one that an argument is compared with."""
    is_packing = word & (word + 1) == 0 or word & (word - 1) == 0
    return _LEAST <= word < _MOST and not is_packing
